"""How a crawl went, page by page: curves for plots, and the area that sums a crawl up in one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 500


class Curve(NamedTuple):
    """A value after so many pages; `pages` rises strictly and ends with the last page."""

    pages: tuple[int, ...] = ()
    values: tuple[float, ...] = ()


def harvest_curve(relevant: Sequence[bool], max_points: int = MAX_POINTS) -> Curve:
    """Return the harvest rate after each page, thinned to `max_points`; pages in the order of fetching."""
    chosen = _thin(len(relevant), max_points)
    return _curve(chosen, _running_total(relevant)[chosen - 1] / chosen)


def recall_curve(hits: Sequence[bool], targets: int, max_points: int = MAX_POINTS) -> Curve:
    """Return target recall after each page; a hit is a page that is a target met for the first time."""
    chosen = _thin(len(hits), max_points)
    return _curve(chosen, _running_total(hits)[chosen - 1] / targets)


def moving_average(values: Sequence[float], window: int, max_points: int = MAX_POINTS) -> Curve:
    """Return the mean of the last `window` values (of all, while there are fewer) after each page."""
    chosen = _thin(len(values), max_points)
    sums = np.concatenate(([0.0], np.cumsum(np.asarray(values, dtype=float))))
    start = np.maximum(chosen - window, 0)
    return _curve(chosen, (sums[chosen] - sums[start]) / np.maximum(chosen - start, 1))


def area_under_relevant(relevant: Sequence[bool], budget: int | None = None) -> int:
    """Return R(1) + R(2) + ... + R(budget), R(n) = relevant pages among the first n (formulas: bounds).

    Pages past the budget do not count; a crawl that ended earlier keeps its last R to the budget.
    Budget: by default the number of pages.

    >>> area_under_relevant([True, False, True]), area_under_relevant([True, False, True], budget=5)
    (4, 8)
    """
    budget = len(relevant) if budget is None else budget
    total = _running_total(relevant[:budget])
    return int(total.sum()) + (budget - len(total)) * int(total[-1] if len(total) else 0)


def _running_total(outcomes: Sequence[bool]) -> NDArray[np.int64]:
    return np.cumsum(np.asarray(outcomes, dtype=np.int64))


def _thin(length: int, max_points: int) -> NDArray[np.int64]:
    """Choose at most `max_points` of 1..length, evenly, the first and the last among them."""
    return np.unique(np.linspace(1, length, min(length, max_points)).round().astype(np.int64))


def _curve(pages: NDArray[np.int64], values: NDArray[np.float64]) -> Curve:
    return Curve(tuple(pages.tolist()), tuple(values.tolist()))
