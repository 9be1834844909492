"""Inputs of the monitor and of the estimate, read from a crawl's database: past pages, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.crawl.judged import JudgeEstimate
from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.crawl.steering.estimate import EDGES, Tally, estimate
from focused_crawler.crawl.steering.monitor import FrontierFacts, Monitor, Seen
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

if TYPE_CHECKING:
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy

_SEEN_PAGES = """
SELECT position, relevance, is_relevant, host FROM judged_pages WHERE position > ? ORDER BY position LIMIT ?
"""
_AT_ONCE = 500
_ALARMS = """
SELECT (SELECT count(*) FROM pages WHERE fetched_at <= decided_at) FROM decisions WHERE decision = 'alarm'
"""


_LAST_DECISION = "SELECT coalesce(max(id), 0) FROM decisions"
_TOLD = "SELECT 1 FROM decisions WHERE id > ? AND decision = 'alarm' LIMIT 1"


def last_decision(database: CrawlDatabase) -> int:
    """Return the number of the last decision, 0: there is none."""
    return int(database.rows(_LAST_DECISION)[0][0])


def is_told_since(database: CrawlDatabase, decision: int) -> bool:
    """Tell whether an alarm was raised after the decision of a number, by whichever process."""
    return bool(database.rows(_TOLD, (decision,)))


def watch(database: CrawlDatabase, threshold: float) -> Monitor:
    """Return the monitor of a crawl, as the runs before left it."""
    monitor = Monitor(threshold)
    monitor.restore(seen_after(database, 0), [pages for (pages,) in database.rows(_ALARMS)])
    return monitor


def seen_after(database: CrawlDatabase, position: int) -> Iterator[Seen]:
    """Yield the pages that were recorded after the one at a position, by whichever process."""
    for rows in database.chunks(_SEEN_PAGES, (position,), _AT_ONCE):
        for _, relevance, is_gain, host in rows:
            yield Seen(relevance, bool(is_gain), host)


def advised_marks(folder: Path, taxonomy: MarkedTaxonomy | None) -> tuple[str, ...]:
    """Return the categories that should be good, by the census of a crawl; none: no advice."""
    if taxonomy is None or not taxonomy.good:
        return ()
    from focused_crawler.classify.taxonomy.related import census, related  # noqa: PLC0415 - few crawls need it

    try:
        counted = census(folder)
    except CrawlError:  # no page has a category yet
        return ()
    return related(taxonomy.model.tree, taxonomy.good, counted).marks


_CASES = " ".join(f"WHEN priority < {edge!r} THEN {band}" for band, edge in enumerate(EDGES))
_BAND = f"CASE {_CASES} ELSE {len(EDGES)} END"
_LEFT = f"{State.PENDING:d}, {State.WAITING:d}, {State.LEASED:d}"

# A page is found under the URL that was asked for: only that one had a score.
_PAGES = f"""
SELECT coalesce(urls.host, 0) AS asked, {_BAND} AS band, CASE WHEN position > ? THEN 1 ELSE 0 END AS late,
       count(*), sum(is_relevant)
FROM judged_pages AS pages JOIN urls ON urls.key = coalesce(pages.requested_key, pages.key) GROUP BY 1, 2, 3
"""  # noqa: S608 - made of our own constants, as all here
_FAILURES = f"""
SELECT coalesce(urls.host, 0) AS asked, {_BAND} AS band, CASE WHEN failed_at > ? THEN 1 ELSE 0 END AS late,
       count(*), 0
FROM failures JOIN urls ON urls.key = failures.key GROUP BY 1, 2, 3
"""  # noqa: S608
_PENDING = f"""
SELECT coalesce(host, 0) AS asked, {_BAND} AS band, count(*) FROM urls WHERE state IN ({_LEFT}) GROUP BY 1, 2
"""  # noqa: S608
# What waits to be revisited is fetched, and no further page.
_AGAIN = f"""
SELECT coalesce(urls.host, 0) AS asked, {_BAND} AS band, count(*) FROM pages JOIN urls ON urls.key = pages.key
WHERE urls.state IN ({_LEFT}) AND EXISTS (SELECT 1 FROM revisits) GROUP BY 1, 2
"""  # noqa: S608
_MIDDLE = """
SELECT position, fetched_at FROM pages WHERE position <= (SELECT max(position) FROM pages) / 2
ORDER BY position DESC LIMIT 1
"""
_COUNT = "SELECT count(*) FROM urls WHERE state = ?"


def read_tallies(database: CrawlDatabase) -> list[Tally]:
    """Count the URLs that were asked for and those that wait, by host and band of scores."""
    position, time = (database.rows(_MIDDLE) or [(0, 0.0)])[0]
    counts: dict[tuple[int, int], list[int]] = {}
    for query, since in ((_PAGES, position), (_FAILURES, time)):
        for host, band, late, tried, relevant in database.rows(query, (since,)):
            count = counts.setdefault((host, band), [0, 0, 0, 0, 0])
            for half in (0, 2) if late else (0,):
                count[half] += tried
                count[half + 1] += relevant
    for host, band, pending in database.rows(_PENDING):
        counts.setdefault((host, band), [0, 0, 0, 0, 0])[4] = pending
    for host, band, again in database.rows(_AGAIN):
        if (known := counts.get((host, band))) is not None:  # a crawl under way may have moved it
            known[4] = max(0, known[4] - again)
    return [Tally(host, band, *count) for (host, band), count in counts.items()]


def read_facts(database: CrawlDatabase, known: JudgeEstimate | None) -> FrontierFacts:
    """Read the frontier of a crawl, which must be in its database: costs a pass over what waits.

    `known`: of the crawl's judge.
    """
    database.flush()  # links that were not followed may not be written yet
    tallies = read_tallies(database)
    left = None if known is None else estimate(tallies, known.relevant)
    return FrontierFacts(
        pending=sum(tally.pending for tally in tallies),
        estimate=estimate(tallies),
        left="" if left is None or known is None else in_words(left, known.relevant.value),
        hosts=len({tally.host for tally in tallies if tally.pending}),
        dropped=int(database.rows(_COUNT, (State.DROPPED,))[0][0]),
        not_followed=int(database.rows(_COUNT, (State.SEEN,))[0][0]),
    )
