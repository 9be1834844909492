"""Alarms that stand: those of the last run, or fleet, that nobody has answered by an order."""

from __future__ import annotations

from collections.abc import Collection

from focused_crawler.report.summary import AlarmRow
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase

# A run of one process is over when another begins; workers of a fleet come while others work, and go.
_STANDING = """
SELECT rule, decided_at, detail FROM decisions WHERE decision = 'alarm' AND NOT EXISTS (
    SELECT 1 FROM runs AS later WHERE later.id > decisions.run AND (
        later.worker IS NULL OR later.started > decided_at AND NOT EXISTS (
            SELECT 1 FROM runs AS own WHERE own.id < later.id AND own.started <= decided_at AND (
                own.ended > later.started
                OR own.ended IS NULL AND own.worker IN (SELECT name FROM workers)
            )
        )
    )
) AND NOT EXISTS (SELECT 1 FROM orders WHERE what IN (?, ?, ?) AND done_at >= decided_at)
"""
_ANSWERS = (orders.ADD, orders.MARKS, orders.MODEL)


def standing_alarms(database: CrawlDatabase, ids: Collection[int] | None = None) -> list[AlarmRow]:
    """Return them in order; `ids`: of decisions, where it is known which ones are alarms."""
    among, which = ("", ()) if ids is None else (f"AND id {database.among}", (database.many(ids),))
    rows = database.rows(f"{_STANDING} {among} ORDER BY decided_at, id", (*_ANSWERS, *which))
    return [AlarmRow(*row) for row in rows]
