"""Reading a crawl back: what reports and progress displays ask. Works while the crawl runs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PAGE_COLUMNS, StoredPage
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import several
from focused_crawler.store.rows import read_counters

MOST_PAGES = 10_000
"""So many are read at a time."""

_STORED = ("position", "host", "run", *(column.name for column in PAGE_COLUMNS))
_IN_ORDER = "SELECT {} FROM pages WHERE position > ? ORDER BY position LIMIT ?"
_PAGES = _IN_ORDER.format(", ".join(_STORED))
_TRUTHS = [column.name for column in PAGE_COLUMNS if column.kind is bool]


class Visited(NamedTuple):
    """What a run has to know of a page that another run, or another worker, recorded."""

    position: int
    url: str
    parent: str | None
    requested_url: str
    is_relevant: bool
    is_target: bool | None
    duplicate_of: str | None
    run: int | None
    by_content: bool | None
    likeness: float | None
    relevance: float
    depth: int
    log_rd: float | None


class NamedUrl(NamedTuple):
    """What a page named as its own URL, where something was decided of that."""

    page: str
    canonical: str
    is_disputed: bool  # not believed any more: pages with different texts named it
    checksum: str  # of the page's text


_NAMED = """
SELECT urls.url, decisions.detail, decisions.decision = 'disputed', coalesce(pages.checksum, '')
FROM decisions JOIN urls ON urls.id = decisions.url LEFT JOIN pages ON pages.key = urls.key
WHERE decisions.decision IN ('alias', 'disputed') ORDER BY decisions.id
"""
_JUDGES = """
SELECT DISTINCT judge FROM runs WHERE EXISTS (SELECT 1 FROM pages WHERE pages.run = runs.id) ORDER BY judge
"""
_RELEVANT_BY = """
SELECT coalesce(runs.judge, ''), sum(pages.is_relevant) FROM pages LEFT JOIN runs ON runs.id = pages.run
GROUP BY 1 ORDER BY min(pages.position)
"""
_VISITED = _IN_ORDER.format(", ".join(Visited._fields))


class ScoreBand(NamedTuple):
    """Pending URLs with a priority in [low, high); the last band holds 1 as well."""

    low: float
    high: float
    urls: int


def equal_bands(urls: Sequence[int]) -> list[ScoreBand]:
    """Return as many equal bands as there are numbers of URLs, the lowest first."""
    size = len(urls)
    return [ScoreBand(number / size, (number + 1) / size, held) for number, held in enumerate(urls)]


# A run that was killed lasted until its last page, or revisit, at least.
_TIMES = """
SELECT started, coalesce(ended, max(visits.last), started) FROM runs LEFT JOIN (
    SELECT run, max(fetched_at) AS last FROM pages GROUP BY run
    UNION ALL SELECT run, max(visited_at) FROM revisits GROUP BY run
) AS visits ON visits.run = runs.id GROUP BY runs.id
"""


def spent(times: Collection[tuple[float, float]], until: float = math.inf) -> float:
    """Return how long anybody was at work until then; `times`: when runs began and ended.

    Workers of a fleet are at a time.

    >>> spent([(0.0, 10.0), (5.0, 20.0), (30.0, 40.0)], until=35.0)
    25.0
    """
    seconds, latest = 0.0, 0.0
    for began, ended in sorted(times):
        end = min(ended, until)
        seconds += max(0.0, end - max(began, latest))
        latest = max(latest, end)
    return seconds


class RecordedRun(NamedTuple):
    """One run of a crawl; no `ended`: it was killed, or is running."""

    id: int
    started: float
    ended: float | None
    reason: str | None
    settings: dict[str, Any]
    versions: dict[str, str]
    worker: str | None = None  # None: the only process
    acts_as: str | None = None  # the strategy that its own was, untrained; None: itself


def last_position(database: CrawlDatabase) -> int:
    """Return the position of the last page, 0: there is none."""
    return int(database.rows("SELECT coalesce(max(position), 0) FROM pages")[0][0])


class CrawlHistory:
    """Named queries over a crawl's database."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def pages(self) -> Iterator[StoredPage]:
        """Yield pages in order of recording, a chunk in memory at a time."""
        judges = dict(self._database.rows("SELECT id, judge FROM runs"))
        for rows in self._database.chunks(_PAGES, size=MOST_PAGES):
            for row in rows:
                page = dict(zip(_STORED, row, strict=True))
                truths = {name: _truth(page[name]) for name in _TRUTHS}
                yield StoredPage(**page | truths, judge=judges.get(page["run"]) or "")

    def named_urls(self) -> list[NamedUrl]:
        """Return what pages named as their own URL, in order: what was believed, and what no longer is."""
        return [
            NamedUrl(str(page), str(canonical), bool(is_disputed), str(checksum))
            for page, canonical, is_disputed, checksum in self._database.rows(_NAMED)
        ]

    def pages_after(self, position: int) -> list[Visited]:
        """Return the next pages after a position, in order, 10,000 at most; none: that was the last.

        No page appears later with a lower position: positions are given under the write lock, and what one
        transaction wrote is visible to all before the next one begins.
        """
        pages = [Visited(*row) for row in self._database.rows(_VISITED, (position, MOST_PAGES))]
        return [
            page._replace(
                is_relevant=bool(page.is_relevant),
                is_target=_truth(page.is_target),
                by_content=_truth(page.by_content),
            )
            for page in pages
        ]

    def failures_by_class(self) -> dict[str, int]:
        """Return how many URLs ended without a page, by reason, the most frequent first."""
        return dict(
            self._database.rows(
                "SELECT reason, count(*) AS n FROM failures GROUP BY reason ORDER BY n DESC, reason"
            )
        )

    def frontier_bands(self, bands: int = 10) -> list[ScoreBand]:
        """Return how many URLs are left to fetch in each of `bands` equal bands of priority, lowest first."""
        ends = [i / bands for i in range(1, bands)]
        below = "count(CASE WHEN priority < ? THEN 1 END), " * len(ends)
        query = f"SELECT {below} count(*) FROM urls WHERE state IN (1, 2, 3)"  # noqa: S608
        counts = [0, *self._database.rows(query, ends)[0]]
        return equal_bands([upto - before for before, upto in pairwise(counts)])

    def bands_left(self, run: RunInfo) -> list[ScoreBand]:
        """Return what is left to fetch, or run.json has it of a frontier in memory; empty: unknown."""
        return self.frontier_bands() if run.has_frontier else equal_bands(run.left)

    def judge(self) -> str:
        """Return who judged the recorded pages, several with "and"; empty: nobody knows."""
        return several(*(name or "" for (name,) in self._database.rows(_JUDGES)))

    def relevant_by(self) -> dict[str, int]:
        """Return how many recorded pages each judge called relevant; "": nobody knows who judged them."""
        return {judge: int(pages) for judge, pages in self._database.rows(_RELEVANT_BY)}

    def counters(self) -> dict[str, int]:
        """Return the totals over all runs."""
        return read_counters(self._database)

    def times(self) -> list[tuple[float, float]]:
        """Return when each run began and ended, or showed life for the last time; seconds since the epoch."""
        return self._database.rows(_TIMES)

    def seconds(self, until: float) -> float:
        """Return how long anybody was at work on the crawl until then."""
        return spent(self.times(), until)

    def runs(self) -> list[RecordedRun]:
        """Return all runs, the first one first."""
        rows = self._database.rows(
            "SELECT id, started, ended, reason, settings, versions, worker, acts_as FROM runs ORDER BY id"
        )
        return [
            RecordedRun(id, started, ended, reason, json.loads(settings), json.loads(versions), *who)
            for id, started, ended, reason, settings, versions, *who in rows
        ]


def _truth(value: int | None) -> bool | None:
    return None if value is None else bool(value)
