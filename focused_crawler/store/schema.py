"""The states of URLs, and how a crawl's database is brought up to date.

`tables.py` defines the tables. A database that lacks some, or columns or indexes, gets these, whatever
version made it. A migration marks that there is something new, and says what becomes of the rows.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.definition import Definition


class State(IntEnum):
    """Where a URL stands. SEEN ones are not in the frontier: links not followed, unqueued parents."""

    SEEN = 0
    PENDING = 1  # may be taken when its host may be asked
    WAITING = 2  # failed, and not to be tried before its retry_at
    LEASED = 3  # in memory alone, but for crawls of earlier versions
    DONE = 4
    FAILED = 5
    DROPPED = 6  # pushed out by a limit: the frontier's size, or the pages of its host


_HOSTS = """
UPDATE hosts SET pages = found.pages FROM (SELECT host, count(*) AS pages FROM pages GROUP BY host) AS found
    WHERE found.host = hosts.name
"""
_EXTERNAL = """
UPDATE links SET external = 1 WHERE
    (SELECT CASE WHEN site LIKE 'www.%' THEN substr(site, 5) ELSE site END
     FROM (SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS site
           FROM (SELECT substr(url, instr(url, '://') + 3) AS rest FROM urls WHERE id = links.source)))
 <> (SELECT CASE WHEN site LIKE 'www.%' THEN substr(site, 5) ELSE site END
     FROM (SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS site
           FROM (SELECT substr(url, instr(url, '://') + 3) AS rest FROM urls WHERE id = links.target)))
"""
_LIKENESS = "UPDATE pages SET likeness = 1.0 WHERE duplicate_of IS NOT NULL"
MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("0001_crawl", ()),
    ("0002_hosts", (_HOSTS,)),
    ("0003_strategy", ()),
    ("0004_taxonomy", ()),
    ("0005_questions", (_EXTERNAL, _LIKENESS)),  # PostgreSQL's first
    ("0006_words", ()),
    ("0007_fleet", ()),
    ("0008_by_content", ()),
    ("0009_holders", ()),
    ("0010_log_rd", ()),
    ("0011_acts_as", ()),
    ("0012_judges", ()),
    ("0013_orders", ()),
    ("0014_lowered", ()),
    ("0015_learnt", ()),
    ("0016_politeness", ()),
    ("0017_partitions", ()),
    ("0018_places", ()),
    ("0019_shares", ()),
)
"""(name, statements for the rows that are there) in the order they are applied. A released one is never
changed; new ones go to the end."""


def upgrade(
    definition: Definition,
    applied: Collection[str],
    found: Mapping[str, Collection[str]],
    migrations: Iterable[tuple[str, tuple[str, ...]]],
) -> list[str]:
    """Return the statements that make a database up to date; they belong into one transaction.

    `applied`: the migrations that it has had, none for a new one. `found`: its tables, with their columns.
    """
    states = ", ".join(f"({int(state)}, '{state.name.lower()}')" for state in State)
    missing = [(name, changes) for name, changes in migrations if name not in applied]
    return [
        *definition.statements(found),
        f"INSERT INTO states (state, name) VALUES {states} ON CONFLICT (state) DO NOTHING",  # noqa: S608
        *(change for _, changes in missing if applied for change in changes),
        *(f"INSERT INTO migrations VALUES ('{name}', {time.time()})" for name, _ in missing),  # noqa: S608
    ]


def refuse_newer(location: object, applied: Iterable[str], known: Iterable[str]) -> None:
    """Raise CrawlError for a database with a migration that this version does not know."""
    newer = sorted(set(applied) - set(known))
    if newer:
        raise CrawlError(
            f"{location} was made by a newer version ({newer[-1]}); update focused-crawler to use it"
        )
