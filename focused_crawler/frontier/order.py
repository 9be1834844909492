"""The order of URLs within a host: fewest tries, highest priority, then a fixed random number."""

from __future__ import annotations

import math
import random

Entry = tuple[int, float, int, int]
"""(tries, -priority, tie, key of the URL): the lowest leaves first."""

_MASK = 2**64 - 1


def clip(priority: float) -> float:
    """Return a priority held within [0, 1]; what is not a number counts as 0.

    >>> clip(1.5), clip(-1), clip(float("nan"))
    (1.0, 0.0, 0.0)
    """
    if 0.0 <= priority <= 1.0:
        return float(priority)
    return 0.0 if math.isnan(priority) or priority < 0 else 1.0


class TieBreaker:
    """Gives each URL its place among equals: random, the same in every run with one seed, blind to arrival.

    The numbers have 47 bits: SQLite stores them in 6 bytes, and among millions of equals none meet.
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self._flip, self._factor = rng.getrandbits(64), rng.getrandbits(64) | 1

    def __call__(self, key: int) -> int:
        return (((key ^ self._flip) * self._factor) & _MASK) >> 17
