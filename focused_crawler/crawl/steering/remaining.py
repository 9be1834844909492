"""What a crawl's database says of what is left to fetch: for the estimate and the monitor."""

from __future__ import annotations

from focused_crawler.crawl.steering.estimate import EDGES, Tally, estimate
from focused_crawler.crawl.steering.monitor import FrontierFacts
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

_CASES = " ".join(f"WHEN priority < {edge!r} THEN {band}" for band, edge in enumerate(EDGES))
_BAND = f"CASE {_CASES} ELSE {len(EDGES)} END"
_LEFT = f"{State.PENDING:d}, {State.WAITING:d}, {State.LEASED:d}"

# A page is found under the URL that was asked for: only that one had a score.
_PAGES = f"""
SELECT coalesce(urls.host, 0) AS asked, {_BAND} AS band, CASE WHEN position > ? THEN 1 ELSE 0 END AS late,
       count(*), count(CASE WHEN is_relevant = 1 AND duplicate_of IS NULL THEN 1 END)
FROM pages JOIN urls ON urls.key = coalesce(pages.requested_key, pages.key) GROUP BY 1, 2, 3
"""  # noqa: S608 - made of our own constants, as all here
_FAILURES = f"""
SELECT coalesce(urls.host, 0) AS asked, {_BAND} AS band, CASE WHEN failed_at > ? THEN 1 ELSE 0 END AS late,
       count(*), 0
FROM failures JOIN urls ON urls.key = failures.key GROUP BY 1, 2, 3
"""  # noqa: S608
_PENDING = f"""
SELECT coalesce(host, 0) AS asked, {_BAND} AS band, count(*) FROM urls WHERE state IN ({_LEFT}) GROUP BY 1, 2
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
            for place in (0, 2) if late else (0,):
                count[place] += tried
                count[place + 1] += relevant
    for host, band, pending in database.rows(_PENDING):
        counts.setdefault((host, band), [0, 0, 0, 0, 0])[4] = pending
    return [Tally(host, band, *count) for (host, band), count in counts.items()]


def read_facts(database: CrawlDatabase) -> FrontierFacts:
    """Look at the frontier of a crawl, which must be kept in its database: costs a pass over what waits."""
    tallies = read_tallies(database)
    expected = estimate(tallies)
    return FrontierFacts(
        pending=sum(tally.pending for tally in tallies),
        estimate=expected,
        hosts=len({tally.host for tally in tallies if tally.pending}),
        dropped=int(database.rows(_COUNT, (State.DROPPED,))[0][0]),
        not_followed=int(database.rows(_COUNT, (State.SEEN,))[0][0]),
    )
