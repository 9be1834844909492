"""Pipeline: tells which pages are targets, for target recall (Lu et al. 2016)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from focused_crawler.extensions.session import crawl_of
from focused_crawler.items import PageItem
from focused_crawler.metrics.recall import TargetRecall


class TargetRecallPipeline:
    """Targets: the ground truth of a virtual web, else the topic's own `targets`. No strategy sees them."""

    def __init__(self, recall: TargetRecall | None) -> None:
        self._recall = recall

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawl_of(crawler).recall)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and self._recall is not None:
            item.is_target = self._recall.record(item.url)
        return item
