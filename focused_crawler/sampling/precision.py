"""Precision and its 95 % interval, from how many of the drawn pages were judged relevant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z = 1.959963984540054
"""Quantile of the normal distribution: 2.5 % lie above it."""

_ROUNDS = 50
_CLOSE = 1e-10


class Count(NamedTuple):
    """What was judged of a stratum."""

    relevant: int
    judged: int  # as relevant or not: undecided pages are in neither
    pages: int  # of the crawl

    @property
    def share(self) -> float:
        return self.relevant / self.judged


class Estimate(NamedTuple):
    """A share of the crawl's pages, and between which the true one lies in 95 of 100 samples."""

    value: float
    low: float
    high: float


def precision(strata: Sequence[Count]) -> Estimate:
    """Return the share of relevant pages in a crawl of which each stratum was judged in part, each 1 or more.

    One stratum: Wilson's score interval. Several: each stratum's share weighs as many pages as it has in the
    crawl, and so do the ends of the strata's Wilson intervals, at a quantile that makes the whole a 95 %
    interval (Yan and Su 2010). Both with the correction for a finite population: the crawl's pages are
    counted, and when all are judged nothing is left uncertain.

    >>> [round(part, 3) for part in precision([Count(83, 100, 10**9)])]
    [0.83, 0.745, 0.891]
    >>> precision([Count(9, 10, 10)])
    Estimate(value=0.9, low=0.9, high=0.9)
    """
    total = sum(stratum.pages for stratum in strata)
    weights = [stratum.pages / total for stratum in strata]
    z = _quantile(strata, weights)
    ends = [_wilson(stratum, z) for stratum in strata]
    value = math.fsum(weight * stratum.share for weight, stratum in zip(weights, strata, strict=True))
    low = math.fsum(weight * end[0] for weight, end in zip(weights, ends, strict=True))
    high = math.fsum(weight * end[1] for weight, end in zip(weights, ends, strict=True))
    return Estimate(value, min(low, value), max(high, value))


def _quantile(strata: Sequence[Count], weights: Sequence[float]) -> float:
    """Return z for each stratum: Yan and Su's, by the variance of Wilson's interval at that very z."""
    z = Z
    for _ in range(_ROUNDS):
        spreads = [weight * _spread(stratum, z) for weight, stratum in zip(weights, strata, strict=True)]
        if not any(spreads):
            return Z
        before, z = z, Z * math.hypot(*spreads) / math.fsum(spreads)
        if abs(z - before) < _CLOSE:
            break
    return z


def _wilson(stratum: Count, z: float) -> tuple[float, float]:
    noise = z * z * _per_draw(stratum)
    middle = (stratum.share + noise / 2) / (1 + noise)
    half = z * _spread(stratum, z)
    return middle - half, middle + half


def _spread(stratum: Count, z: float) -> float:
    """Return the standard error as Wilson's interval has it: above 0 even where all judgements agree."""
    share, per_draw = stratum.share, _per_draw(stratum)
    noise = z * z * per_draw
    return math.sqrt(share * (1 - share) * per_draw + (z * per_draw) ** 2 / 4) / (1 + noise)


def _per_draw(stratum: Count) -> float:
    """Return 1 / n, times the correction for a finite population: 0 where every page was judged."""
    if stratum.judged >= stratum.pages:
        return 0.0
    return (stratum.pages - stratum.judged) / (stratum.pages - 1) / stratum.judged
