"""Pipeline: marks a page whose words were seen before on another URL."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.extensions.session import CrawlSession, session_of
from focused_crawler.items import PageItem


class DuplicateContentPipeline:
    """Sets `duplicate_of`; such a page was fetched, but is no further relevant page."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._stats = crawler.stats
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            with self._session.keeping():
                self._compare(item)
        return item

    def _compare(self, item: PageItem) -> None:
        first = self._session.crawl.store.seen_checksum(item.checksum) if item.checksum else None
        if first is not None and first != item.url:
            item.duplicate_of = first
            item.is_relevant = False
            self._stats.inc_value("focused/duplicates")
