"""The head of the frontier: URLs that are taken next, whose priorities there are those that they deserve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEAD = 1_024
"""So many URLs below those that were taken last belong to the head."""
LAST = 15
"""Pages that were taken last: the head begins at the median of their priorities."""

_BANDS = 512


class Head:
    """Knows down to which priority the head reaches: by the last priorities that were taken, and by how many
    URLs wait in each band of priorities.
    """

    def __init__(self) -> None:
        self.level = 0.0  # of its last place, when it was moved last
        self._taken: list[float] = []  # priorities of the last pages
        self._bands: NDArray[np.int64] = np.zeros(_BANDS, np.int64)  # URLs that wait, by their priorities

    def take(self, priority: float) -> None:
        """Take note of a page that was fetched, and of the priority that led to it."""
        self._taken = [*self._taken[1 - LAST :], priority]

    def change(self, before: NDArray[np.float32], now: NDArray[np.float32]) -> None:
        """Take note that URLs which wait have other priorities."""
        self._bands += _banded(now) - _banded(before)

    def drop(self, priorities: NDArray[np.float32]) -> None:
        """Take note that URLs with these wait no more."""
        self._bands -= _banded(priorities)

    def count(self, priorities: NDArray[np.float32]) -> None:
        """Take note that all that waits has these."""
        self._bands = _banded(priorities)

    def move(self) -> bool:
        """Find out how far down it reaches now; tell whether that is further than before."""
        before, self.level = self.level, self._reach()
        return self.level < before

    def _reach(self) -> float:
        if len(self._taken) < LAST:
            return 0.0
        top = int(sorted(self._taken)[LAST // 2] * (_BANDS - 1))
        further = np.cumsum(self._bands[top::-1])  # in each band and those above it, from the top down
        bands = int(np.searchsorted(further, HEAD))
        return max(top - bands, 0) / (_BANDS - 1)

    def content(self) -> dict[str, NDArray[Any]]:
        """Return all that there is, an array a name; `load` takes it back."""
        return {"head": np.array([self.level, *self._taken]), "bands": self._bands.copy()}

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Become what `content` said."""
        self.level, *self._taken = arrays["head"].tolist()
        self._bands = np.array(arrays["bands"], np.int64).reshape(_BANDS)


def _banded(priorities: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return how many URLs the frontier has by the priorities that it has them by; 0: it has none."""
    return np.bincount((priorities[priorities > 0] * (_BANDS - 1)).astype(np.int16), minlength=_BANDS)
