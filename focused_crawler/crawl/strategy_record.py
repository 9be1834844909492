"""What the strategy has learnt in a crawl: given back to it as the crawl goes on, stored as it learns."""

from __future__ import annotations

from collections.abc import Callable

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.rows import StrategyMemory


def recall(
    analyst: Analyst,
    pages: LearntPages,
    memory: bytes | None,
    after: Callable[[int | None], object] = lambda position: None,
) -> None:
    """Give the strategy back what it had learnt in a crawl; `memory`: as it was written last.

    `after` is called with the position of each page that it learns from again; first with None.
    """
    if memory is not None:
        analyst.order.remember(memory)
    after(None)
    if analyst.order.teaches:
        for position, learnt in pages.contents():
            analyst.order.learn_again(learnt)
            after(position)


class StrategyRecord:
    """Its memory, and the lines of pages that taught it something since that was written."""

    def __init__(self, analyst: Analyst, database: CrawlDatabase, pages: int) -> None:
        """Give the strategy back what it had learnt, when so many pages are recorded; raises CrawlError."""
        self.pages = LearntPages(database)
        self._memory = StrategyMemory(database, analyst.order.memory, pages)
        recall(analyst, self.pages, self._memory.recall())

    def save_if_due(self, rescoring: Rescoring, pages: int) -> None:
        """Write the memory if it is old, when so many pages are recorded; called with each commit."""
        if rescoring.keeps_lessons:
            self.pages.replace_if_many(pages, self._memory)
        else:
            self._memory.save_if_due(pages)

    def save(self, rescoring: Rescoring, pages: int) -> None:
        """Write the memory as a run ends, unless the lines hold all of it."""
        if not rescoring.keeps_lessons:
            self._memory.save(pages)
        elif rescoring.has_links_beside:
            self.pages.replace(pages, self._memory)
