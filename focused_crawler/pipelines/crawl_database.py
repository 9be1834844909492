"""Pipeline: records a page and ends its lease, in one transaction."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.crawl import Crawl
from focused_crawler.extensions.session import crawl_of
from focused_crawler.items import PageItem


class CrawlDatabasePipeline:
    """The last pipeline: after it a page is safe."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._stats = crawler.stats
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            self._crawl.record(item)
            self._stats.set_value("focused/frontier/pending", len(self._crawl.frontier))
        return item
