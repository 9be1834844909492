"""A crawl's database as a schema (namespace) of a PostgreSQL database: opening, locking, making.

A schema is of one process, or shared by many; it stays what it was made as.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Sequence
from typing import Any

import psycopg
from psycopg.errors import LockNotAvailable
from psycopg.sql import SQL, Identifier, Literal
from sqlalchemy import make_url

from focused_crawler.safety.errors import CrawlError, CrawlInUse
from focused_crawler.store.address import parsed, shown
from focused_crawler.store.ddl import definition_of
from focused_crawler.store.location import Location, closed_on_error
from focused_crawler.store.postgresql.connection import (
    PostgresqlConnection,
    SharedConnection,
    connecting_failed,
    is_callers,
    using_failed,
)
from focused_crawler.store.schema import MIGRATIONS, refuse_newer, upgrade
from focused_crawler.store.tables import METADATA, VIEWS

WAIT_SECONDS = 5
"""After waiting so long for the write lock, a writer checks whether its owner is still active."""
STUCK_SECONDS = 30
"""An owner loses the write lock after so long in silence: a stopped process, a machine that is gone."""

# The lock ends with the transaction, after its outcome can be seen by all (so in PostgreSQL), and each
# statement of READ COMMITTED sees what had been committed when it began: all locked transactions before.
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

_IS_LOCKED = """
SELECT 1 FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1
"""


def lock_key(words: str) -> int:
    """Return the number of an advisory lock, of 64 bits with a sign."""
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), signed=True)


def _halves(key: int) -> tuple[int, int]:
    """Return the two numbers by which pg_locks has an advisory lock."""
    return divmod(key % 2**64, 2**32)


class WriteLock:
    """Lets one of many writers of a schema begin a transaction at a time."""

    def __init__(self, schema: str) -> None:
        self._key = lock_key(f"{schema}: turn")  # of all versions
        self._begin = _BEGIN.format(Literal(f"{WAIT_SECONDS}s"), Literal(self._key))

    def begin(self, connection: psycopg.Connection[Any]) -> None:
        """Begin a transaction as soon as the lock is free; the lock ends with the transaction."""
        while True:
            try:
                connection.execute(self._begin)
            except LockNotAvailable:
                connection.rollback()
                self._end_stuck(connection)
            else:
                return

    def _end_stuck(self, connection: psycopg.Connection[Any]) -> None:
        """Close the connection of an owner that sends nothing: what it wrote is dropped."""
        connection.execute(_END_STUCK, (*_halves(self._key), STUCK_SECONDS))


_COLUMNS = """
SELECT table_name, array_agg(column_name::text) FROM information_schema.columns
WHERE table_schema = %s GROUP BY table_name
"""
_DIALECT = make_url("postgresql+psycopg://").get_dialect()()
_OPTIONS = {
    "connect_timeout": 10,
    "application_name": "focused-crawler",
    "keepalives_idle": 30,  # a server whose machine has died is given up after a minute
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_MARK = "a crawl of several workers"
_WRITER = (
    "SET synchronous_commit = off",  # as SQLite: kill -9 of the crawl loses no commit, a power cut the last
    "SET enable_seqscan = off",  # new tables have no statistics, and grow faster than these are gathered
    "SET jit = off",
    "SET idle_in_transaction_session_timeout = 0",
    "SET tcp_keepalives_idle = 60",  # the lock of a machine that has died is free after two minutes
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 6",
)
_LOCK_TRIES, _LOCK_PAUSE = 20, 0.05
"""The server needs a moment to see that a process was killed; the pause is in seconds."""


def connect(address: str, **options: Any) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to a server by an address as a user writes it; raises CrawlError."""
    _, given = _DIALECT.create_connect_args(parsed(address))
    try:
        return psycopg.connect(**{**_OPTIONS, **options, **given})
    except psycopg.Error as error:
        raise CrawlError(connecting_failed(shown(address), error)) from None


