"""The pages and links in a crawl's database as a graph to rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from focused_crawler.crawl.hubs.hits import Graph, Links
from focused_crawler.page.url import site_of
from focused_crawler.store.database import CrawlDatabase

_CHUNK = 50_000
_LAST_ID = np.iinfo(np.int64).max

# Links know a page by the URL it was found at in the end, or by the one that was asked for.
_PAGES = """
SELECT position, pages.host, relevance, coalesce(found.id, -1), coalesce(asked.id, -1)
FROM judged_pages AS pages
LEFT JOIN urls AS found ON found.key = pages.key
LEFT JOIN urls AS asked ON asked.key = pages.requested_key
WHERE duplicate_of IS NULL AND position > ? ORDER BY position LIMIT ?
"""
_LINKS = """
SELECT source, target FROM links WHERE external = 1 AND (source, target) > (?, ?)
ORDER BY source, target LIMIT ?
"""

Ids = NDArray[np.int64]


_Pages = NDArray[np.void]
"""The pages to rate, in order of recording."""
_COLUMNS = [
    ("position", np.int64),
    ("site", np.int64),
    ("relevance", np.float64),
    ("found", np.int64),  # urls.id, -1: none
    ("asked", np.int64),  # the same
]


class _PageNumbers:
    """Which page has a URL, by the URL's id."""

    def __init__(self, pages: _Pages) -> None:
        ids = np.concatenate([pages["found"], pages["asked"], [_LAST_ID]])
        order = np.argsort(ids, kind="stable")
        numbers = np.arange(len(pages))
        self._ids = ids[order]
        self._numbers = np.concatenate([numbers, numbers, [-1]])[order]

    def of(self, ids: Ids) -> Ids:
        """Return the numbers of the pages, -1 for a URL that is no page's."""
        positions = np.searchsorted(self._ids, ids)
        return np.where(self._ids[positions] == ids, self._numbers[positions], -1)


def read_graph(database: CrawlDatabase) -> tuple[Graph, Ids]:
    """Return the recorded pages with the links from one to another between sites, and the pages' positions.

    Copies of other pages are left out: what they link to would be voted for twice. The links are read while
    they are looked at, so that there never are more in memory than some pages have.
    """
    pages = _read_pages(database)
    return Graph(_links(database, _PageNumbers(pages)), pages["site"], pages["relevance"]), pages["position"]


def _links(database: CrawlDatabase, numbers: _PageNumbers) -> Iterator[Links]:
    for links in _read_links(database):
        found = numbers.of(links)
        yield tuple(found[(found >= 0).all(axis=1)].T)


def _read_pages(database: CrawlDatabase) -> _Pages:
    sites: dict[str, int] = {}  # a number each
    chunks = [np.empty(0, _COLUMNS)]
    for rows in database.chunks(_PAGES, size=_CHUNK):
        numbered = (
            (position, sites.setdefault(site_of(f"http://{host}"), len(sites)), *rest)
            for position, host, *rest in rows
        )
        chunks.append(np.array(list(numbered), _COLUMNS))
    return np.concatenate(chunks)


def _read_links(database: CrawlDatabase) -> Iterator[Ids]:
    """Yield two columns of ids, in parts of about a chunk: all links of some pages.

    A link that a page has twice may come once: what follows a chunk begins with another one.
    """
    rest = np.empty((0, 2), dtype=np.int64)  # of the last page, which may have more
    for rows in database.chunks(_LINKS, (0, 0), _CHUNK):
        links = np.fromiter(chain.from_iterable(rows), np.int64, 2 * len(rows)).reshape(-1, 2)
        links = np.concatenate([rest, links])
        end = np.searchsorted(links[:, 0], links[-1, 0])
        yield links[:end]
        rest = links[end:]
    yield rest
