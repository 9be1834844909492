"""The end of a fleet crawl: all that its servers hold of it is deleted."""

from __future__ import annotations

from focused_crawler.errors import CrawlError
from focused_crawler.fleet.crawls import FleetCrawl, drop_crawl
from focused_crawler.fleet.redis_state import RedisState


def forget(crawl: FleetCrawl) -> bool:
    """Delete frontier and crawl database; False if there is neither. CrawlError while workers live."""
    state = RedisState(crawl.frontier, crawl.topic, crawl.job)
    try:
        living = [worker.name for worker in state.workers() if not worker.is_dead]
        if living:
            raise CrawlError(
                f"job {crawl.job} of {crawl.topic} goes on, by {', '.join(living[:3])}"
                f"{' and others' if len(living) > 3 else ''}; stop its workers first"
            )
        had_pages = drop_crawl(crawl.database, crawl.topic, crawl.job)
        return state.forget() or had_pages
    finally:
        state.close()
