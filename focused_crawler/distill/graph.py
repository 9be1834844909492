"""The pages and links of a crawl's database as a graph to rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.distill.hits import Graph
from focused_crawler.page.url import site_of
from focused_crawler.store.database import CrawlDatabase

_CHUNK = 50_000
_NONE = -1

# A page is known to links by the URL it was found at in the end, and by the one that was asked for.
_PAGES = """
SELECT position, host, relevance, coalesce(found.id, -1), coalesce(asked.id, -1) FROM pages
LEFT JOIN urls AS found ON found.key = pages.key
LEFT JOIN urls AS asked ON asked.key = pages.requested_key
WHERE duplicate_of IS NULL AND position > ? ORDER BY position LIMIT ?
"""
_LINKS = """
SELECT source, target FROM links
WHERE external = 1 AND (source, target) > (?, ?) ORDER BY source, target LIMIT ?
"""

Ids = NDArray[np.int64]


class _Pages(NamedTuple):
    """Columns of the pages that are rated, in order of recording."""

    position: Ids
    site: Ids
    relevance: NDArray[np.float64]
    found: Ids  # urls.id, -1 where there is none
    asked: Ids


def read_graph(database: CrawlDatabase) -> tuple[Graph, Ids]:
    """Return the recorded pages with the links between sites that lead from one to another, and their positions.

    Copies of other pages are left out: what they link to would be voted for twice.
    """
    pages = _read_pages(database)
    number_of = _Numbers(pages)
    parts = [(number_of(source), number_of(target)) for source, target in _read_links(database)]
    source, target = (np.concatenate([np.empty(0, np.int64), *column]) for column in ([part[i] for part in parts] for i in (0, 1)))
    return Graph(source, target, pages.site, pages.relevance), pages.position
