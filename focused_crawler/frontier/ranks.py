"""Where a priority stands among all that is pending, told by counts in bands: no URL is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

BANDS = 512


class Ranks:
    """How many URLs are pending in each of `BANDS` equal bands of priority."""

    def __init__(self) -> None:
        self._bands = [0] * BANDS

    def count(self, priority: float, more: int = 1) -> None:
        """Take note that so many more URLs of a priority are pending, or so many less."""
        self._bands[band_of(priority)] += more

    def load(self, bands: Iterable[tuple[int, int]]) -> None:
        """Take over (band, URLs) from a backend."""
        for band, urls in bands:
            self._bands[min(band, BANDS - 1)] += urls

    def shares(self, bands: int) -> list[int]:
        """Return how many URLs are pending in each of so many equal bands, lowest first.

        What lies less than 1/512 below the edge of one counts for it.
        """
        shares = [0] * bands
        for band, urls in enumerate(self._bands):
            shares[((band + 1) * bands - 1) // BANDS] += urls
        return shares

    def ahead(self) -> list[int]:
        """Return, for each band, how many URLs are pending in higher ones."""
        return [*accumulate(self._bands[:0:-1], initial=0)][::-1]


def band_of(priority: float) -> int:
    """Return the band of a priority in [0, 1].

    >>> band_of(0.0), band_of(1.0)
    (0, 511)
    """
    return min(int(priority * BANDS), BANDS - 1)
