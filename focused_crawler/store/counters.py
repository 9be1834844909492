"""Totals over all runs, which several writers may add to."""

from __future__ import annotations

from collections.abc import Mapping

from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.text import storable_integer

ADD = """
DO UPDATE SET value = CASE
    WHEN abs(CAST(counters.value AS DOUBLE PRECISION) + excluded.value) < 9e18
    THEN counters.value + excluded.value ELSE counters.value END
"""
"""What to do with a counter that is there; one that would leave 64 bits stays as it is."""
_COUNTER = Bulk(
    f"INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) {ADD}",  # noqa: S608
    f"""
    INSERT INTO counters (name, value)
    SELECT name, value FROM unnest(?::text[], ?::bigint[]) AS given (name, value)
    ON CONFLICT (name) {ADD}
    """,  # noqa: S608
)


def read_counters(database: CrawlDatabase) -> dict[str, int]:
    """Return all totals by name."""
    return dict(database.rows("SELECT name, value FROM counters"))


def add_to_counters(database: CrawlDatabase, more: Mapping[str, int]) -> None:
    """Add to some, as part of the transaction."""
    rows = [(name, storable_integer(number)) for name, number in more.items()]
    database.write_all(_COUNTER, rows)
