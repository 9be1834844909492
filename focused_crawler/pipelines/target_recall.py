"""Pipeline: which pages are targets, and the share of all targets that were fetched (Lu et al. 2016, target recall)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.crawl import Crawl
from focused_crawler.extensions.session import crawl_of
from focused_crawler.items import PageItem


class TargetRecallPipeline:
    """Targets are the ground truth of a virtual web, else the topic's own `targets`. No strategy sees them."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler = crawler
        self._targets = crawl.plan.targets
        self._hits = crawl.store.count_targets()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and self._targets is not None:
            item.is_target = self._targets.is_relevant(item.url)
            self._hits += item.is_target
            self._crawler.stats.set_value("focused/target_recall", self._hits / len(self._targets))
        return item