class PostgresqlSchema(Location):
    """A database's address, and the name of a crawl's schema in it; locked while it is open for writing.

    Where it is shared, others that share it may be open as well, and nobody else.
    """

    errors = (psycopg.Error,)
    has_arrays = True
    among = "= ANY (?)"
    begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ"

    def __init__(self, address: str, schema: str, *, shared: bool = False, is_of_many: bool = False) -> None:
        """`is_of_many`: it is shared, and is now opened for one process alone."""
        self.schema = schema
        self.is_shared, self._is_of_many = shared, shared or is_of_many
        self._write_lock = WriteLock(schema)
        self._address = address
        self._shown = shown(address)

    def __str__(self) -> str:
        return f"{self._shown} (schema {self.schema})"

    def many(self, values: Collection[Any]) -> list[Any]:
        """Return a list: an array of PostgreSQL."""
        return list(values)

    def open(self, *, read_only: bool) -> PostgresqlConnection:
        """Open or create and bring up to date; raises CrawlError."""
        connection = connect(self._address)
        with closed_on_error(connection):
            try:
                self._set_up(connection, read_only=read_only)
            except psycopg.Error as error:
                raise self._refusal(error) from error
        if self.is_shared and not read_only:
            return SharedConnection(connection)
        return PostgresqlConnection(connection, waits=read_only)

    def begin_locked(self, connection: PostgresqlConnection) -> None:
        """Wait for the write lock, where there are other writers."""
        if isinstance(connection, SharedConnection):
            connection.begin(self._write_lock.begin)

    def explained(self, error: psycopg.Error) -> CrawlError | None:
        """Return one line that says what is wrong with the database and what to do."""
        return None if is_callers(error) else self._refusal(error)

    def write_beside(self, sql: str, values: Sequence[Any]) -> None:
        """Run one statement beside whoever crawls."""
        with self.connect_beside() as connection:
            try:
                connection.execute(sql.replace("?", "%s").encode(), values)
            except psycopg.Error as error:
                raise self._refusal(error) from error

    def connect_beside(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Return a connection that takes no part in the crawl's lock; it commits each statement."""
        connection = connect(self._address, autocommit=True)
        with closed_on_error(connection):
            try:
                connection.execute(SQL("SET search_path TO {}").format(Identifier(self.schema)))
            except psycopg.Error as error:
                raise self._refusal(error) from error
        return connection

    def is_locked(self) -> bool:
        """Ask the server who holds the lock of a crawl, alone or with others."""
        with connect(self._address, autocommit=True) as connection:
            try:
                return connection.execute(_IS_LOCKED, _halves(lock_key(self.schema))).fetchone() is not None
            except psycopg.Error as error:
                raise self._refusal(error) from error

    def _refusal(self, error: psycopg.Error) -> CrawlError:
        return CrawlError(using_failed(str(self), error))

    def _set_up(self, connection: psycopg.Connection[Any], *, read_only: bool) -> None:
        connection.execute(SQL("SET search_path TO {}").format(Identifier(self.schema)))
        if not read_only:
            connection.execute("; ".join(_WRITER))
            self._lock(connection)
        connection.commit()
        if self.is_shared and not read_only:
            connection.autocommit = True
            self._write_lock.begin(connection)  # one makes the tables, others that begin now find them
        applied = self._check(connection)
        if not read_only:
            if applied is not None:
                self._check_kind(connection)
            self._migrate(connection, applied)
        elif applied is None:
            raise CrawlError(f"{self} does not exist; give the folder of a crawl that has begun")
        elif set(applied) < {name for name, _ in MIGRATIONS}:
            connection.commit()
            PostgresqlSchema(self._address, self.schema, is_of_many=True).bring_up_to_date()
        connection.commit()
        if read_only or self.is_shared:
            connection.autocommit = True  # no transaction that lasts
            connection.execute("SET default_transaction_read_only = on")  # but in a locked transaction

    def _lock(self, connection: psycopg.Connection[Any]) -> None:
        kind = "_shared" if self.is_shared else ""
        for _ in range(_LOCK_TRIES):
            if _value(connection, f"SELECT pg_try_advisory_lock{kind}(%s::bigint)", lock_key(self.schema)):
                return
            time.sleep(_LOCK_PAUSE)
        raise CrawlInUse(f"{self} is being crawled by another process; wait for it to end or use another job")

    def _check(self, connection: psycopg.Connection[Any]) -> list[str] | None:
        """Return the migrations a schema has had, None if there is none; refuse what is none of ours."""
        if not _value(connection, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", self.schema):
            return None
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (self.schema,))
        if ("migrations",) not in tables.fetchall():
            raise CrawlError(f"{self} is a schema but not one of a crawl; use another job")
        applied = [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")]
        refuse_newer(self, applied, dict(MIGRATIONS))
        return applied

    def _check_kind(self, connection: psycopg.Connection[Any]) -> None:
        """Refuse a crawl of one process where many are to share it, and the other way round."""
        mark = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s"
        is_shared = _value(connection, mark, self.schema) == _MARK
        if is_shared and not self._is_of_many:
            raise CrawlError(f"{self} is {_MARK}; go on with scrapy fleet, or use another job")
        if self.is_shared and not is_shared:
            raise CrawlError(
                f"{self} is a crawl of one process; go on without FOCUSED_FRONTIER, or use another job"
            )

    def _migrate(self, connection: psycopg.Connection[Any], applied: list[str] | None) -> None:
        """Make the newest schema, or apply what is missing: all of it, with its record, or nothing."""
        if applied is not None and set(applied) >= {name for name, _ in MIGRATIONS}:
            return
        if applied is None:
            connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(self.schema)))
            if self.is_shared:
                comment = SQL("COMMENT ON SCHEMA {} IS {}").format(Identifier(self.schema), Literal(_MARK))
                connection.execute(comment)
        found: dict[str, list[str]] = dict(connection.execute(_COLUMNS, (self.schema,)).fetchall())
        definition = definition_of(METADATA, VIEWS, _DIALECT)
        connection.execute(";\n".join(upgrade(definition, applied or (), found, MIGRATIONS)).encode())


def _value(connection: psycopg.Connection[Any], sql: Any, value: object) -> Any:
    row = connection.execute(sql, (value,)).fetchone()
    return row[0] if row else None
