"""Whether a fleet was polite, by the log of the server that it asked: tests/crawls/loopback.py writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from tests.crawls.loopback import Hit

TOLERANCE = 0.010
"""Seconds that two hits may be too near to each other: what the way to the server's clock may make."""


class Gap(NamedTuple):
    """Two hits of a host, one after the other; seconds from the beginning of the first."""

    first: Hit
    second: Hit
    seconds: float
    wanted: float

    @property
    def is_early(self) -> bool:
        return self.seconds < self.wanted - TOLERANCE

    @property
    def is_open(self) -> bool:
        """Tell whether the first was still being answered when the second came."""
        return self.second.began < self.first.ended

    @property
    def missing(self) -> float:
        """Return the seconds by which it is too short; below 0: it is longer than it has to be."""
        return self.wanted - self.seconds


def gaps(hits: Iterable[Hit], delay: float, delay_of: Callable[[str], float]) -> Iterator[Gap]:
    """Yield every two hits of a host that follow each other.

    After robots.txt `delay` is enough: nobody knows the host's own rule before it is read. After a page the
    host's own counts.
    """
    by_host: dict[str, list[Hit]] = {}
    for hit in sorted(hits):
        by_host.setdefault(hit.host, []).append(hit)
    for row in by_host.values():
        for first, second in pairwise(row):
            wanted = delay_of(first.host) if first.is_page else delay
            yield Gap(first, second, second.began - first.began, wanted)


class Verdict(NamedTuple):
    """What a log says of a crawl."""

    hits: int
    hosts: int
    shortest: float  # seconds between two hits of a host
    most_missing: float  # seconds by which the worst gap is too short; below 0: none is
    early: list[Gap]
    open: list[Gap]

    @property
    def is_polite(self) -> bool:
        return not self.early and not self.open


def judge(hits: list[Hit], delay: float, delay_of: Callable[[str], float]) -> Verdict:
    """Look at all hits of a crawl."""
    found = list(gaps(hits, delay, delay_of))
    return Verdict(
        hits=len(hits),
        hosts=len({hit.host for hit in hits}),
        shortest=min((gap.seconds for gap in found), default=float("inf")),
        most_missing=max((gap.missing for gap in found), default=float("-inf")),
        early=[gap for gap in found if gap.is_early],
        open=[gap for gap in found if gap.is_open],
    )
