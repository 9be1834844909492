"""Pipeline: tells which pages are targets, for target recall (Lu et al. 2016)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge.extensions.session import crawl_of
from focused_crawler.store.item import PageItem


class TargetRecallPipeline:
    """Targets: the ground truth of a virtual web, else the topic's own `targets`. No strategy sees them."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            page = self._crawl.maintenance.page(item.requested_url)
            if page is not None and page.is_at(item.url):
                item.is_target = page.is_target
            else:
                item.is_target = self._crawl.meets_target(item)
        return item
