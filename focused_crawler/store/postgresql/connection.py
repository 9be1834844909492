"""A connection to PostgreSQL that takes the SQL, and gives the values, that one to SQLite does."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.array import ListBinaryDumper
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

_CONNECTING = (
    ("no password supplied", "give its password in PGPASSWORD or ~/.pgpass"),
    ("password authentication failed", "give the right password in PGPASSWORD or ~/.pgpass"),
    ('role "', "name a user that its server knows, as in postgresql://USER@HOST/DATABASE"),
    ("permission denied", "grant its user CONNECT on the database"),
    ('database "', "make that database with createdb, or name another in FOCUSED_DATABASE"),
    ("too many", "close other programs that use it"),
)
_OTHERWISE = "see that its server runs and that FOCUSED_DATABASE is right"
_USING: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, "cannot grow: its server's disk is full; free some space"),
    (errors.InsufficientPrivilege, "may not be used so ({}); grant its user CREATE on the database"),
    (errors.ReadOnlySqlTransaction, "cannot be written to ({}); use a database that can"),
    (errors.LockNotAvailable, "is locked by another program; close that"),
    (errors.DeadlockDetected, "is locked by another program; close that"),
    (errors.InvalidSchemaName, "is no more there ({}); put it back, or begin anew with another job"),
    (errors.UndefinedTable, "is no more there ({}); put it back, or begin anew with another job"),
)
_LOST = "cannot be used ({}); see that its server runs"
_CALLERS = (
    psycopg.IntegrityError,
    psycopg.ProgrammingError,
    psycopg.DataError,
    psycopg.NotSupportedError,
    psycopg.InterfaceError,
)


def is_callers(error: psycopg.Error) -> bool:
    """Tell whether a statement was wrong, not the database."""
    return isinstance(error, _CALLERS) and not isinstance(error, tuple(kind for kind, _ in _USING))


def connecting_failed(address: str, error: psycopg.Error) -> str:
    """Return the message when there is no connection to an address (without its password)."""
    reason = _one_line(error)
    cure = next((cure for words, cure in _CONNECTING if words in reason), _OTHERWISE)
    return f"{address} cannot be opened ({reason}); {cure}"


def using_failed(name: str, error: psycopg.Error) -> str:
    """Return the message when a statement fails."""
    words = next((words for kind, words in _USING if isinstance(error, kind)), _LOST)
    return f"{name} {words.format(_one_line(error))}, and run the same command again"


def _one_line(error: psycopg.Error) -> str:
    """Return the message of the server, or of the last address that was tried."""
    if error.diag.message_primary:
        return " ".join(error.diag.message_primary.split())[:300]
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]
    last = lines[-1] if lines else type(error).__name__
    return " ".join(last.removeprefix("- ").split())[:300]


_STATEMENTS_PREPARED = 500
_TOKENS = re.compile(
    r"""
    '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/  # left as they are
    | \?(\d*)
    """,
    re.VERBOSE | re.DOTALL,
)


class PostgresqlCursor:
    """What a statement comes to, waited for when it is asked for."""

    def __init__(self, cursor: psycopg.RawCursor[tuple[Any, ...]], pipeline: psycopg.Pipeline | None) -> None:
        self._cursor, self._pipeline = cursor, pipeline

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""
        if self._pipeline is not None and self._cursor.pgresult is None:
            self._pipeline.sync()
        return self._cursor.rowcount

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows read."""
        return self._cursor.fetchall()

    def expect(self, answer: str) -> None:
        """Raise unless the server did this: it answers ROLLBACK to the COMMIT of what has failed."""
        if self._cursor.statusmessage != answer:
            raise psycopg.errors.InFailedSqlTransaction("the transaction had failed before")


class PostgresqlConnection:
    """Sends statements without waiting for the answer, until somebody asks for one or commits.

    So a write costs no round trip; that it has failed shows with a later statement, or with the commit. The
    driver prepares what is run often.
    """

    _pipeline: psycopg.Pipeline | None = None

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], *, waits: bool) -> None:
        """Take over an open connection; `waits`: for each answer, as who only reads has to."""
        self._connection = connection
        self._in_pipeline = contextlib.ExitStack()
        if not waits:
            self._begin_pipeline()
        connection.prepare_threshold = 2
        connection.prepared_max = _STATEMENTS_PREPARED
        connection.adapters.register_dumper(list, ListBinaryDumper)  # a quarter of the text's cost
        connection.adapters.register_dumper(int, Int8BinaryDumper)  # within lists
        connection.adapters.register_dumper(int, Int8Dumper)  # one type, so that a statement is prepared once
        connection.adapters.register_dumper(bool, Int8Dumper)
        connection.adapters.register_loader("numeric", _NumberLoader)

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresqlCursor:
        """Run a statement."""
        cursor = psycopg.RawCursor(self._connection).execute(numbered(sql), values)
        return PostgresqlCursor(cursor, self._pipeline)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement once a row."""
        psycopg.RawCursor(self._connection).executemany(numbered(sql), rows)

    def commit(self) -> None:
        """End the transaction, storing it."""
        self._connection.commit()

    def rollback(self) -> None:
        """End the transaction, dropping it."""
        self._connection.rollback()

    def close(self) -> None:
        """End the connection, and with it the transaction and the lock."""
        with contextlib.suppress(psycopg.Error):  # of what is dropped
            self._end_pipeline()
        self._connection.close()

    def _begin_pipeline(self) -> None:
        self._pipeline = self._in_pipeline.enter_context(self._connection.pipeline())

    def _end_pipeline(self) -> None:
        """Wait for all answers; raises what is among them."""
        self._pipeline = None
        self._in_pipeline.close()


class SharedConnection(PostgresqlConnection):
    """Reads as a reader does; its locked transactions send without waiting."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Take over an open connection, which commits each statement and only reads."""
        super().__init__(connection, waits=True)

    def begin(self, lock: Callable[[psycopg.Connection[Any]], None]) -> None:
        """Begin a transaction by `lock`, which waits for the write lock."""
        lock(self._connection)
        self._begin_pipeline()

    def commit(self) -> None:
        """End the transaction, storing what was written; raises what went wrong with any of it."""
        ended = self.execute("COMMIT")
        self._end_pipeline()
        ended.expect("COMMIT")

    def rollback(self) -> None:
        """End the transaction, dropping what was written."""
        with contextlib.suppress(psycopg.Error):  # of what is dropped
            self._end_pipeline()
        super().rollback()


@lru_cache(maxsize=1024)
def numbered(sql: str) -> bytes:
    """Return a statement with numbered placeholders; `?3` keeps its number, as in SQLite.

    >>> numbered("SELECT '?' WHERE x = ? OR y = ?1 OR z LIKE '%?' || ?")
    b"SELECT '?' WHERE x = $1 OR y = $1 OR z LIKE '%?' || $2"
    """
    last = 0

    def number(found: re.Match[str]) -> str:
        nonlocal last
        if found[1] is None:
            return found[0]
        wanted = int(found[1] or last + 1)
        last = max(last, wanted)
        return f"${wanted}"

    return _TOKENS.sub(number, sql).encode()


class _NumberLoader(Loader):
    """Sums of whole numbers are whole, means are not: where PostgreSQL has a decimal for both."""

    def load(self, data: Buffer) -> float:
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)
