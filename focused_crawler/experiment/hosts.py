"""Which hosts with relevant pages a run found: who builds a collection wants sites as well as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.virtualweb.bounds import Counts
from focused_crawler.virtualweb.truth import host_of

NEVER = np.iinfo(np.int64).max
_host_of = cache(host_of)  # each page is fetched in many runs


class HostsFound(NamedTuple):
    """The hosts with relevant pages, and when a run found each."""

    targets: Counts  # relevant pages of each host, by the ground truth
    found: Counts  # after how many pages the first relevant one of the host was fetched; `NEVER`

    @classmethod
    def of(cls, targets: Mapping[str, int], urls: Sequence[str], hits: NDArray[np.bool_]) -> Self:
        """Look at pages in the order fetched; `hits`: whether each is relevant."""
        found = dict.fromkeys(targets, NEVER)
        for position in np.flatnonzero(hits)[::-1].tolist():
            found[_host_of(urls[position])] = position + 1
        return cls(np.array([*targets.values()], np.int64), np.array([*found.values()], np.int64))

    def share(self, least: int, pages: int) -> float:
        """Return the share of the hosts with at least so many relevant pages found by then.

        Not a number where no host has as many.
        """
        found = self.found[self.targets >= least]
        return float((found <= pages).mean()) if len(found) else float("nan")


NO_HOSTS = HostsFound(np.zeros(0, np.int64), np.zeros(0, np.int64))
