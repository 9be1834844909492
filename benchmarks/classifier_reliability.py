"""Do relevances come true? Judged pages by what was said of them, beside what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import expected_calibration_error

EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
HIGH = 0.2
"""Nearly all pages of a web are judged below: by their number they hide the others in a calibration error."""


class Bin(NamedTuple):
    """Pages of about the same relevance."""

    low: float
    high: float
    pages: int
    said: float  # sum of relevances
    true: int  # relevant pages


class Reliability(NamedTuple):
    """What was said of a topic's pages, and what came true."""

    bins: Sequence[Bin]
    high_error: float  # expected calibration error of the pages from `HIGH` on; NaN if there is none

    @classmethod
    def of(cls, relevances: NDArray[np.float64], truth: NDArray[np.bool_]) -> Self:
        """Compare probabilities with the truth."""
        is_high = relevances >= HIGH
        error = float("nan")
        if is_high.any():
            error = expected_calibration_error(relevances[is_high], truth[is_high])
        return cls(list(_bins(relevances, truth)), error)


def pooled(parts: Sequence[Reliability]) -> list[Bin]:
    """Return the bins of several topics' pages together."""
    return [
        Bin(
            *same[0][:2],
            sum(one.pages for one in same),
            sum(one.said for one in same),
            sum(one.true for one in same),
        )
        for same in zip(*(part.bins for part in parts), strict=True)
    ]


def _bins(relevances: NDArray[np.float64], truth: NDArray[np.bool_]) -> Iterator[Bin]:
    number = np.digitize(relevances, EDGES[1:-1])
    for place, (low, high) in enumerate(pairwise(EDGES)):
        here = number == place
        yield Bin(low, high, int(here.sum()), float(relevances[here].sum()), int(truth[here].sum()))
