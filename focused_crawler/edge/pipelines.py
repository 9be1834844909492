"""Item pipelines, in their order: is a page a copy, is it a target, count it, record it.

They are thin: each calls one method of the page's visit or of its crawl.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

from scrapy.pipelines import ItemPipelineManager

from focused_crawler.crawl.visit import Visit
from focused_crawler.edge.extensions.component import CrawlComponent, session_of
from focused_crawler.edge.extensions.session import LateItem
from focused_crawler.store.item import PageItem


class PagePipelines(ItemPipelineManager):
    """Scrapy's, that ends the visit of a page whose item a user's pipeline gives back as something else."""

    async def process_item_async(self, item: Any) -> Any:
        output = await super().process_item_async(item)
        if isinstance(item, PageItem) and not isinstance(output, PageItem):
            assert self.crawler is not None
            session_of(self.crawler).item_replaced(item, type(output).__name__)
        return output


class PagePipeline(CrawlComponent):
    """Handles the pages among the items; a user's own items pass."""

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            self.handle(self._session.visit_of(item), item)
        return item

    @abstractmethod
    def handle(self, visit: Visit, item: PageItem) -> None:
        """Do this pipeline's step for a page."""


class DuplicateContentPipeline(PagePipeline):
    """Sets `duplicate_of` and `likeness`: a copy of an earlier page is no further relevant one.

    Right before the page is recorded, so that no copy is missed. A page that is recorded already, since its
    lease had expired, goes no further.
    """

    def handle(self, visit: Visit, item: PageItem) -> None:
        is_late = False
        with self._session.keeping():
            is_late = visit.is_late(item)
        if is_late:
            self._session.count_late(item.url)
            raise LateItem
        with self._session.keeping():
            visit.compare(item)
        if item.duplicate_of is not None:
            kind = "near_duplicates" if (item.likeness or 0.0) < 1 else "duplicates"
            self._stats.inc_value(f"focused/{kind}")


class TargetRecallPipeline(PagePipeline):
    """Says which pages are targets, for target recall (Lu et al. 2016).

    Targets: the ground truth of a virtual web, else the topic's own `targets`. No strategy sees them.
    """

    def handle(self, visit: Visit, item: PageItem) -> None:
        self._crawl.judge_target(visit, item)


class HarvestRatePipeline(PagePipeline):
    """Counts relevant pages: in all, and over the last 100 and 1,000.

    Judges by the ground truth where there is one, else by the crawler's own classifier.
    """

    def handle(self, visit: Visit, item: PageItem) -> None:
        if self._crawl.count(visit, item):
            self._stats.inc_value("focused/run/pages")
            self._stats.inc_value("focused/run/relevant", self._crawl.is_hit(item))


class CrawlDatabasePipeline(PagePipeline):
    """Records a page and ends its visit, in one transaction. The last pipeline: after it a page is safe."""

    def handle(self, visit: Visit, item: PageItem) -> None:
        with self._session.keeping(), self._crawl.steps.timing("record"):
            self._crawl.record(visit, item, time.time())
        if item.is_relevant:
            self._stats.set_value("focused/last_relevant_title", item.title)
