"""For a crawl that has what it was to find: half of what is fetched is looked at again."""

from focused_crawler.settings import *  # noqa: F403

PROFILE: dict[str, object] = {"FOCUSED_REVISIT_SHARE": 0.5}
globals().update(PROFILE)
