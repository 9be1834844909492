"""The database of a crawl, in any location: transactions, and errors a user can fix."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.location import Location
from focused_crawler.store.sqlite_file import SqliteFile

if TYPE_CHECKING:
    from focused_crawler.store.postgresql.connection import PostgresqlConnection, PostgresqlCursor

    Connection = sqlite3.Connection | PostgresqlConnection
    Cursor = sqlite3.Cursor | PostgresqlCursor

_COMMITS_A_MAINTENANCE = 1024
_USED = re.compile(r"\b(?:FROM|JOIN|UPDATE) (\w+)")
_VIEWS = {
    "named_links": ("links",),
    "named_urls": ("states", "hosts"),
    "judged_pages": ("pages",),
}
"""Views of tables that rows may wait for."""


class Bulk(NamedTuple):
    """A statement that writes many rows, in two forms: once a row, and once for all rows, out of arrays."""

    each: str
    batch: str


class Written:
    """What a statement wrote; to ask may mean to wait for the database."""

    __slots__ = ("_cursor", "_database")

    def __init__(self, database: CrawlDatabase, cursor: Cursor) -> None:
        self._database, self._cursor = database, cursor

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""
        try:
            return self._cursor.rowcount
        except self._database.location.errors as error:
            raise self._database.failed(error) from error


class CrawlDatabase(Closing):
    """One connection to a crawl's database; the only writer while it is open, unless that is shared.

    SQL is what SQLite and PostgreSQL share, with `?` for values. Writes begin a transaction by themselves;
    nothing is stored until `commit`. What many pages leave in a table may be gathered, to be written at once
    (`defer`). After an error nothing more can be read, written or committed: the
    database holds what the last commit held. A shared database is written in locked transactions only.
    """

    def __init__(self, location: str | Path | Location, *, read_only: bool = False) -> None:
        """Open or create; `read_only` opens what exists, without a lock, even beside a running crawl.

        `location`: the path of an SQLite file, or a location of another kind.
        """
        self.location: Location = SqliteFile(Path(location)) if isinstance(location, str | Path) else location
        self.is_shared = self.location.is_shared and not read_only
        self.among = self.location.among
        self.many = self.location.many
        self._errors = self.location.errors
        self.failure: CrawlError | None = None  # after which nothing more can be read or written
        self._commits = 0
        self._transactions = 0
        self._is_locked = False
        self._deferred: dict[Callable[[], None], tuple[str, ...]] = {}  # and the tables that each writes
        self._connection: Connection = self.location.open(read_only=read_only)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Written:
        """Run one statement that writes."""
        self._write_before(sql)
        try:
            return Written(self, self._writable().execute(sql, values))
        except self._errors as error:
            raise self.failed(error) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement that writes, once a row."""
        try:
            self._writable().executemany(sql, rows)
        except self._errors as error:
            raise self.failed(error) from error

    def write_all(self, bulk: Bulk, rows: Sequence[Sequence[Any]]) -> None:
        """Write many rows in the way that costs this database least."""
        if not self.location.has_arrays:
            self.executemany(bulk.each, rows)
        elif rows:
            self.execute(bulk.batch, list(map(list, zip(*rows, strict=True))))

    def write_columns(self, bulk: Bulk, columns: Sequence[list[Any]]) -> None:
        """Write many rows, given as columns."""
        if self.location.has_arrays:
            self.execute(bulk.batch, columns)
        else:
            self.executemany(bulk.each, zip(*columns, strict=True))

    def defer(self, write: Callable[[], None], *tables: str) -> None:
        """Call `write` before the next commit; sooner if a statement by `rows` or `execute` uses the tables.

        In a shared database what is gathered outside of a locked transaction waits for the next one.
        """
        self._deferred[write] = tables

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a query, or of a statement that returns what it wrote."""
        self._write_before(sql)
        try:
            return self._usable().execute(sql, values).fetchall()
        except self._errors as error:
            raise self.failed(error) from error

    def chunks(self, sql: str, after: Sequence[Any] = (0,), size: int = 10_000) -> Iterator[list[Any]]:
        """Yield the rows of a query in lists of up to `size`: none stays open while the crawl writes.

        It takes the first columns of the row `after` which it goes on, and how many rows it may return.
        """
        while rows := self.rows(sql, (*after, size)):
            yield rows
            after = rows[-1][: len(after)]

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that a reader reads within be of one moment, whatever a crawl writes meanwhile.

        The database grows by what is written meanwhile and replaced: it is no place to wait in.
        """
        try:
            self._usable().execute(self.location.begin_snapshot)
        except self._errors as error:
            raise self.failed(error) from error
        try:
            yield
        finally:
            with contextlib.suppress(*self._errors):
                self._connection.rollback()

    @contextlib.contextmanager
    def locked_transaction(self) -> Iterator[None]:
        """Hold the write lock for a transaction: all of it is stored or, after an error or a crash, nothing.

        Other writers wait for the lock, so do little within. What is read within is what all transactions
        before have left. An error that leaves it ends the use of the database: what the caller holds in
        memory may be ahead of it.
        """
        if self._is_locked:
            raise RuntimeError("a locked transaction within a locked transaction")
        try:
            self.location.begin_locked(self._usable())
        except self._errors as error:
            raise self.failed(error) from error
        self._transactions += 1
        self._is_locked = True
        try:
            yield
            self._commit()
        except BaseException as error:
            self.abandon(_left_by(error, self.location))
            raise
        finally:
            self._is_locked = False

    def commit(self) -> None:
        """Store all that was written since the last commit: all of it or, after a crash, nothing."""
        if self.is_shared:
            raise RuntimeError(
                "a shared database is written in locked transactions, which commit by themselves"
            )
        self._commit()

    def _write_before(self, sql: str) -> None:
        """Write what waits for the tables that a statement uses."""
        if self._deferred:
            used = _tables_used(sql)
            if writes := [write for write, to in self._deferred.items() if not used.isdisjoint(to)]:
                self.flush(writes)

    def flush(self, writes: Sequence[Callable[[], None]] = ()) -> None:
        """Write what was gathered, for who reads what its tables do not tell; without committing it."""
        if self.is_shared and not self._is_locked:
            return
        for write in writes or list(self._deferred):
            if self._deferred.pop(write, None) is not None:
                write()

    def _commit(self) -> None:
        self.flush()
        try:
            self._usable().commit()
            self._commits += 1
            if self._commits % _COMMITS_A_MAINTENANCE == 0:
                self.location.maintain(self._connection)
        except self._errors as error:
            raise self.failed(error) from error

    def abandon(self, error: CrawlError) -> None:
        """Store nothing after the last commit: something that belongs to the pages to come has failed."""
        self.failure = self.failure or error
        with contextlib.suppress(*self._errors):  # if it cannot, the next opening does it
            self._connection.rollback()

    def close(self) -> None:
        """Close the database, dropping what was not committed, and let other processes have it."""
        self._connection.close()
        self.location.close()

    @property
    def transaction_number(self) -> int | None:
        """Return the number of the locked transaction under way, None between two."""
        return self._transactions if self._is_locked else None

    def _usable(self) -> Connection:
        if self.failure is not None:
            raise self.failure
        return self._connection

    def _writable(self) -> Connection:
        if self.is_shared and not self._is_locked:
            raise RuntimeError("a shared database is written in locked transactions only")
        return self._usable()

    def failed(self, error: Exception) -> Exception:
        """Return what to raise, after dropping the transaction unless the fault is the caller's own."""
        failure = self.location.explained(error)
        if failure is None:
            return error
        self.abandon(failure)
        return failure


@lru_cache(maxsize=1024)
def _tables_used(sql: str) -> frozenset[str]:
    used = {table for name in _USED.findall(sql) for table in _VIEWS.get(name, (name,))}
    if used >= {"pages", "urls"}:  # the page that a redirect led to is known to `urls` by its links only
        used.add("links")
    return frozenset(used)


def _left_by(error: BaseException, location: Location) -> CrawlError:
    """Return what a database raises from then on when an error has left a locked transaction."""
    if isinstance(error, CrawlError):
        return error
    return CrawlError(
        f"{location} holds nothing of what failed ({type(error).__name__}); run the same command again"
    )
