"""The database of a crawl that never was: as many pages and links as are wanted, in the real schema.

Host sizes and the number of links to a page follow power laws. A page has 25 links to recorded pages wherever
they are, 10 to recorded pages of its own host, and 10 to pages that were never fetched, half of them on other
hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.schema import State

CITED, OWN, UNVISITED = 25, 10, 10  # links of a page
LINKS = CITED + OWN + UNVISITED
_URL = "INSERT INTO urls (key, url, state) VALUES (?, ?, ?)"
_LINK = (
    "INSERT INTO links (source, number, target, anchor, block, score, external) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class MadeUpCrawl:
    """Pages and URLs by number, from 0; those from `pages` on were never fetched."""

    def __init__(self, pages: int, hosts: int, seed: int = 0) -> None:
        self.pages = pages
        self._random = np.random.default_rng(seed)
        self._hosts = self._zipf(hosts, 1.0, pages)
        self._relevance = self._random.beta(0.3, 0.7, pages)

    def write(self, path: Path) -> None:
        """Write it as a crawl leaves it: a URL's id is its number and 1."""
        with CrawlDatabase(path) as database:
            store = PageStore(database)
            for number, relevance in enumerate(self._relevance.tolist()):
                store.record_page(self._page(number, relevance))
            database.executemany(_URL, self._urls())
            database.executemany(_LINK, self._links())
            database.commit()

    def _page(self, number: int, relevance: float) -> PageItem:
        url, at = self._url(number), 1.7e9 + number
        return PageItem(url=url, fetched_at=at, relevance=relevance, is_relevant=relevance >= 0.5)

    def _url(self, number: int) -> str:
        host = self._hosts[number % self.pages]
        return f"https://www.host{host}.example/section-{number % 7}/a-page-of-some-length-{number}.html"

    def _urls(self) -> Iterator[tuple[Any, ...]]:
        for number in range(self.pages * (1 + UNVISITED)):
            url = self._url(number)
            yield url_key(url), url, State.DONE if number < self.pages else State.PENDING

    def _links(self) -> Iterator[tuple[Any, ...]]:
        targets = np.hstack([self._cited(), self._own(), self._unvisited()])
        external = self._hosts[targets % self.pages] != self._hosts[:, np.newaxis]
        for page, (its_targets, leads_out) in enumerate(zip(targets, external, strict=True)):
            for number, target in enumerate(its_targets.tolist()):
                anchor = f"what page {page} says of it"
                yield page + 1, number, target + 1, anchor, number // 9, 0.5, int(leads_out[number])

    def _cited(self) -> Any:
        places = self._random.permutation(self.pages)
        return places[self._zipf(self.pages, 0.8, self.pages * CITED)].reshape(self.pages, CITED)

    def _own(self) -> Any:
        by_host = np.argsort(self._hosts, kind="stable")
        first, size = np.searchsorted(self._hosts[by_host], self._hosts), np.bincount(self._hosts)
        places = self._random.random((self.pages, OWN)) * size[self._hosts][:, np.newaxis]
        return by_host[first[:, np.newaxis] + places.astype(np.int64)]

    def _unvisited(self) -> Any:
        own = np.arange(self.pages)[:, np.newaxis].repeat(UNVISITED // 2, axis=1)
        others = self._random.integers(0, self.pages, (self.pages, UNVISITED - UNVISITED // 2))
        return np.hstack([own, others]) + self.pages * np.arange(1, UNVISITED + 1)

    def _zipf(self, count: int, exponent: float, n: int) -> Any:
        cumulated = np.cumsum(np.arange(1, count + 1) ** -exponent)
        return np.searchsorted(cumulated, self._random.random(n) * cumulated[-1])
