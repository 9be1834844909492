"""Pipeline: tells which pages are targets, for target recall (Lu et al. 2016)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.edge.extensions.session import CrawlSession, session_of
from focused_crawler.store.item import PageItem


class TargetRecallPipeline:
    """Targets: the ground truth of a virtual web, else the topic's own `targets`. No strategy sees them."""

    def __init__(self, session: CrawlSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            self._session.crawl.judge_target(self._session.visit_of(item), item)
        return item
