"""Pipeline: records a page and ends its lease, in one transaction."""

from __future__ import annotations

import time
from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.edge.extensions.session import CrawlSession, session_of
from focused_crawler.store.item import PageItem


class CrawlDatabasePipeline:
    """The last pipeline: after it a page is safe."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._stats = crawler.stats
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            crawl = self._session.crawl
            with self._session.keeping(), crawl.steps.timing("record"):
                crawl.record(self._session.visit_of(item), item, time.time())
            self._session.publish()
            if item.is_relevant:
                self._stats.set_value("focused/last_relevant_title", item.title)
        return item
