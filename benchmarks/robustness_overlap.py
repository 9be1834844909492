"""What two crawls share, page by page and host by host, and what chance alone would have them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two crawls share after 1, 2, ... fetches of each: pages, or hosts."""

    shared: Numbers
    first: Numbers  # distinct ones of the first crawl
    second: Numbers

    @classmethod
    def of(cls, first: Numbers, second: Numbers) -> Self:
        """Compare what two crawls met, one a fetch, up to the end of the shorter one."""
        length = min(len(first), len(second))
        kinds = int(max(first.max(initial=-1), second.max(initial=-1))) + 1
        met = [_first_met(items[:length], kinds) for items in (first, second)]
        return cls(*(_so_far(when, length) for when in (np.maximum(*met), *met)))

    @property
    def of_first(self) -> Floats:
        """|U1 & U2| / |U1|."""
        return self.shared / self.first

    @property
    def of_second(self) -> Floats:
        """|U1 & U2| / |U2|."""
        return self.shared / self.second

    @property
    def mean(self) -> Floats:
        """Mean of both shares; of pages they are equal."""
        return (self.of_first + self.of_second) / 2


def _first_met(items: Numbers, kinds: int) -> Numbers:
    """Return for each kind the number of the fetch that met it first; that past the last if none did."""
    when = np.full(kinds, len(items), dtype=np.int64)
    np.minimum.at(when, items, np.arange(len(items)))
    return when


def _so_far(when: Numbers, length: int) -> Numbers:
    return np.cumsum(np.bincount(when, minlength=length + 1)[:length])


def chance_of_pages(pages: int, length: int) -> Floats:
    """Return what two random sets of 1, 2, ... of so many pages share in the mean, as a share of either."""
    return np.arange(1, length + 1) / pages


def chance_of_hosts(sizes: Numbers, length: int) -> Floats:
    """Return the same for the hosts of such random sets: the expected share, as a ratio of expectations.

    `sizes`: pages of each host. A host is missed by t pages of N with probability C(N - n, t) / C(N, t).
    """
    pages, drawn = int(sizes.sum()), np.arange(1, length + 1)[:, np.newaxis]
    rest = pages - sizes[np.newaxis, :]
    with np.errstate(invalid="ignore"):
        logs = _log_choose(rest, drawn) - _log_choose(np.array(pages), drawn)
    met = 1 - np.where(drawn <= rest, np.exp(logs), 0.0)
    share: Floats = (met**2).sum(axis=1) / met.sum(axis=1)
    return share


def _log_choose(of: NDArray[np.integer], drawn: NDArray[np.integer]) -> Floats:
    left = np.maximum(of - drawn, 0)
    logs: Floats = gammaln(of + 1.0) - gammaln(drawn + 1.0) - gammaln(left + 1.0)
    return logs
