"""Pipeline: counts relevant pages: in all, and over the last 100 and 1,000."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.edge.extensions.session import CrawlSession, session_of
from focused_crawler.store.item import PageItem


class HarvestRatePipeline:
    """Judges by the ground truth where there is one, else by the crawler's own classifier."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._stats = crawler.stats
        self._session, self._crawl = session, session.crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and self._crawl.count(self._session.visit_of(item), item):
            self._stats.inc_value("focused/run/pages")
            self._stats.inc_value("focused/run/relevant", self._crawl.is_hit(item))
        return item
