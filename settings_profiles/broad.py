"""For crawls over very many hosts: many requests in flight, still one at a time to each host."""

from focused_crawler.settings import *  # noqa: F403

PROFILE: dict[str, object] = {
    "CONCURRENT_REQUESTS": 64,
    "DOWNLOAD_TIMEOUT": 15,
    "FOCUSED_MAX_TRIES": 2,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
}
globals().update(PROFILE)
