"""Policies that choose which link comes next, by chance or by what all that wait are like."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.online import REST, OnlineStrategy
from focused_crawler.link_scoring.rescoring import PENDING, Rescored
from focused_crawler.link_scoring.strategy import StrategyOptions

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

NEXT, STEP = 0.95, 0.001
"""Priority of the link that was chosen, and by how much that of each further choice is less."""

CHOICES = 8
"""Links that are chosen at a time, each in case that those before it cannot be fetched."""


class ChoosingStrategy(OnlineStrategy):
    """Chooses which links come next, anew after each page; the others come below, by their priorities.

    What was passed over by the crawl is not chosen again: most likely it cannot be fetched.
    """

    def __init__(self, model: TopicModel, options: StrategyOptions, **columns: NDArray[Any]) -> None:
        super().__init__(model, options, passed=np.empty(0, np.uint8), **columns)
        self._chosen: list[int] = []  # rows, the first one first

    @abstractmethod
    def _choose(self, waiting: Rows, chance: np.random.Generator) -> int:
        """Return which of the rows of links that wait is fetched next."""

    def _choices(self, waiting: Rows, chance: np.random.Generator) -> list[int]:
        """Return which ones are, each if those before it cannot be."""
        rows: list[int] = []
        while len(waiting) and len(rows) < CHOICES:
            rows.append(self._choose(waiting, chance))
            waiting = waiting[waiting != rows[-1]]
        return rows

    def _take(self, row: int) -> None:
        priority = self.seen["priority"][row]
        super()._take(row)
        if row in self._chosen:
            self.seen["passed"][self._chosen[: self._chosen.index(row)]] = True
        elif 0 < priority <= REST:
            self.seen["passed"][self._chosen] = True

    def rescored(self) -> Iterator[Rescored]:
        """Yield new priorities of others, as ever, and those of the links that were chosen now and before."""
        seen = self.seen
        before = [row for row in self._chosen if seen["state"][row] == PENDING]
        for keys, priorities in super().rescored():
            if (others := ~np.isin(keys, seen["key"][before])).any():
                yield Rescored(keys[others], priorities[others])
        size = len(seen)
        is_open = (
            (seen["state"][:size] == PENDING) & (seen["holder"][:size] > 0) & (seen["passed"][:size] == 0)
        )
        waiting = np.flatnonzero(is_open).astype(np.int32)
        chance = np.random.default_rng([self._options.random_seed, self._pages])
        self._chosen = self._choices(waiting, chance) if len(waiting) else []
        no_more = [row for row in before if row not in self._chosen]
        rows = np.array([*self._chosen, *no_more], np.int32)
        if len(rows):
            new = seen["deserved"][rows].astype(np.float64)
            new[: len(self._chosen)] = NEXT - STEP * np.arange(len(self._chosen))
            seen["priority"][rows] = new
            yield Rescored(seen["key"][rows], new)

    def _content(self) -> dict[str, NDArray[Any]]:
        return {**super()._content(), "chosen": np.array(self._chosen, np.int64)}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._chosen = arrays["chosen"].tolist()
