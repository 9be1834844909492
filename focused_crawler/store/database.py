"""The file of a crawl, crawl.db: opening, locking, migrating, and errors a user can mend."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from focused_crawler.errors import CrawlError
from focused_crawler.store.schema import MIGRATIONS

_BUSY_SECONDS = 10.0
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",  # kill -9 loses no commit; a power cut may lose the last ones
    "PRAGMA journal_size_limit = 268435456",
    "PRAGMA secure_delete = OFF",
)
_LOG_PAGES = (16_000, 64_000)
"""Least and most pages (4 KiB) in the write-ahead log before they are written back: hot ones once, not at
every commit. The log grows with the file, as the same pages come up again less often in a large one."""
_CACHE_PAGES = (4_096, 65_536)
"""Least and most pages in memory: room for the two narrow indexes, in which a URL takes 26 bytes. Links and
pages are only appended, so that a long crawl needs no more memory for them."""
_URLS_A_PAGE = 4096 // 26
_COMMITS_A_LOOK = 1024
_RECORD = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL NOT NULL)"


class CrawlDatabase:
    """One connection to a crawl's database; the only writer while it is open.

    Writes begin a transaction by themselves; nothing is kept until `commit`. After an error nothing more can
    be read, written or committed: the file holds what the last commit held.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        """Open or create; `read_only` opens what exists, without a lock, even beside a running crawl."""
        self.path = Path(path)
        self.read_only = read_only
        self._failure: CrawlError | None = None
        self._commits = 0
        self._lock = None if read_only else self._locked()
        try:
            self._connection = self._reader() if read_only else self._writer()
        except BaseException:
            self._unlock()
            raise

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement that writes."""
        try:
            return self._usable().execute(sql, values)
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise self._failed(error) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement that writes, once a row."""
        try:
            self._usable().executemany(sql, rows)
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise self._failed(error) from error

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a query, or of a statement that returns what it wrote."""
        try:
            return self._usable().execute(sql, values).fetchall()
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise self._failed(error) from error

    def commit(self) -> None:
        """Keep all that was written since the last commit: all of it or, after a crash, nothing."""
        try:
            self._usable().commit()
            self._commits += 1
            if self._commits % _COMMITS_A_LOOK == 0:
                _fit(self._connection)
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise self._failed(error) from error

    def abandon(self, error: CrawlError) -> None:
        """Keep nothing after the last commit: something that belongs to the pages to come has failed."""
        self._failure = self._failure or error
        with contextlib.suppress(sqlite3.DatabaseError):  # if it cannot, the next opening does it
            self._connection.rollback()

    def close(self) -> None:
        """Close the file, dropping what was not committed, and let other processes have it."""
        self._connection.close()
        self._unlock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def failure(self) -> CrawlError | None:
        """Return the error after which nothing more can be read or written, None while all is well."""
        return self._failure

    def _usable(self) -> sqlite3.Connection:
        if self._failure is not None:
            raise self._failure
        return self._connection

    def _failed(self, error: sqlite3.DatabaseError) -> Exception:
        """Return what to raise, after dropping the transaction unless the fault is the caller's own."""
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            return error
        failure = CrawlError(_explained(self.path, error))
        self.abandon(failure)
        return failure

    def _locked(self) -> FileLock:
        lock = FileLock(f"{self.path}.lock", timeout=0, thread_local=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise CrawlError(
                f"{self.path} is being crawled by another process; wait for it to end or use another folder"
            ) from None
        except (OSError, NotImplementedError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CrawlError(
                f"{self.path.parent} cannot be written to ({reason}); use a folder that can"
            ) from error
        return lock

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _writer(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level="IMMEDIATE")
        except sqlite3.DatabaseError as error:
            raise CrawlError(_explained(self.path, error)) from error
        try:
            _check(self.path, connection)
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            _migrate(connection)
            _fit(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            raise CrawlError(_explained(self.path, error)) from error
        except CrawlError:
            connection.close()
            raise
        return connection

    def _reader(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise CrawlError(f"{self.path} does not exist; give the folder of a crawl that has begun")
        try:
            connection = _open_to_read(self.path)
        except sqlite3.DatabaseError as error:
            raise CrawlError(_explained(self.path, error)) from error
        try:
            if _check(self.path, connection) != [name for name, _ in MIGRATIONS]:
                raise CrawlError(
                    f"{self.path} was made by an older version; run its crawl once to bring it up to date"
                )
        except CrawlError:
            connection.close()
            raise
        return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open for reading; in a folder that cannot be written to nobody writes, so no lock files are needed."""
    address = path.resolve().as_uri()
    for mode in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"{address}?{mode}", uri=True, timeout=_BUSY_SECONDS)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            if mode == "immutable=1":
                raise
        except sqlite3.DatabaseError:
            connection.close()
            raise
        else:
            return connection
    raise AssertionError


def _check(path: Path, connection: sqlite3.Connection) -> list[str]:
    """Return the migrations a file has had; refuse a file that is none of ours or from the future."""
    try:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        done = (
            [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")]
            if ("migrations" in tables)
            else []
        )
    except sqlite3.DatabaseError as error:
        raise CrawlError(_explained(path, error)) from error
    if tables and not done:
        raise CrawlError(f"{path} is a database but not one of a crawl; use another folder")
    newer = [name for name in done if name not in dict(MIGRATIONS)]
    if newer:
        raise CrawlError(
            f"{path} was made by a newer version ({newer[-1]}); update focused-crawler to use it"
        )
    return done


def _fit(connection: sqlite3.Connection) -> None:
    """Let the write-ahead log grow with the file (to a sixth of it), and what is in memory with the URLs."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (urls,) = connection.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()
    connection.execute(f"PRAGMA wal_autocheckpoint = {_clip(pages // 6, *_LOG_PAGES)}")
    connection.execute(f"PRAGMA cache_size = {_clip(urls // _URLS_A_PAGE, *_CACHE_PAGES)}")


def _clip(number: int, least: int, most: int) -> int:
    return min(max(least, number), most)


def _migrate(connection: sqlite3.Connection) -> None:
    """Apply what is missing: a migration and its record together, or neither."""
    for name, sql in MIGRATIONS:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(_RECORD)
            if connection.execute("SELECT 1 FROM migrations WHERE name = ?", (name,)).fetchone() is None:
                for statement in _statements(sql):
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def _statements(sql: str) -> list[str]:
    """Split a script (sqlite3's own executescript would commit what came before)."""
    found, rest = [], ""
    for line in sql.splitlines(keepends=True):
        rest += line
        if sqlite3.complete_statement(rest):
            found.append(rest)
            rest = ""
    return found


def _explained(path: Path, error: sqlite3.DatabaseError) -> str:
    """Return one line that says what is wrong with the file and what to do."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return f"{path} cannot grow: the disk is full; free some space and run the same command again"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path} is locked by another program; close that and run the same command again"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return f"{path} is damaged or no crawl database ({error}); move it away to begin anew"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"{path} cannot be opened or written to ({error}); use a folder that can"
    return f"{path} cannot be used ({error}); check the disk and run the same command again"
