"""Pages as dots of a chart that scrolls: each with its relevance, and the mean of those before it."""

from __future__ import annotations

from typing import NamedTuple

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.judges import hits_by

WINDOW = 100
"""Pages of a moving average (Chakrabarti et al. 1999)."""

_PAGES = """
SELECT position, relevance, {}, url FROM pages WHERE position > ? AND position <= ? ORDER BY position
"""


class Dot(NamedTuple):
    """A page in the chart."""

    position: int
    relevance: float  # [0, 1]
    is_relevant: int
    average: float  # relevance over the last pages, itself included
    url: str


def dots(database: CrawlDatabase, judge: str, after: int, upto: int) -> list[Dot]:
    """Return the pages at positions in (after, upto]; reads no more than those and a window before them.

    `judge`: whose totals the crawl has.
    """
    rows = database.rows(_PAGES.format(hits_by(judge).column), (max(0, after - WINDOW + 1), upto))
    found, total = [], 0.0
    for number, (position, relevance, is_relevant, url) in enumerate(rows):
        total += relevance - (rows[number - WINDOW][1] if number >= WINDOW else 0.0)
        if position > after:
            mean = total / min(number + 1, WINDOW)
            found.append(Dot(position, round(relevance, 4), int(bool(is_relevant)), round(mean, 4), url))
    return found
