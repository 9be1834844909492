"""The pages and links in a crawl's database as a graph to rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.crawl.hubs.hits import Graph
from focused_crawler.page.url import site_of
from focused_crawler.store.database import CrawlDatabase

_CHUNK = 50_000
_LAST_ID = np.iinfo(np.int64).max

# Links know a page by the URL it was found at in the end, or by the one that was asked for.
_PAGES = """
SELECT position, pages.host, relevance, coalesce(found.id, -1), coalesce(asked.id, -1) FROM pages
LEFT JOIN urls AS found ON found.key = pages.key
LEFT JOIN urls AS asked ON asked.key = pages.requested_key
WHERE duplicate_of IS NULL AND position > ? ORDER BY position LIMIT ?
"""
_LINKS = """
SELECT source, target FROM links WHERE external = 1 AND (source, target) > (?, ?)
ORDER BY source, target LIMIT ?
"""

Ids = NDArray[np.int64]


class _Pages(NamedTuple):
    """Columns of the pages to rate, in order of recording."""

    position: Ids
    site: Ids
    relevance: NDArray[np.float64]
    found: Ids  # urls.id, -1: none
    asked: Ids  # the same


class _PageNumbers:
    """Which page has a URL, by the URL's id."""

    def __init__(self, pages: _Pages) -> None:
        ids = np.concatenate([pages.found, pages.asked, [_LAST_ID]])
        order = np.argsort(ids, kind="stable")
        numbers = np.arange(len(pages.position))
        self._ids = ids[order]
        self._numbers = np.concatenate([numbers, numbers, [-1]])[order]

    def of(self, ids: Ids) -> Ids:
        """Return the numbers of the pages, -1 for a URL that is no page's."""
        positions = np.searchsorted(self._ids, ids)
        return np.where(self._ids[positions] == ids, self._numbers[positions], -1)


def read_graph(database: CrawlDatabase) -> tuple[Graph, Ids]:
    """Return the recorded pages with the links from one to another between sites, and the pages' positions.

    Copies of other pages are left out: what they link to would be voted for twice.
    """
    pages = _read_pages(database)
    numbers = _PageNumbers(pages)
    ends = [np.empty((0, 2), dtype=np.int64)]
    for links in _read_links(database):
        found = numbers.of(links)
        ends.append(found[(found >= 0).all(axis=1)])
    source, target = np.concatenate(ends).T
    return Graph(source, target, pages.site, pages.relevance), pages.position


def _read_pages(database: CrawlDatabase) -> _Pages:
    sites: dict[str, int] = {}
    chunks = [_columns([], sites)]
    last = 0
    while rows := database.rows(_PAGES, (last, _CHUNK)):
        chunks.append(_columns(rows, sites))
        last = rows[-1][0]
    return _Pages(*map(np.concatenate, zip(*chunks, strict=True)))


def _columns(rows: Sequence[tuple[int, str, float, int, int]], sites: dict[str, int]) -> _Pages:
    """Turn rows into columns, with a number a site."""
    return _Pages(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([sites.setdefault(site_of(f"http://{row[1]}"), len(sites)) for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=np.float64),
        np.array([row[3] for row in rows], dtype=np.int64),
        np.array([row[4] for row in rows], dtype=np.int64),
    )


def _read_links(database: CrawlDatabase) -> Iterator[Ids]:
    """Yield two columns of ids, a chunk of the links in memory at a time.

    A link that a page has twice may come once: what follows a chunk begins with another one.
    """
    last = (0, 0)
    while rows := database.rows(_LINKS, (*last, _CHUNK)):
        yield np.fromiter(chain.from_iterable(rows), np.int64, 2 * len(rows)).reshape(-1, 2)
        last = rows[-1]
