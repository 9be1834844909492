"""Pages full of links, made up on the fly: any number, never all in memory, the same in every process.

Host sizes follow Zipf's law. A page has `LINKS` links, two thirds of them to its own host (as in a
crawl of the real web: 68 % of 240,000 links), the others to hosts drawn by the same law. No URL comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from focused_crawler.frontier.base import Candidate

LINKS = 50
OWN = 34  # links of a page to its own host
_SECTIONS = ("news", "articles", "research", "health", "products", "wiki", "blog/2024", "forum/topic")
_WORDS = [
    "annual",
    "report",
    "clinical",
    "inhaler",
    "children",
    "guide",
    "treatment",
    "history",
    "open",
    "data",
]
_ENDS = ("com", "org", "net", "de", "co.uk", "edu")


class GeneratedLinks:
    """The links of page after page; `pages(n)` goes on where the last call ended."""

    def __init__(self, hosts: int, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        shares = 1.0 / np.arange(1, hosts + 1)
        self._cumulated = np.cumsum(shares / shares.sum())
        self._made = 0
        self._last: str | None = None
        self._pages = self._endless()

    def pages(self, urls: int) -> Iterator[list[Candidate]]:
        """Yield the links of one page after the other, `urls` in all."""
        return islice(self._pages, urls // LINKS)

    def bulks(self, urls: int, size: int) -> Iterator[list[Candidate]]:
        """Yield the same links, those of many pages at a time."""
        for _ in range(urls // size):
            yield [link for page in islice(self._pages, size // LINKS) for link in page]

    def skip(self, urls: int) -> None:
        """Number URLs on from where an earlier process stopped, so that all to come are new."""
        self._made = max(self._made, urls)

    def _endless(self) -> Iterator[list[Candidate]]:
        while True:
            hosts = np.searchsorted(self._cumulated, self._random.random(LINKS - OWN + 1)).tolist()
            priorities = self._random.random(LINKS).tolist()
            links = self._page([hosts[0]] * OWN + hosts[1:], priorities)
            self._last = links[0].url
            yield links

    def _page(self, hosts: list[int], priorities: list[float]) -> list[Candidate]:
        number, parent = self._made, self._last
        self._made += LINKS
        return [
            Candidate(url_of(number + place, host), priority, number % 20, parent)
            for place, (host, priority) in enumerate(zip(hosts, priorities, strict=True))
        ]


def url_of(number: int, host: int) -> str:
    """Return a URL of about 65 characters.

    >>> url_of(123456, 77)
    'https://www.guide77.edu/forum/topic/history-treatment-123456.html'
    """
    site = f"https://www.{_WORDS[host % 9]}{host}.{_ENDS[host % 6]}"
    words = f"{_WORDS[number % 10]}-{_WORDS[number // 7 % 10]}"
    return f"{site}/{_SECTIONS[number % 8]}/{words}-{number}.html"
