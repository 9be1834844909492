"""New priorities for links that wait, as the strategy changes its mind: from the strategy to the frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.lessons import GIVEN_UP, LINKS, Lesson, packed
from focused_crawler.frontier.base import Frontier
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.learnt import LearntPages

PAGES_OF_OTHERS, BYTES_OF_OTHERS = 64, 256 * 1024
"""So many pages are looked through for those of others at once, or so much of theirs is learnt, some 30 ms of
either: where more is recorded between two of our transactions, the rest waits."""


class Rescoring:
    """Hands new priorities on after each page, in the transaction that records it.

    Where several processes share a crawl, each learns from the pages of all, and sends new priorities for its
    own hosts alone.
    """

    def __init__(
        self,
        analyst: Analyst,
        frontier: Frontier,
        urls: Callable[[Sequence[int]], Mapping[int, str]],
        first: Set[int] = frozenset(),
        *,
        is_shared: bool = False,
    ) -> None:
        """`urls`: returns the URLs of keys. `first`: keys of start pages, and of such as
        somebody ordered or a hub has raised, which stay as they are.

        `is_shared`: other processes crawl with this one.
        """
        self._is_shared = is_shared
        self.beside: list[Lesson] = []  # what the strategy learnt since the last page that was stored
        self._analyst, self._frontier, self._urls, self._first = analyst, frontier, urls, first

    @property
    def keeps_lessons(self) -> bool:
        """Tell whether what each page teaches is stored, for a next run or others, in place of a memory."""
        order = self._analyst.order
        return order.rescores or (self._is_shared and order.teaches)

    @property
    def rescores(self) -> bool:
        """Tell whether the strategy changes its mind about any links."""
        return self._analyst.order.rescores

    def after_page(self) -> None:
        """Do a part of what there is to do."""
        for keys, priorities in self._analyst.order.rescored():
            known = self._urls(keys)
            found = {
                known[key]: priority
                for key, priority in zip(keys, priorities, strict=True)
                if key in known and key not in self._first
            }
            if self._is_shared:
                found = {url: found[url] for url in found if not self._frontier.is_elsewhere(host_of(url))}
            scores = self._analyst.order.corrected(list(found), list(found.values()))
            self._frontier.reprioritise(
                {url: score for url, score in zip(found, scores, strict=True) if score is not None}
            )

    def give_up(self, url: str) -> None:
        """Let the strategy know that no page came of a URL."""
        key = url_key(url)
        if self._analyst.order.give_up(key):
            self.beside.append(Lesson(GIVEN_UP, key.to_bytes(8, signed=True)))

    def learn_links(self, learnt: bytes) -> None:
        """Let what the strategy has learnt of links of no new page be stored with the next one."""
        if learnt:
            self.beside.append(Lesson(LINKS, learnt))

    @property
    def has_links_beside(self) -> bool:
        """Tell whether the strategy has learnt of links since the last page, which is stored nowhere yet."""
        return any(lesson.kind != GIVEN_UP for lesson in self.beside)

    def lesson(self, page: bytes) -> bytes:
        """Return what a page taught as it is to be stored, with what was learnt since the last one."""
        beside, self.beside = self.beside, []
        return packed(beside, page)

    def learn_from_others(self, pages: LearntPages, run: int) -> None:
        """Learn from what other processes have recorded since the last time; `run`: ours."""
        if self._analyst.order.teaches:
            for learnt in pages.of_others(run, PAGES_OF_OTHERS, BYTES_OF_OTHERS):
                self._analyst.order.learn_elsewhere(learnt)
