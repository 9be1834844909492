"""Curves of an experiment: how far strategies and bounds have come after so many pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np

from focused_crawler.experiment.measures import Best, Floats, RunTable, Setting
from focused_crawler.experiment.statistics import Band, Resampling
from focused_crawler.virtualweb.bounds import Counts

POINTS = 60
_FURTHEST = 2.0  # times |T|

# What is made of R(n), of n counted in pages really fetched, and of |T|.
Quantity = Callable[[Counts, Counts, int], Floats]


def harvest(relevant: Counts, fetched: Counts, _targets: int) -> Floats:
    """Harvest rate after n pages."""
    return np.asarray(relevant / np.maximum(fetched, 1))


def recall(relevant: Counts, _fetched: Counts, targets: int) -> Floats:
    """Target recall after n pages."""
    return np.asarray(relevant / targets)


class Scale(NamedTuple):
    """The axis of pages. Budgets and topics differ in size, so n is given as a share of one of them."""

    label: str
    points: Floats  # shares
    in_targets: bool  # of |T|; else of the budget

    def pages(self, targets: int, budget: int) -> Counts:
        """Return n at each point, 1..budget."""
        whole = targets if self.in_targets else budget
        return np.clip(np.rint(self.points * whole).astype(np.int64), 1, budget)


def scale_of(table: RunTable, settings: Sequence[Setting]) -> Scale:
    """Return shares of |T|, to 2 or as far as all budgets reach; where one ends before |T|, of the budget."""
    reach = min(_budget(table, setting) / table.bounds[setting].targets for setting in settings)
    in_targets = reach >= 1
    furthest = min(_FURTHEST, reach) if in_targets else 1.0
    label = "pages fetched / |T|" if in_targets else "pages fetched / budget"
    return Scale(label, np.linspace(0, furthest, POINTS + 1)[1:], in_targets)


class MeanCurves:
    """Curves of a table of runs over some of its settings (all, or those of a topic)."""

    def __init__(self, table: RunTable, settings: Sequence[Setting], scale: Scale | None = None) -> None:
        self.table = table
        self.settings = settings
        self.scale = scale or scale_of(table, settings)
        self._resampling = Resampling.of(settings)

    def of_strategy(self, strategy: str, quantity: Quantity) -> Band:
        """Return the mean curve of a strategy over topics."""
        return self._resampling.band(np.array([self._run(strategy, s, quantity) for s in self.settings]))

    def of_bound(self, bound: Best, quantity: Quantity) -> Floats:
        """Return the mean curve of a bound over topics."""
        curves = np.array([self._bound(setting, bound, quantity) for setting in self.settings])
        return np.asarray(self._resampling.mean @ curves)

    def after_first_targets(self) -> Self:
        """Return the same from where something can be found in every setting; it may have no point left."""
        uppers = [self.table.bounds[setting].upper[self._pages(setting)] for setting in self.settings]
        later = self.scale.points[np.all(np.array(uppers) > 0, axis=0)]
        return type(self)(self.table, self.settings, self.scale._replace(points=later))

    def share_of_upper(self, strategy: str) -> Band:
        """Return the mean of R(n) over the upper bound at n, which must not be 0 anywhere."""
        rows = []
        for setting in self.settings:
            pages = self._pages(setting)
            best = self.table.bounds[setting].upper[pages]
            rows.append(self._relevant(strategy, setting)[pages] / best)
        return self._resampling.band(np.array(rows))

    def _run(self, strategy: str, setting: Setting, quantity: Quantity) -> Floats:
        pages = self._pages(setting)
        fetched = np.minimum(pages, len(self.table.run(strategy, setting).hits))
        return quantity(self._relevant(strategy, setting)[pages], fetched, self._targets(setting))

    def _bound(self, setting: Setting, bound: Best, quantity: Quantity) -> Floats:
        pages = self._pages(setting)
        counts: Counts = getattr(self.table.bounds[setting], bound)
        return quantity(counts[pages], pages, self._targets(setting))

    def _relevant(self, strategy: str, setting: Setting) -> Counts:
        return self.table.run(strategy, setting).relevant(_budget(self.table, setting))

    def _targets(self, setting: Setting) -> int:
        return self.table.bounds[setting].targets

    def _pages(self, setting: Setting) -> Counts:
        return self.scale.pages(self._targets(setting), _budget(self.table, setting))


def _budget(table: RunTable, setting: Setting) -> int:
    return len(table.bounds[setting].upper) - 1
