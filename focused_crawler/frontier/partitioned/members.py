"""Who is at work, and whose each partition is; changed in locked transactions only.

A worker's row is its lease of all it holds. Whoever finds one without a heartbeat for too long deletes the
row and frees its partitions; its run ended with its last heartbeat. The worker, if it wakes up, finds no row
in its next transaction, and stores nothing. Names are never used again, so that a row cannot come back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from focused_crawler.frontier.base import Info
from focused_crawler.frontier.partitioned.partition import PARTITIONS
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase, Written

WORKER_SECONDS = 6.0
"""A worker without a heartbeat for so long is dead: others take over its hosts."""
FENCE_SECONDS = WORKER_SECONDS / 2
"""A worker that had no heartbeat for so long asks no host any more."""

NOW = "extract(epoch FROM clock_timestamp())::float8"
_JOIN = f"INSERT INTO workers (name, heartbeat_at, report, supply) VALUES (?, {NOW}, ?, '')"  # noqa: S608
_MAKE = """
INSERT INTO partitions (number) SELECT generate_series(0, ?::bigint - 1)
ON CONFLICT (number) DO NOTHING
"""
_WORKERS = f"SELECT name, {NOW} - heartbeat_at FROM workers ORDER BY name"  # noqa: S608
_BURY = f"""
UPDATE partitions SET worker = NULL, asked_until = workers.heartbeat_at + {FENCE_SECONDS}
FROM workers WHERE workers.name = partitions.worker AND workers.name = ANY (?)
"""  # noqa: S608
_END_RUNS = """
UPDATE runs SET ended = heartbeat_at FROM workers
WHERE workers.name = runs.worker AND workers.name = ANY (?) AND runs.ended IS NULL
"""
_REMOVE = "DELETE FROM workers WHERE name = ANY (?)"
_OF_NOBODY = """
UPDATE partitions SET worker = NULL
WHERE worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workers WHERE name = worker)
"""
_CLAIM = """
UPDATE partitions SET worker = ? WHERE number IN (
    SELECT number FROM partitions WHERE worker IS NULL ORDER BY number LIMIT ?
) RETURNING number, asked_until
"""
_FREE = "UPDATE partitions SET worker = NULL, asked_until = 0 WHERE worker = ? AND number = ANY (?)"
_LEAVE = "UPDATE partitions SET worker = NULL, asked_until = 0 WHERE worker = ?"


def lost(worker: str) -> CrawlError:
    """Return what ends a worker whose row is gone."""
    return CrawlError(
        f"this worker ({worker}) was stopped for so long that others have its hosts;"
        " run the same command again"
    )


class Moves(NamedTuple):
    """What becomes of partitions in one transaction."""

    claimed: dict[int, float]  # and until when a dead owner may have asked the hosts, by the server's clock
    freed: frozenset[int]


class Members:
    """One worker among all; every method is part of a locked transaction."""

    def __init__(self, database: CrawlDatabase, worker: str) -> None:
        self._database, self._worker = database, worker

    def join(self, report: Info) -> bool:
        """Enter; return whether nobody else is at work."""
        self._database.execute(_MAKE, (PARTITIONS,))
        is_alone = not self._living(can_bury=True, but=self._worker)
        self._database.execute(_JOIN, (self._worker, json.dumps(dict(report))))
        return is_alone

    def ask(self) -> Written:
        """Ask for this worker's row; its `rowcount` costs no wait once something else was waited for."""
        return self._database.execute("SELECT 1 FROM workers WHERE name = ?", (self._worker,))

    def rebalance(self, held: frozenset[int], idle: Sequence[int], *, can_bury: bool) -> Moves:
        """Come nearer to an equal share: take what is free, or free some of the `idle`, the first ones first.

        `can_bury`: this worker was awake for long enough to tell who is not.
        """
        living = sorted({*self._living(can_bury=can_bury), self._worker})
        share, more = divmod(PARTITIONS, len(living))
        share += living.index(self._worker) < more
        if len(held) > share:
            freed = frozenset(idle[: len(held) - share])
            self._database.execute(_FREE, (self._worker, sorted(freed)))
            return Moves({}, freed)
        self._database.execute(_OF_NOBODY)
        claimed = self._database.rows(_CLAIM, (self._worker, share - len(held)))
        return Moves(dict(claimed), frozenset())

    def leave(self) -> bool:
        """Free all, and go; return whether nobody else is at work."""
        self._database.execute(_LEAVE, (self._worker,))
        self._database.execute(_REMOVE, ([self._worker],))
        return not self._living(can_bury=True)

    def _living(self, *, can_bury: bool, but: str = "") -> list[str]:
        """Return the workers with a heartbeat; bury the others."""
        ages = {name: age for name, age in self._database.rows(_WORKERS) if name != but}
        dead = [name for name, age in ages.items() if age > WORKER_SECONDS]
        if dead and can_bury:
            for bury in (_BURY, _END_RUNS, _REMOVE):
                self._database.execute(bury, (dead,))
        return [name for name in ages if name not in dead]
