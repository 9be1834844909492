"""How R is spread over the pages of a crawl: the paper's Figure 7, with bins for both ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.robustness_crawls import Trip
from benchmarks.robustness_overlap import Floats

BINS = (("0", 0.001), (".001", 0.1), (".1", 0.9), (".9", 0.999), (".999", 1.0), ("1", np.inf))
"""Where a bin begins, as it is written, and the R that is not in it any more."""


def spread(trips: Sequence[Trip]) -> Floats:
    """Return the share of the first |T| pages in each bin, as the mean over crawls.

    A page of R = 1 to the last bit is in the last bin. Later pages are what is left when a topic is found.
    """
    ends = [end for _, end in BINS[:-1]]
    firsts = [trip.relevance[: trip.targets] for trip in trips]
    counts = [
        np.bincount(np.searchsorted(ends, first, "right"), minlength=len(BINS)) / len(first)
        for first in firsts
    ]
    mean: Floats = np.mean(counts, axis=0)
    return mean
