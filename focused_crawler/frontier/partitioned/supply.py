"""The one order of all workers: each publishes where its best URLs stand, and takes none too far down.

One process has the best in flight that there are at that moment. So have workers together, if each gives out
only what stands among as many of all of theirs as they can have in flight; what is in flight counts.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from focused_crawler.frontier.order import Entry

MOST = 256
"""Positions that a worker publishes at most."""
SPREAD = 1.5
"""So many times as many as can be in flight count as the best.

Hosts have no equal shares of the best: at 1, four workers with four slots each would leave a sixth of these
empty; so a twentieth.
"""


def place_of(entry: Entry) -> float:
    """Return where a URL stands: the lower, the earlier.

    >>> place_of((0, -0.8, 5, 1)) < place_of((0, -0.7, 5, 1)) < place_of((1, -1.0, 5, 1))
    True
    """
    return 2 * entry[0] + entry[1]


@dataclass(slots=True)
class Supply:
    """A worker's part in the order."""

    slots: int = 0  # URLs that it may have in flight
    hosts: int = 0
    waiting_hosts: int = 0
    bands: list[int] = field(default_factory=list)  # pending URLs by equal bands of priority
    places: list[float] = field(default_factory=list)  # of those in flight, and of the best that could be

    def packed(self) -> str:
        """Return it as it is published."""
        places = [round(place, 4) for place in self.places[:MOST]]
        return json.dumps([self.slots, self.hosts, self.waiting_hosts, self.bands, places])

    @classmethod
    def read(cls, packed: str) -> Self:
        """Return what was published; nothing before the first time."""
        return cls(*json.loads(packed)) if packed else cls()


class Ranking:
    """How many URLs of other workers stand before one of ours."""

    def __init__(self, others: Iterable[Supply]) -> None:
        supplies = list(others)
        self.slots = sum(supply.slots for supply in supplies)
        self._places = sorted(place for supply in supplies for place in supply.places)

    def admits(self, place: float, ours: Sequence[float], slots: int) -> bool:
        """Tell whether a URL is among the best of all; `ours`: what is in flight here, of `slots`."""
        if not self._places:
            return True
        better = bisect_left(self._places, place) + sum(other < place for other in ours)
        return better < SPREAD * (self.slots + slots)
