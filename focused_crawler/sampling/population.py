"""The pages of a crawl that a sample is drawn from."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from focused_crawler.store.database import CrawlDatabase

_CHUNK = 10_000
_PAGES = "SELECT position, relevance, host FROM pages WHERE position > ? {} ORDER BY position LIMIT ?"
_RELEVANT = "AND is_relevant = 1"


@dataclass(frozen=True, slots=True)
class Population:
    """Numbers of all its pages, in order of recording: some 30 bytes a page in memory."""

    positions: array[int]  # pages.position
    relevance: array[float]  # [0, 1]
    hosts: array[int]  # indexes of `host_names`
    host_names: list[str]

    def __len__(self) -> int:
        return len(self.positions)


def read_population(database: CrawlDatabase, *, has_all: bool = False) -> Population:
    """Return the pages that the crawl calls relevant, or all of them."""
    found = Population(array("q"), array("d"), array("q"), [])
    numbers: dict[str, int] = {}
    sql, last = _PAGES.format("" if has_all else _RELEVANT), 0
    while rows := database.rows(sql, (last, _CHUNK)):
        for position, relevance, host in rows:
            found.positions.append(position)
            found.relevance.append(relevance)
            found.hosts.append(numbers.setdefault(host, len(numbers)))
        last = rows[-1][0]
    found.host_names.extend(numbers)
    return found
