"""The order of URLs within a host: fewest tries, highest priority, a fixed random number; and offers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import TypeVar

from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import url_key
from focused_crawler.store.values import storable

Entry = tuple[int, float, int, int]
"""(tries, -priority, tie, key of the URL): the lowest leaves first."""

Standing = tuple[int, float]
"""(tries, -priority): what is worth a wait of others is told by it."""

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
    """Gives each URL its tie-breaker: random, the same in every run with one seed, blind to arrival.

    The numbers have 47 bits: SQLite stores them in 6 bytes, and among millions of equals none meet.
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self._flip, self._factor = rng.getrandbits(64), rng.getrandbits(64) | 1

    def __call__(self, key: int) -> int:
        return (((key ^ self._flip) * self._factor) & _MASK) >> 17


BANDS = 512


class Ranks:
    """How many URLs are pending in each of `BANDS` equal bands of priority."""

    def __init__(self) -> None:
        self._bands = [0] * BANDS
        self._ahead: list[int] = []  # of each band, URLs in higher ones; empty: they have changed since

    def count(self, *priorities: float, more: int = 1) -> None:
        """Record that so many more URLs of each of these priorities are pending, or so many less."""
        for priority in priorities:
            self._bands[band_of(priority)] += more
        self._ahead = []

    def load(self, bands: Iterable[tuple[int, int]], *, anew: bool = False) -> None:
        """Take over (band, URLs) from a backend, in addition, or in the place of what there was."""
        if anew:
            self._bands = [0] * BANDS
        self._ahead = []
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

    def rank(self, priority: float) -> int:
        """Return the rank of a URL: 1 and how many are pending in higher bands."""
        if not self._ahead:
            self._ahead = [*accumulate(self._bands[:0:-1], initial=1)][::-1]
        return self._ahead[band_of(priority)]


def band_of(priority: float) -> int:
    """Return the band of a priority in [0, 1].

    >>> band_of(0.0), band_of(1.0)
    (0, 511)
    """
    return int(priority * BANDS) if priority < 1.0 else BANDS - 1


_T = TypeVar("_T")
_BATCH = 1000
_DEEPEST = 2**31 - 1


def merged(links: Sequence[Candidate]) -> dict[int, Candidate]:
    """Return links by key, one a URL: its highest priority with parent and path of that, its least depth."""
    merged: dict[int, Candidate] = {}
    known = None  # the parent that was read last: most links of a batch come from one page
    for link in links:
        url, priority, depth, parent, _ = link
        if parent is not known and _is_plain(parent or ""):
            known = parent
        is_clean = 0.0 <= priority <= 1.0 and 0 <= depth <= _DEEPEST and parent is known
        cleaned = link if is_clean and url.isascii() and "\0" not in url else _mended(link)
        key = url_key(cleaned.url)
        other = merged.get(key)
        merged[key] = cleaned if other is None else _better(other, cleaned)
    return merged


def _better(other: Candidate, link: Candidate) -> Candidate:
    higher = link if link.priority > other.priority else other
    origin = higher if higher.parent else other
    depth = min(link.depth, other.depth)
    return Candidate(other.url, higher.priority, depth, origin.parent, origin.path)


def _mended(link: Candidate) -> Candidate:
    return Candidate(
        storable(link.url),
        clip(link.priority),
        min(max(link.depth, 0), _DEEPEST),
        None if link.parent is None else storable(link.parent),
        link.path,
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
