"""What the strategy has learnt in a crawl: given back to it as the crawl goes on, stored as it learns."""

from __future__ import annotations

from collections.abc import Callable

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.handover import Handover
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.frontier.partitioned.partition import host_number
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.safety.errors import CrawlError, UnusableMemory
from focused_crawler.safety.progress import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.pages import PageStore
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

    def __init__(
        self, analyst: Analyst, database: CrawlDatabase, pages: int, anew: Callable[[], Analyst]
    ) -> None:
        """Give the strategy back what it had learnt, when so many pages are recorded; raises CrawlError.

        `anew`: makes another analyst of the kind, which has learnt nothing.
        """
        self._memory = StrategyMemory(database, analyst.order.memory, pages)
        self.is_anew = False  # what an older version had written down was of no use
        self.pages = LearntPages(database)  # which knows how far they were read
        try:
            recall(analyst, self.pages, self._memory.recall())
        except UnusableMemory:
            if database.is_shared or not _learn_anew(analyst, database, anew):
                raise
            self.is_anew = True
            self.pages = LearntPages(database)

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


def learn_for_many(database: CrawlDatabase, analyst: Analyst, anew: Callable[[], Analyst]) -> bool:
    """Do for several workers, before they begin, what one process does as it goes on; tell whether it was.

    By the memory and one page: what is newer is of a newer version.
    """
    memory = StrategyMemory(database, analyst.order.memory, 0).recall()
    first = next(LearntPages(database).contents(), None)
    try:
        if memory is not None:
            analyst.order.remember(memory)
        if first is not None and analyst.order.teaches:
            analyst.order.learn_again(first[1])
    except UnusableMemory:
        return _learn_anew(analyst, database, anew, host_number)
    return False


def _learn_anew(
    analyst: Analyst,
    database: CrawlDatabase,
    anew: Callable[[], Analyst],
    number: Callable[[str], int] | None = None,
) -> bool:
    """Teach the strategy the recorded pages, as if a model had changed; tell whether it can be.

    A user's own is left to its user, who knows what it writes down; a crawl without texts has no pages.
    """
    other = anew()
    if other.order.strategy in other.config.link_scorers:
        return False
    frontier = SqlFrontier(database, other.config.rules(), number)
    try:
        handover = Handover(other, database, PageStore(database), frontier)
    except CrawlError:
        return False
    for _ in shown(handover.learning(), "pages learnt from", handover.pages, int):
        pass
    frontier.close()
    database.commit()
    analyst.order.become(other.order)
    return True
