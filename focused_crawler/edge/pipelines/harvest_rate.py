"""Pipeline: counts relevant pages: in all, and over the last 100 and 1,000."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge.extensions.session import crawl_of
from focused_crawler.store.item import PageItem


class HarvestRatePipeline:
    """Judges by the ground truth where there is one, else by the crawler's own classifier."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._stats = crawler.stats
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and not self._crawl.is_revisit(item):
            self._crawl.count(item)
            self._stats.inc_value("focused/run/pages")
            self._stats.inc_value("focused/run/relevant", self._crawl.is_hit(item))
        return item
