"""Which kind of crawl a plan is for."""

from __future__ import annotations

from focused_crawler.crawl import Crawl
from focused_crawler.plan import CrawlPlan


def open_crawl(plan: CrawlPlan) -> Crawl:
    """Open or go on with a crawl, alone or as one worker of several; raises CrawlError."""
    if not plan.config.is_shared:
        return Crawl(plan)
    from focused_crawler.fleet.crawl import SharedCrawl  # noqa: PLC0415 - its libraries load slowly

    return SharedCrawl(plan)
