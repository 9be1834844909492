"""For crawls of small or slow sites: one request at a time to a host, five seconds apart."""

from focused_crawler.settings import *  # noqa: F403

PROFILE: dict[str, object] = {
    "DOWNLOAD_DELAY": 5.0,
    "CONCURRENT_REQUESTS": 8,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_TIMEOUT": 60,
}
globals().update(PROFILE)
