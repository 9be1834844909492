"""Pipeline: a page that says what an earlier one says is no further relevant page."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from focused_crawler.items import PageItem


class DuplicateContentPipeline:
    """Takes `is_relevant` from pages with a `duplicate_of`, and counts them."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.stats)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.duplicate_of is not None:
            item.is_relevant = False
            kind = "near_duplicates" if (item.likeness or 0.0) < 1 else "duplicates"
            self._stats.inc_value(f"focused/{kind}")
        return item
