"""How long the steps of a page take: sums, counts and histograms, for a microsecond a step."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from time import perf_counter
from typing import Self

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds that a histogram's buckets end with; what took longer has one of its own."""

STEPS = ("download", "parse", "partition", "score", "add", "record", "commit")
"""Steps in the order of a page's way; any further one is there when it is timed first."""


class Histogram:
    """Durations of one step.

    >>> histogram = Histogram()
    >>> for seconds in (0.0004, 0.001, 0.3):
    ...     histogram.observe(seconds)
    >>> histogram.cumulative()[:2], histogram.count
    ([(0.001, 2), (0.0025, 2)], 3)
    """

    __slots__ = ("_counts", "count", "seconds")

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.count = 0
        self.seconds = 0.0  # in all

    def observe(self, seconds: float) -> None:
        """Count one step that took so long."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.count += 1
        self.seconds += seconds

    def cumulative(self) -> list[tuple[float, int]]:
        """Return, for each bound and for infinity, how many steps took so long or less."""
        return list(zip((*BOUNDS, float("inf")), accumulate(self._counts), strict=True))


class Steps:
    """The durations of all steps in this process."""

    def __init__(self) -> None:
        self._histograms = defaultdict(Histogram, {step: Histogram() for step in STEPS})

    def timing(self, step: str) -> Timing:
        """Return a context that takes the time of what is done in it, also where that fails."""
        return Timing(self._histograms[step])

    def __iter__(self) -> Iterator[tuple[str, Histogram]]:
        return iter(self._histograms.items())


class Timing:
    """The time from its beginning to its end; many of a step may run at once."""

    __slots__ = ("_began", "_histogram")

    def __init__(self, histogram: Histogram) -> None:
        self._histogram = histogram
        self._began = 0.0

    def __enter__(self) -> Self:
        self._began = perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._histogram.observe(perf_counter() - self._began)
