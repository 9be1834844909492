"""Measures of a crawl: harvest rate, and target recall (Lu et al. 2016)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from itertools import islice
from typing import Self

WINDOWS = (100, 1000)
"""So many last pages count for a moving harvest rate (Chakrabarti et al. 1999)."""
_MOST_HOSTS = 100_000


class HarvestRate:
    """Counts pages as they are fetched, in O(1) a page.

    >>> rate = HarvestRate.from_outcomes([True, False, False, True])
    >>> rate.value, rate.over_last(100)
    (0.5, 0.5)
    """

    def __init__(self, windows: Iterable[int] = WINDOWS) -> None:
        self.pages = 0
        self.relevant = 0
        self._last: deque[bool] = deque(maxlen=max(windows))

    @classmethod
    def from_outcomes(cls, outcomes: Iterable[bool]) -> Self:
        """Go on from pages fetched before, oldest first; each tells whether the page was relevant."""
        rate = cls()
        for relevant in outcomes:
            rate.record(relevant=relevant)
        return rate

    def record(self, *, relevant: bool) -> None:
        """Count one fetched page."""
        self.pages += 1
        self.relevant += relevant
        self._last.append(relevant)

    def revise(self, position: int, *, was: bool, relevant: bool) -> None:
        """Correct the page at a position (from 1): another text was found there, or a new model judges."""
        self.relevant += relevant - was
        back = self.pages + 1 - position
        if 0 < back <= len(self._last):
            self._last[-back] = relevant

    @property
    def value(self) -> float:
        """The rate over all pages, in [0, 1]; 0 before the first."""
        return self.relevant / self.pages if self.pages else 0.0

    def over_last(self, pages: int) -> float:
        """Return the rate over the last `pages` (the longest window's at most), or over all if fewer."""
        pages = min(pages, len(self._last))
        return sum(islice(reversed(self._last), pages)) / pages if pages else 0.0


class HostPages:
    """Counts pages by host, in O(1) a page, and knows the busiest; of too many hosts the first count.

    >>> hosts = HostPages()
    >>> for host in ("a", "b", "b"):
    ...     hosts.record(host)
    >>> hosts.busiest
    ('b', 2)
    """

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}
        self.busiest = ("", 0)

    def record(self, host: str) -> None:
        """Count one page of a host."""
        pages = self._pages.get(host, 0) + 1
        if pages > 1 or len(self._pages) < _MOST_HOSTS:
            self._pages[host] = pages
            if pages > self.busiest[1]:
                self.busiest = (host, pages)


class TargetRecall:
    """|T and fetched| / |T|, where T holds the targets' keys: two URLs with one key are one page.

    >>> recall = TargetRecall(["http://a/", "http://b/"], key=lambda url: url.rstrip("/"))
    >>> recall.record("http://a"), recall.record("http://a/"), recall.value
    (True, False, 0.5)
    """

    def __init__(self, targets: Iterable[str], key: Callable[[str], Hashable]) -> None:
        """Take the targets' URLs; without any, recall means nothing: ValueError."""
        self._key = key
        self._missing = {key(url) for url in targets}
        self.targets = len(self._missing)
        if not self.targets:
            raise ValueError("target recall needs at least one target")

    def record(self, url: str) -> bool:
        """Count a fetched URL; True when it is a target met for the first time."""
        key = self._key(url)
        if key not in self._missing:
            return False
        self._missing.remove(key)
        return True

    def is_missing(self, url: str) -> bool:
        """Tell whether a URL is a target that was not met yet."""
        return self._key(url) in self._missing

    @property
    def found(self) -> int:
        """How many different targets were fetched."""
        return self.targets - len(self._missing)

    @property
    def value(self) -> float:
        """Target recall, in [0, 1]."""
        return self.found / self.targets
