"""The database of a crawl, wherever it lies: transactions, and errors a user can mend."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.sqlite_file import SqliteFile

_COMMITS_A_LOOK = 1024


class Bulk(NamedTuple):
    """A statement that writes many rows, in two forms: once a row, and all at once out of arrays.

    Both take the values of a row (or the column of each) first, and then what all rows have in common.
    """

    each: str
    together: str


class Cursor(Protocol):
    """What a statement came to."""

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""

    def fetchall(self) -> list[Any]:
        """Return the rows read, as tuples."""


class Connection(Protocol):
    """A connection of sqlite3, or one that behaves like it."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor:
        """Run a statement with `?` for values; a write begins a transaction."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement once a row."""

    def commit(self) -> None:
        """End the transaction, keeping it."""

    def rollback(self) -> None:
        """End the transaction, dropping it."""

    def close(self) -> None:
        """End the connection."""


class Place(Protocol):
    """Where a crawl's database lies, and what is particular about that kind of database."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """Return what its connections raise."""

    @property
    def is_shared(self) -> bool:
        """Tell whether others may write as well, each in its turn."""

    @property
    def has_arrays(self) -> bool:
        """Tell whether a value of a statement may be a list."""

    @property
    def among(self) -> str:
        """Return the SQL for "is one of `?`", where `many` made the value."""

    def many(self, values: Collection[Any]) -> Any:
        """Return the value of one `?` that stands for many."""

    def open(self, *, read_only: bool) -> Connection:
        """Open or create, and lock against a second writer; raises CrawlError."""

    def begin_turn(self, connection: Any) -> None:
        """Wait until nobody else writes, and begin a transaction; nothing to do where nobody else may."""

    def look_after(self, connection: Any) -> None:
        """Do what has to be done now and then as the database grows."""

    def explained(self, error: Any) -> CrawlError | None:
        """Return what to tell the user; None: the fault is the caller's."""

    def close(self) -> None:
        """Let other processes write."""


class Written:
    """What a statement wrote; to ask may mean to wait for the database."""

    __slots__ = ("_cursor", "_database")

    def __init__(self, database: CrawlDatabase, cursor: Cursor) -> None:
        self._database, self._cursor = database, cursor

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""
        return self._database.rowcount(self._cursor)


class CrawlDatabase:
    """One connection to a crawl's database; the only writer while it is open, unless that is shared.

    SQL is what SQLite and PostgreSQL share, with `?` for values. Writes begin a transaction by themselves;
    nothing is kept until `commit`. After an error nothing more can be read, written or committed: the
    database holds what the last commit held. A shared database is written in turns only.
    """

    def __init__(self, place: str | Path | Place, *, read_only: bool = False) -> None:
        """Open or create; `read_only` opens what exists, without a lock, even beside a running crawl.

        `place`: the path of an SQLite file, or a place of another kind.
        """
        self.place: Place = SqliteFile(Path(place)) if isinstance(place, str | Path) else place
        self.read_only = read_only
        self.is_shared = self.place.is_shared and not read_only
        self.among = self.place.among
        self.many = self.place.many
        self._errors = self.place.errors
        self._failure: CrawlError | None = None
        self._commits = 0
        self._turns = 0
        self._has_turn = False
        self._connection: Connection = self.place.open(read_only=read_only)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Written:
        """Run one statement that writes."""
        try:
            return Written(self, self._writable().execute(sql, values))
        except self._errors as error:
            raise self._failed(error) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement that writes, once a row."""
        try:
            self._writable().executemany(sql, rows)
        except self._errors as error:
            raise self._failed(error) from error

    def write_all(self, bulk: Bulk, rows: Sequence[Sequence[Any]], common: Sequence[Any] = ()) -> None:
        """Write many rows in the way that costs this database least."""
        if not self.place.has_arrays:
            self.executemany(bulk.each, [(*row, *common) for row in rows] if common else rows)
        elif rows:
            self.execute(bulk.together, (*map(list, zip(*rows, strict=True)), *common))

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a query, or of a statement that returns what it wrote."""
        try:
            return self._usable().execute(sql, values).fetchall()
        except self._errors as error:
            raise self._failed(error) from error

    def rowcount(self, cursor: Cursor) -> int:
        """Return how many rows a statement wrote."""
        try:
            return cursor.rowcount
        except self._errors as error:
            raise self._failed(error) from error

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Write what belongs together: all of it is kept at the end or, after an error or a crash, nothing.

        Turns of all that share the database follow one another, so keep one short. What is read within is
        what all turns before have left. An error that leaves the turn ends the use of the database: what
        the caller holds in memory may be ahead of it.
        """
        if self._has_turn:
            raise RuntimeError("a turn within a turn")
        self._begin_turn()
        try:
            yield
            self._keep()
        except BaseException as error:
            self.abandon(_left_by(error, self.place))
            raise
        finally:
            self._has_turn = False

    def commit(self) -> None:
        """Keep all that was written since the last commit: all of it or, after a crash, nothing."""
        if self.is_shared:
            raise RuntimeError("a shared database is written in turns, which commit by themselves")
        self._keep()

    def _begin_turn(self) -> None:
        try:
            self.place.begin_turn(self._usable())
        except self._errors as error:
            raise self._failed(error) from error
        self._turns += 1
        self._has_turn = True

    def _keep(self) -> None:
        try:
            self._usable().commit()
            self._commits += 1
            if self._commits % _COMMITS_A_LOOK == 0:
                self.place.look_after(self._connection)
        except self._errors as error:
            raise self._failed(error) from error

    def abandon(self, error: CrawlError) -> None:
        """Keep nothing after the last commit: something that belongs to the pages to come has failed."""
        self._failure = self._failure or error
        with contextlib.suppress(*self._errors):  # if it cannot, the next opening does it
            self._connection.rollback()

    def close(self) -> None:
        """Close the database, dropping what was not committed, and let other processes have it."""
        self._connection.close()
        self.place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def failure(self) -> CrawlError | None:
        """Return the error after which nothing more can be read or written, None while all is well."""
        return self._failure

    @property
    def turn_number(self) -> int | None:
        """Return which turn this is, None between turns."""
        return self._turns if self._has_turn else None

    def _usable(self) -> Connection:
        if self._failure is not None:
            raise self._failure
        return self._connection

    def _writable(self) -> Connection:
        if self.is_shared and not self._has_turn:
            raise RuntimeError("a shared database is written in turns only")
        return self._usable()

    def _failed(self, error: Exception) -> Exception:
        """Return what to raise, after dropping the transaction unless the fault is the caller's own."""
        failure = self.place.explained(error)
        if failure is None:
            return error
        self.abandon(failure)
        return failure


def _left_by(error: BaseException, place: Place) -> CrawlError:
    """Return what a database says from then on whose turn was left by an error."""
    if isinstance(error, CrawlError):
        return error
    return CrawlError(
        f"{place} holds nothing of what failed ({type(error).__name__}); run the same command again"
    )
