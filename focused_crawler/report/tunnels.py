"""Relevant pages that were reached through irrelevant ones: how many, over how many in a row (tunnelling)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase

_PARENTS = """
SELECT position, key, coalesce(requested_key, key), parent FROM pages
WHERE position > ? ORDER BY position LIMIT ?
"""


class Tunnel(NamedTuple):
    """Relevant pages with so many irrelevant ones right before them, on the way from a start page."""

    irrelevant: int
    pages: int
    example: str  # URL of the first of them: hostile until escaped


def read_tunnels(database: CrawlDatabase, relevant: Sequence[bool]) -> tuple[Tunnel, ...]:
    """Return the tunnels of each length, the shortest first; `relevant`: of all pages, in their order.

    A page's way is the one that it was fetched by. A start page has none, and none before it counts.
    """
    lengths: dict[int, int] = {}  # key of a page -> irrelevant ones in a row up to it, itself included
    numbers: Counter[int] = Counter()
    examples: dict[int, int] = {}  # position of the first of its length
    for rows in database.chunks(_PARENTS):
        for position, key, asked, parent in rows:
            if position > len(relevant):  # recorded meanwhile
                break
            before = lengths.get(url_key(parent), 0) if parent else 0
            is_relevant = relevant[position - 1]
            lengths[key] = lengths[asked] = 0 if is_relevant else before + 1
            if is_relevant:
                numbers[before] += 1
                examples.setdefault(before, position)
    return tuple(
        Tunnel(length, numbers[length], _url(database, examples[length])) for length in sorted(numbers)
    )


def _url(database: CrawlDatabase, position: int) -> str:
    ((url,),) = database.rows("SELECT url FROM pages WHERE position = ?", (position,))
    return str(url)
