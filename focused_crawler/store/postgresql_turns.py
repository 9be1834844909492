"""The turns of those who write into one schema: at any moment one of them has its turn, the others wait."""

from __future__ import annotations

import hashlib
from typing import Any

import psycopg
from psycopg.errors import LockNotAvailable
from psycopg.sql import SQL, Literal

LOOK_SECONDS = 5
"""Who has waited for so long looks whether the one whose turn it is still does something."""
STUCK_SECONDS = 30
"""Whose turn it is loses it after so long without a word: a stopped process, a machine that is gone."""

# The lock ends with the transaction, after its outcome can be seen by all (so in PostgreSQL), and each
# statement of READ COMMITTED sees what had been committed when it began: within a turn, all turns before.
_BEGIN = SQL(
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
    " SET LOCAL lock_timeout = {}; SELECT pg_advisory_xact_lock({}); SET LOCAL lock_timeout = 0"
)
_END_STUCK = """
SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND wait_event IN ('ClientRead', 'ClientWrite')
      AND state_change < clock_timestamp() - make_interval(secs => %s)
"""


def lock_key(words: str) -> int:
    """Return the number of an advisory lock, of 64 bits with a sign."""
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), signed=True)


class Turns:
    """Waits for a turn of a schema."""

    def __init__(self, schema: str) -> None:
        self._key = lock_key(f"{schema}: turn")
        self._begin = _BEGIN.format(Literal(f"{LOOK_SECONDS}s"), Literal(self._key))

    def begin(self, connection: psycopg.Connection[Any]) -> None:
        """Begin a transaction when it is our turn; the turn ends with the transaction."""
        while True:
            try:
                connection.execute(self._begin)
            except LockNotAvailable:
                connection.rollback()
                self._end_stuck(connection)
            else:
                return

    def _end_stuck(self, connection: psycopg.Connection[Any]) -> None:
        """Close the connection of one whose turn it is and who says nothing: what it wrote is dropped."""
        unsigned = self._key % 2**64
        connection.execute(_END_STUCK, (unsigned >> 32, unsigned % 2**32, STUCK_SECONDS))
