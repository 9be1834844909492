"""Pipeline: the share of fetched pages that were relevant: in all, and over the last 100 and 1,000."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.crawl import Crawl
from focused_crawler.extensions.session import crawl_of
from focused_crawler.items import PageItem


class HarvestRatePipeline:
    """Judged by the ground truth where there is one, else by the crawler's own classifier."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._stats = crawler.stats
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            rate = self._crawl.rate
            rate.record(relevant=self._crawl.is_hit(item))
            self._stats.set_value("focused/pages", rate.pages)
            self._stats.set_value("focused/relevant", rate.relevant)
            self._stats.set_value("focused/harvest_rate", rate.value)
            self._stats.set_value("focused/harvest_rate_100", rate.over_last(100))
            self._stats.set_value("focused/harvest_rate_1000", rate.over_last(1000))
            if item.is_relevant:
                self._stats.set_value("focused/last_relevant_title", item.title)
        return item
