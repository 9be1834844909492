"""How each host was really asked: how often, at what distance, and how long it was left after a refusal.

What the frontier plans is in `hosts`; this is what went out, robots.txt and redirects included.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.values import storable

WRITE_SECONDS = 5.0
"""A crawl that is killed loses so much of it."""
MOST_NEW = 100
"""So many hosts are counted before they are written, however little time has passed."""
MOST_HOSTS = 100_000
"""Whose last request is remembered; of one that was forgotten, the distance to its next is not known."""

TABLE = "politeness"
_ADD = f"""
ON CONFLICT (host) DO UPDATE SET
    requests = {TABLE}.requests + excluded.requests,
    refusals = {TABLE}.refusals + excluded.refusals,
    shortest_gap = CASE WHEN {TABLE}.shortest_gap IS NULL OR excluded.shortest_gap < {TABLE}.shortest_gap
        THEN excluded.shortest_gap ELSE {TABLE}.shortest_gap END,
    longest_pause = CASE WHEN {TABLE}.longest_pause IS NULL OR excluded.longest_pause > {TABLE}.longest_pause
        THEN excluded.longest_pause ELSE {TABLE}.longest_pause END
"""
_COLUMNS = "(host, requests, refusals, shortest_gap, longest_pause)"
_ROW = Bulk(
    f"INSERT INTO {TABLE} {_COLUMNS} VALUES (?, ?, ?, ?, ?) {_ADD}",  # noqa: S608
    f"""
    INSERT INTO {TABLE} {_COLUMNS}
    SELECT * FROM unnest(
        ?::text[], ?::bigint[], ?::bigint[], ?::double precision[], ?::double precision[]
    ) AS given {_COLUMNS} {_ADD}
    """,  # noqa: S608
)


@dataclass(slots=True)
class _Since:
    """What came since the last write."""

    requests: int = 0
    refusals: int = 0
    shortest_gap: float | None = None
    longest_pause: float | None = None


class RequestLedger:
    """Counts what one process asks; others of a fleet add theirs. Times are of a monotonic clock."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._new: dict[str, _Since] = {}
        self._asked_at: dict[str, float] = {}
        self._refused_at: dict[str, float] = {}
        self._written_at = float("-inf")

    def asked(self, host: str, now: float, *, is_robots: bool = False) -> None:
        """Count a request that goes out now; the page that waits for robots.txt follows it at once."""
        since = self._since(host, now)
        since.requests += 1
        if is_robots:
            return
        before = self._asked_at.pop(host, None)
        if before is not None and (since.shortest_gap is None or now - before < since.shortest_gap):
            since.shortest_gap = now - before
        _remember(self._asked_at, host, now)
        refused_at = self._refused_at.pop(host, None)
        if refused_at is not None:
            since.longest_pause = max(since.longest_pause or 0.0, now - refused_at)

    def refused(self, host: str, now: float) -> None:
        """Count an answer that asks to be left alone: 429, 503 or one with Retry-After."""
        self._since(host, now).refusals += 1
        _remember(self._refused_at, host, now)

    def write(self) -> None:
        """Write what came since the last time, as part of the transaction."""
        rows = [
            (storable(host), one.requests, one.refusals, one.shortest_gap, one.longest_pause)
            for host, one in sorted(self._new.items())
        ]
        self._new.clear()
        self._written_at = time.monotonic()
        if rows:
            self._database.write_all(_ROW, rows)

    def _since(self, host: str, now: float) -> _Since:
        if now - self._written_at > WRITE_SECONDS or len(self._new) >= MOST_NEW:
            self._database.defer(self.write, TABLE)
        return self._new.setdefault(host, _Since())


def _remember(times: dict[str, float], host: str, now: float) -> None:
    if host not in times and len(times) >= MOST_HOSTS:
        del times[next(iter(times))]
    times[host] = now
