"""Prefetched URLs: as few as will do, since what is better may be found at any time."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from focused_crawler.frontier.base import Lease

FRESH_SECONDS = 0.02
"""A lease that waited longer before the crawl took it was taken too early: one less will do."""

STALE_SECONDS = 5.0
"""A lease that waits for so long is given back: others may want it, and its host, more than we do."""


class _Prefetched(NamedTuple):
    tries: int
    minus_priority: float
    number: int
    lease: Lease
    since: float


class Buffer:
    """Leases, best first. Times are of a clock that only grows.

    How many it asks for doubles when the crawl finds it empty, and shrinks by one when one had to wait in it.
    """

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._wanted = 1
        self._leases: list[_Prefetched] = []
        self._numbers = count()
        self._was_filled = False  # the last filling brought all that was asked for: there is more
        self._is_asked = False  # somebody wants leases at all

    def __len__(self) -> int:
        return len(self._leases)

    @property
    def urls(self) -> list[str]:
        """Return what is in it."""
        return [prefetched.lease.url for prefetched in self._leases]

    @property
    def room(self) -> int:
        """Return how many are to be prefetched now; 0 while more than half is there."""
        missing = self._wanted - len(self._leases)
        return missing if self._is_asked and 2 * missing >= self._wanted else 0

    def fill(self, leases: Iterable[Lease], now: float, *, is_all: bool) -> None:
        """Put leases in; `is_all`: they are as many as were asked for."""
        self._was_filled = is_all
        for lease in leases:
            insort(self._leases, _Prefetched(lease.tries, -lease.priority, next(self._numbers), lease, now))

    def pop(self, now: float) -> Lease | None:
        """Take the best one out."""
        self._is_asked = True
        if not self._leases:
            if self._was_filled:
                self._wanted, self._was_filled = min(self._most, 2 * self._wanted), False
            return None
        prefetched = self._leases.pop(0)
        if now - prefetched.since > FRESH_SECONDS:
            self._wanted = max(1, self._wanted - 1)
        return prefetched.lease

    def stale_at(self) -> float | None:
        """Return when the oldest lease will have waited too long; None when there is none."""
        since = min((prefetched.since for prefetched in self._leases), default=None)
        return None if since is None else since + STALE_SECONDS

    def drop_stale(self, now: float) -> list[str]:
        """Take out what has waited too long; then nothing more is prefetched until the crawl asks."""
        stale = [prefetched for prefetched in self._leases if now - prefetched.since >= STALE_SECONDS]
        if stale:
            self._is_asked = False
            self._leases = [
                prefetched for prefetched in self._leases if now - prefetched.since < STALE_SECONDS
            ]
        return [prefetched.lease.url for prefetched in stale]

    def clear(self) -> list[str]:
        """Take all out."""
        urls, self._leases = self.urls, []
        return urls
