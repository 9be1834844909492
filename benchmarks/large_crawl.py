"""A crawl's database of any size, made up: real schema, bulk inserts with the indexes in place.

What the shares are from: a crawl of 4,000 pages of the real web (openweb) has 81 links a page, 24 % of them
to another site, 9 % of which lead to a recorded page. Hosts and the popularity of pages follow Zipf's law;
half of a page's links to its own host are the same on all of its pages. Rows of `urls` lie in random order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase

LINKS = 60  # a page
URLS_A_PAGE = 11  # of which one is fetched
PAGES_A_HOST = 20
EXTERNAL = 0.24
EXTERNAL_KNOWN = 0.15  # of these, to a recorded page
NOT_FOLLOWED = 0.2
RELEVANT = 0.3
COPIES = 0.03
STARTED = 1_700_000_000.0
PAGES_A_SECOND = 10.0
_BULK = 4_000  # pages whose links are written at a time

_PAGE_COLUMNS = (
    "key, url, requested_url, host, depth, fetched_at, status, size, links, title, relevance, is_relevant,"
    " category, duplicate_of, likeness, run"
)

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """Who stands where: ids of `urls` from 1, host by host; the first of a host are its pages."""

    order: Ids  # id of each URL, in the order of hosts
    host: Ids  # number of each URL's host
    start: Ids  # place of each host's first URL
    sizes: Ids  # pages of each host
    pages: Ids  # places of the pages, in order of recording

    @classmethod
    def make(cls, pages: int, chance: np.random.Generator) -> Shape:
        """Deal pages out to hosts by Zipf's law."""
        hosts = max(2, pages // PAGES_A_HOST)
        shares = 1.0 / np.arange(1, hosts + 1)
        sizes = np.bincount(chance.choice(hosts, pages - hosts, p=shares / shares.sum()), minlength=hosts) + 1
        urls = URLS_A_PAGE * sizes
        start = np.concatenate([[0], np.cumsum(urls)[:-1]])
        places = np.repeat(start, sizes) + np.arange(pages) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = chance.permutation(int(urls.sum())) + 1
        return cls(order, np.repeat(np.arange(hosts), urls), start, sizes, chance.permutation(places))


@dataclass(frozen=True)
class Mix:
    """Where links lead, by default as in a crawl of the real web."""

    links: int = LINKS  # of a page
    external: float = EXTERNAL
    external_known: float = EXTERNAL_KNOWN


class LargeCrawl:
    """Fills a new database."""

    def __init__(self, database: CrawlDatabase, pages: int, seed: int = 1, mix: Mix = Mix()) -> None:
        self._database, self._mix = database, mix
        self._chance = np.random.default_rng(seed)
        self._shape = Shape.make(pages, self._chance)
        self._parent = np.zeros(len(self._shape.order), dtype=np.int64)
        self._score = np.zeros(len(self._shape.order))
        self._links = {page: self._links_of(page) for page in _bulks(pages)}

    def fill(self) -> None:
        """Write all tables."""
        self._write("hosts", "id, name, load, pages, delay, refusals", self._hosts())
        self._write(
            "urls", "id, key, url, state, host, tries, priority, tie, depth, parent, rank", self._urls()
        )
        self._write("pages", _PAGE_COLUMNS, self._pages())
        self._write("runs", "id, started, settings, versions", [(1, STARTED, "{}", "{}")])
        self._write(
            "categories", "path, is_good", [(f"c{n}/c{m}", int(n == 0)) for n in range(6) for m in range(6)]
        )
        self._write("ratings", "page, hub, authority", self._ratings())
        self._write("failures", "key, url, reason, failed_at, run", self._failures())
        self._write("decisions", "url, host, decided_at, run, decision, rule, detail", self._decisions())
        for first in self._links:
            self._write(
                "links", "source, number, target, anchor, block, score, external", self._link_rows(first)
            )
        self._database.commit()

    def url(self, place: int) -> str:
        """Return the URL at a place of the shape."""
        shape = self._shape
        host = int(shape.host[place])
        return f"http://www.site{host}.example/topics/{host % 7}/page-{place - int(shape.start[host])}.html"

    @property
    def busiest(self) -> str:
        """Return a URL that all pages of the largest host link to."""
        return self.url(int(self._shape.start[int(np.argmax(self._shape.sizes))]))

    def _write(self, table: str, columns: str, rows: Any) -> None:
        marks = ", ".join("?" * len(columns.split(",")))
        self._database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
        self._database.commit()

    def _links_of(self, first: int) -> tuple[Ids, Ids, NDArray[np.float64]]:
        """Return places of sources and targets, and scores (NaN: not followed), of some pages' links."""
        shape, chance = self._shape, self._chance
        sources = np.repeat(shape.pages[first : first + _BULK], self._mix.links)
        host = shape.host[sources]
        own = shape.start[host] + chance.integers(0, URLS_A_PAGE * shape.sizes[host])
        number = np.arange(len(sources)) % self._mix.links
        bar = shape.start[host] + number % (URLS_A_PAGE * shape.sizes[host])
        inside = np.where(chance.random(len(sources)) < 0.5, bar, own)
        popular = (len(shape.pages) ** chance.random(len(sources))).astype(np.int64) - 1
        known = shape.pages[popular]
        is_known = chance.random(len(sources)) < self._mix.external_known
        outside = np.where(is_known, known, chance.integers(0, len(shape.order), len(sources)))
        targets = np.where(chance.random(len(sources)) < self._mix.external, outside, inside)
        is_left = chance.random(len(sources)) < NOT_FOLLOWED
        scores = np.where(is_left, np.nan, chance.random(len(sources)).round(4))
        new = self._parent[targets] == 0
        self._parent[targets[new]] = sources[new] + 1
        self._score[targets[new]] = np.nan_to_num(scores[new])
        return sources, targets, scores

    def _link_rows(self, first: int) -> Iterator[tuple[Any, ...]]:
        shape = self._shape
        sources, targets, scores = self._links[first]
        by_id = np.lexsort((np.arange(len(sources)), shape.order[sources]))
        sources, targets, scores = sources[by_id], targets[by_id], scores[by_id]
        external = (shape.host[sources] != shape.host[targets]).astype(int)
        words = self._chance.integers(0, 30_000, len(sources))
        number, ids = np.arange(len(sources)) % self._mix.links, shape.order
        numbers = (ids[sources], number, ids[targets], number // 8, external)
        source, place, target, block, is_external = (column.tolist() for column in numbers)
        anchors = map("Anchor words {}".format, words.tolist())
        known = (None if score != score else score for score in scores.tolist())
        return zip(source, place, target, anchors, block, known, is_external, strict=True)

    def _hosts(self) -> Iterator[tuple[Any, ...]]:
        for host, size in enumerate(self._shape.sizes.tolist()):
            delay, refusals = 5 * (host % 20 == 0), 2 * (host % 50 == 0)
            yield host + 1, f"www.site{host}.example", size + size // 9, size, delay, refusals

    def _urls(self) -> Iterator[tuple[Any, ...]]:
        shape = self._shape
        is_page = np.zeros(len(shape.order), dtype=bool)
        is_page[shape.pages] = True
        dice = self._chance.random(len(shape.order))
        states = np.where(is_page, 4, np.array([1, 5, 0, 6])[np.digitize(dice, [0.75, 0.85, 0.99])])
        parents = np.where(self._parent > 0, shape.order[self._parent - 1], 0)
        for place in np.argsort(shape.order).tolist():
            url, state = self.url(place), int(states[place])
            host = None if state == 0 else int(shape.host[place]) + 1
            tries, score = int(state == 5), float(self._score[place])
            yield (
                int(shape.order[place]), url_key(url), url, state, host, tries, score,
                place * 7919 % 2**40, place % 9, int(parents[place]) or None, place % 50_000,
            )  # fmt: skip

    def _pages(self) -> Iterator[tuple[Any, ...]]:
        shape, dice = self._shape, self._chance.random((len(self._shape.pages), 2)).tolist()
        for number, place in enumerate(shape.pages.tolist()):
            url, (one, other) = self.url(place), dice[number]
            relevance = one if one < RELEVANT / 2 else 0.5 + one / 2 if other < RELEVANT else one / 2
            original = self.url(int(shape.pages[0])) if other > 1 - COPIES else None
            likeness = None if original is None else 0.95
            yield (
                url_key(url), url, url, f"www.site{int(shape.host[place])}.example", place % 9,
                STARTED + number / PAGES_A_SECOND, 200, 20_000, self._mix.links, f"Title of page {number}",
                relevance, int(relevance >= 0.5), f"c{number % 6}/c{number % 5}", original, likeness, 1,
            )  # fmt: skip

    def _ratings(self) -> Iterator[tuple[Any, ...]]:
        pages = len(self._shape.pages)
        weights = self._chance.random((pages // 5, 2)) ** 8
        for number, (hub, authority) in enumerate((weights / weights.sum(0)).tolist()):
            yield 5 * number + 1, hub, authority

    def _failures(self) -> Iterator[tuple[Any, ...]]:
        reasons = ("http_404", "timeout", "robots", "content_type", "http_503")
        failed = self._database.rows("SELECT key, url FROM urls WHERE state = 5")
        for number, (key, url) in enumerate(failed):
            yield key, url, reasons[number * number % 5], STARTED + number / PAGES_A_SECOND, 1

    def _decisions(self) -> Iterator[tuple[Any, ...]]:
        kinds = [("retry", "http_503"), ("failed", "http_404"), ("dropped", "trap_pattern")]
        kinds.append(("raised", "hub"))
        count = len(self._shape.pages) // 2
        for number, id in enumerate(self._chance.integers(1, len(self._shape.order), count).tolist()):
            yield id, None, STARTED + 2 * number / PAGES_A_SECOND, 1, *kinds[number % 4], ""
        for host in repeat("www.site3.example", 20):
            yield None, host, STARTED + 2 * count / PAGES_A_SECOND, 1, "closed", "host_limit", ""


def _bulks(pages: int) -> range:
    return range(0, pages, _BULK)
