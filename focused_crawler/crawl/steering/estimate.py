"""How many relevant pages are left to fetch, from what the crawl itself has seen: no ground truth.

Each URL that waits is given a chance to be a relevant page, and the chances are added up. They come from the
URLs that were asked for: which part of those with such a score gave a relevant page, and whether the host of
the URL gave more or fewer of them than its scores promised; or from the host alone, whatever the scores. As
the best are fetched first, rates fall while a crawl goes on: each of the two is worked out from all that was
asked for, and from the later half alone. The estimate is the geometric mean of the four, and its interval
spans them. A judge that calls too much relevant, or too little, is taken to do so in what is left, too.
docs/research/monitor.md has the errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from focused_crawler.crawl.judged import Interval

Floats = NDArray[np.float64]
Hosts = NDArray[np.int64]  # an index for each tally

WIDEST = 7
"""Log odds of a score beyond which it is as good as certain."""
EDGES = tuple(1 / (1 + exp(-odds)) for odds in range(1 - WIDEST, WIDEST))
"""Scores between two bands: they are one step of log odds apart, as scores crowd near 0 and 1."""
SMOOTHING = 2.0
"""A host is taken to have given so many relevant pages more, just as its scores promised."""
SLACK, ERRORS = 2.0, 2.0
"""The interval goes beyond lowest and highest by this factor, and by so many standard errors of a count."""
_PRIOR, _CERTAINTY = np.array([-2.0, 1.0]), np.diag([0.05, 1.0])
"""Of the curve's coefficients: a score of one half gives one page in eight, and odds follow the score's."""
_MOST_STEPS, _CLOSE = 50, 1e-6


class Tally(NamedTuple):
    """The URLs of one host in one band of scores."""

    host: int
    band: int  # 0 to len(EDGES)
    tried: int = 0  # gave a page, or failed for good
    relevant: int = 0  # gave a relevant page that is no copy
    late_tried: int = 0  # these two in the later half of the crawl
    late_relevant: int = 0
    pending: int = 0


class Estimate(NamedTuple):
    """So many relevant pages are left to fetch.

    At least `low` with those that nothing fetched links to; at the URLs that wait at most `high`.
    """

    low: float
    middle: float
    high: float


def band_of(score: float) -> int:
    """Return the band of a score in [0, 1].

    >>> band_of(0.0), band_of(0.49), band_of(0.51), band_of(1.0)
    (0, 6, 7, 13)
    """
    return bisect_right(EDGES, score)


def estimate(tallies: Sequence[Tally], relevant: Interval | None = None) -> Estimate | None:
    """Return how many relevant pages are left; None while nothing was asked for.

    `relevant`: how many of the pages fetched are, by what is known of their judge; None: as it says.
    """
    table = np.array(tallies, dtype=np.float64).reshape(-1, len(Tally._fields))
    if not table[:, 2].sum():
        return None
    hosts = np.unique(table[:, 0], return_inverse=True)[1]
    bands, pending = table[:, 1], table[:, 6]
    found = []
    for tried, called in ((table[:, 2], table[:, 3]), (table[:, 4], table[:, 5])):
        found.append(float(_by_score(hosts, bands, tried, called) @ pending))
        found.append(float(_by_host(hosts, tried, called) @ pending))
    said = max(float(table[:, 3].sum()), 1.0)
    middle, least, most = (said, said, said) if relevant is None else relevant
    low, high = min(found) / SLACK * least / said, max(found) * SLACK * most / said
    middle *= (exp(sum(log(number + 1) for number in found) / len(found)) - 1) / said
    return Estimate(max(0.0, low - ERRORS * sqrt(low)), middle, high + ERRORS * sqrt(high + 1))


def _by_score(hosts: Hosts, bands: Floats, tried: Floats, relevant: Floats) -> Floats:
    """Return each tally's chance by its band, times what its host gave for what its bands had promised."""
    chance = chances(bands, tried, relevant)
    came = np.bincount(hosts, weights=relevant)
    promised = np.bincount(hosts, weights=tried * chance)
    factor = (came + SMOOTHING) / (promised + SMOOTHING)
    return np.minimum(1.0, chance * factor[hosts])


def _by_host(hosts: Hosts, tried: Floats, relevant: Floats) -> Floats:
    """Return the share of its host's URLs that gave a relevant page, one more taken for a failure."""
    share: Floats = np.bincount(hosts, weights=relevant) / (np.bincount(hosts, weights=tried) + 1)
    return share[hosts]


def chances(bands: Floats, tried: Floats, relevant: Floats) -> Floats:
    """Return the chance of each band by a logistic curve over log odds that never falls (Newton's method).

    A step that would make the curve less likely is halved: else few bands send it to and fro.
    """
    inputs = np.column_stack([np.ones_like(bands), bands - len(EDGES) / 2])

    def likelihood(of: Floats) -> float:
        odds, off = inputs @ of, of - _PRIOR
        return float(relevant @ odds - tried @ np.logaddexp(0.0, odds) - off @ _CERTAINTY @ off / 2)

    coefficients = np.array([0.0, 0.5])
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-inputs @ coefficients))
        slope = inputs.T @ (relevant - tried * chance) - _CERTAINTY @ (coefficients - _PRIOR)
        curvature = (inputs * (tried * chance * (1 - chance))[:, None]).T @ inputs + _CERTAINTY
        step = np.linalg.solve(curvature, slope)
        before = likelihood(coefficients)
        while np.abs(step).max() >= _CLOSE and likelihood(coefficients + step) < before:
            step /= 2
        coefficients = coefficients + step
        if np.abs(step).max() < _CLOSE:
            break
    if coefficients[1] < 0:
        return np.full_like(bands, (relevant.sum() + 0.5) / (tried.sum() + 1))
    return np.asarray(1 / (1 + np.exp(-inputs @ coefficients)), dtype=np.float64)
