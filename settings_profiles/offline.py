"""For a virtual web (FOCUSED_WEB) or a server of one's own on loopback: no waiting, strict order."""

from focused_crawler.settings import *  # noqa: F403

PROFILE: dict[str, object] = {
    "DOWNLOAD_DELAY": 0.0,
    "CONCURRENT_REQUESTS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "FOCUSED_ALLOWED_NETWORKS": ["127.0.0.0/8", "::1/128"],
}
globals().update(PROFILE)
