"""How a worker of several records pages: in turns, when others may have recorded the same. Plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused_crawler.crawl.page_recorder import PageRecorder, mark_copy
from focused_crawler.fleet.worker import WorkerNotes
from focused_crawler.frontier.base import Candidate
from focused_crawler.store.item import PageItem

if TYPE_CHECKING:
    from focused_crawler.crawl.crawl import Crawl


class SharedPageRecorder(PageRecorder):
    """Gathers what it is given; `open_turn` and `after_turn` are for who begins and ends a turn."""

    def __init__(self, crawl: Crawl, notes: WorkerNotes) -> None:
        """`notes`: where it counts what this worker has recorded."""
        super().__init__(crawl)
        self._notes = notes
        self._coming: list[PageItem] = []  # to be recorded in the next turn
        self._too_late: list[Candidate] = []  # came when the budget was spent: a larger one may bring it back

    def record(self, item: PageItem) -> None:
        self._coming.append(item)
        super().record(item)

    def open_turn(self) -> None:
        """See what the others have recorded, as far as pages of this turn are concerned."""
        store = self._crawl.store
        store.refresh()
        store.prefetch([item.url for item in self._coming], [item.checksum or "" for item in self._coming])
        self._coming.clear()

    def after_turn(self) -> None:
        """Queue once more what came too late."""
        if self._too_late:
            self._crawl.frontier.again(self._too_late)
            self._too_late.clear()

    def _keep_page(self, item: PageItem) -> bool:
        crawl = self._crawl
        if crawl.plan.budget.spent(crawl.store.counters["pages"], 0, 0.0) is not None:
            for url in dict.fromkeys((item.requested_url, item.url)):
                self._too_late.append(Candidate(url, item.relevance, item.depth, item.parent))
            return False
        copy = crawl.steering.same_text(item.url, item.checksum or "") if item.duplicate_of is None else None
        if copy is not None:  # recorded since the page was compared
            mark_copy(item, copy)
        is_new = super()._keep_page(item)
        self._notes.pages += is_new
        return is_new

    def _keep_failure(self, url: str, reason: str) -> None:
        self._notes.failures += 1
        super()._keep_failure(url, reason)
