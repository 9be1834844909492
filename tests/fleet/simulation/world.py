"""A made-up web for simulated fleets: hosts of very different sizes and manners, every page by its number.

Nothing of it is kept: what a page links to, how good a URL is and how a host answers follow from hashes, so
that it is the same web for every crawl, whoever asks in whatever order.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from focused_crawler.frontier.base import Candidate

LINKS = 20  # of a page
OWN = 13  # of them to its own host, as in a crawl of the real web: 68 %
LARGEST = 5_000  # pages of a host
MEDIAN, SPREAD, LONGEST = 0.3, 1.0, 20.0  # seconds: latencies are log-normal
SLOW_SHARE, SLOW_DELAY = 0.05, 5.0  # hosts with a Crawl-delay, seconds
STRICT_SHARE, STRICT_TIMES, RETRY_AFTER = 0.02, 0.1, 15.0  # hosts that answer 429, how often, seconds
GONE, FAILING = 0.05, 0.02  # shares of pages: 404; an error that a second try cures


class Answer(NamedTuple):
    """What a host answers."""

    kind: str  # page, gone, failing, refused
    seconds: float


@dataclass(frozen=True)
class World:
    """A web of so many hosts, each with a number of pages by Zipf's law."""

    hosts: int

    def page(self, host: int, number: int) -> str:
        return f"https://www.host{host}.example/section-{number % 7}/a-page-of-some-length-{number}.html"

    def seeds(self, number: int) -> list[Candidate]:
        """Return the first pages of some hosts, evenly spread over the sizes."""
        step = max(1, self.hosts // number)
        return [self._candidate(host, 0, None) for host in range(0, self.hosts, step)]

    def size(self, host: int) -> int:
        return max(1, min(LARGEST, 10 * self.hosts // (host + 100)))

    def links(self, url: str) -> list[Candidate]:
        """Return what a page links to."""
        host, chance = host_number(url), _chance("links", url)
        weights = np.array([chance.random() for _ in range(LINKS - OWN)])
        others = ((self.hosts + 1) ** weights - 1).astype(int)  # Zipf's law: the logarithm is uniform
        hosts = [host] * OWN + others.clip(0, self.hosts - 1).tolist()
        return [self._candidate(one, int(self.size(one) * chance.random()), url) for one in hosts]

    def _candidate(self, host: int, number: int, parent: str | None) -> Candidate:
        url = self.page(host, number)
        return Candidate(url, self.priority(url), 0, parent)

    def priority(self, url: str) -> float:
        """Return how good a URL is: half of it is its host's, and most are not good."""
        return (0.5 * _unit("host", str(host_number(url))) + 0.5 * _unit("page", url)) ** 2

    def answer(self, url: str, tries: int, attempt: int) -> Answer:
        """Return what comes of asking; `attempt` numbers all questions, so that a refusal need not last."""
        chance = _chance("answer", f"{url} {attempt}")
        seconds = min(LONGEST, MEDIAN * chance.lognormvariate(0.0, SPREAD))
        if self.is_strict(host_number(url)) and chance.random() < STRICT_TIMES:
            return Answer("refused", seconds)
        fate = _unit("fate", url)
        if fate < GONE:
            return Answer("gone", seconds)
        return Answer("failing" if fate < GONE + FAILING and not tries else "page", seconds)

    def delay(self, host: int) -> float:
        """Return the seconds that a host asks for itself, 0: none."""
        return SLOW_DELAY if _unit("delay", str(host)) < SLOW_SHARE else 0.0

    def is_strict(self, host: int) -> bool:
        return _unit("strict", str(host)) < STRICT_SHARE


def host_number(url: str) -> int:
    """Return the number of a URL's host.

    >>> host_number(World(10).page(7, 3))
    7
    """
    return int(url.split(".", 2)[1].removeprefix("host"))


def host_name(host: int) -> str:
    return f"www.host{host}.example"


@lru_cache(1 << 16)
def _unit(what: str, name: str) -> float:
    """Return a number in [0, 1) that follows from a name."""
    return int.from_bytes(blake2b(f"{what} {name}".encode(), digest_size=6).digest()) / 2**48


def _chance(what: str, name: str) -> random.Random:
    return random.Random(_unit(what, name))
