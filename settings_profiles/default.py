"""The project's own settings, under a name that can be typed."""

from focused_crawler.settings import *  # noqa: F403

PROFILE: dict[str, object] = {}
