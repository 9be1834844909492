"""Pipeline: a page that says what an earlier one says is no further relevant page."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.edge.extensions.session import CrawlSession, session_of
from focused_crawler.store.item import PageItem


class DuplicateContentPipeline:
    """Sets `duplicate_of` and `likeness`, right before the page is recorded: so no copy is missed."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._stats = crawler.stats
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            with self._session.keeping():
                self._session.visit_of(item).compare(item)
            self._count(item)
        return item

    def _count(self, item: PageItem) -> None:
        if item.duplicate_of is not None:
            kind = "near_duplicates" if (item.likeness or 0.0) < 1 else "duplicates"
            self._stats.inc_value(f"focused/{kind}")
