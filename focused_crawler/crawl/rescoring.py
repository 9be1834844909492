"""New priorities for links that wait, as the strategy changes its mind: from the strategy to the frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.frontier.base import Frontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages


def recall(
    analyst: Analyst,
    database: CrawlDatabase,
    memory: bytes | None,
    after: Callable[[int | None], object] = lambda position: None,
) -> None:
    """Give the strategy back what it had learnt in a crawl; `memory`: as it was written last.

    `after` is called with the position of each page that it learns from again; first with None.
    """
    if memory is not None:
        analyst.order.remember(memory)
    after(None)
    if analyst.order.rescores:
        for position, learnt in LearntPages(database).contents():
            analyst.order.learn_again(learnt)
            after(position)


class Rescoring:
    """Hands new priorities on after each page, in the transaction that records it."""

    def __init__(
        self,
        analyst: Analyst,
        frontier: Frontier,
        urls: Callable[[Sequence[int]], Mapping[int, str]],
        starts: frozenset[int] = frozenset(),
    ) -> None:
        """`urls`: returns the URLs of keys. `starts`: keys of start pages, which stay as they are."""
        self._analyst, self._frontier, self._urls, self._starts = analyst, frontier, urls, starts

    def after_page(self) -> None:
        """Do a part of what there is to do."""
        for keys, priorities in self._analyst.order.rescored():
            known = self._urls(keys)
            found = {
                known[key]: priority
                for key, priority in zip(keys, priorities, strict=True)
                if key in known and key not in self._starts
            }
            scores = self._analyst.order.corrected(list(found), list(found.values()))
            self._frontier.reprioritise(
                {url: score for url, score in zip(found, scores, strict=True) if score is not None}
            )
