"""A crawl's database as a file, crawl.db: opening, locking, migrating, and what SQLite's errors mean."""

from __future__ import annotations

import fcntl
import json
import math
import shlex
import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from focused_crawler.safety.errors import CrawlError, CrawlInUse
from focused_crawler.store.definition import of_sqlite
from focused_crawler.store.foreign import note_opened
from focused_crawler.store.location import Location, closed_on_error
from focused_crawler.store.schema import MIGRATIONS, refuse_newer, upgrade

BUSY_SECONDS = 10.0
_ASKED_SECONDS = 0.1
"""So long may somebody who asks whether a crawl runs have its lock; in truth some microseconds."""
GAP_SECONDS = 0.001
"""Between two pages that a crawl writes nobody writes for a few of these."""
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
_COLUMNS = """
SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'
"""


class SqliteFile(Location):
    """The path of a crawl's database; locked while it is open for writing."""

    errors = (sqlite3.DatabaseError,)
    has_arrays = False
    among = "IN (SELECT value FROM json_each(?))"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: FileLock | None = None

    def __str__(self) -> str:
        return str(self.path)

    def many(self, values: Collection[Any]) -> str:
        """Return JSON: of numbers, or of texts."""
        return json.dumps(list(values))

    def open(self, *, read_only: bool) -> sqlite3.Connection:
        """Open or create and bring up to date; raises CrawlError."""
        note_opened(self.path)
        try:
            return self._reader() if read_only else self._writer()
        except BaseException as error:
            self.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise self._refusal(error) from error
            raise

    def maintain(self, connection: sqlite3.Connection) -> None:
        """Let the write-ahead log grow with the file (to a sixth of it), and the memory with the URLs."""
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (urls,) = connection.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()
        connection.execute(f"PRAGMA wal_autocheckpoint = {_clip(pages // 6, *_LOG_PAGES)}")
        connection.execute(f"PRAGMA cache_size = {_clip(urls // _URLS_A_PAGE, *_CACHE_PAGES)}")

    def explained(self, error: sqlite3.DatabaseError) -> CrawlError | None:
        """Return one line that says what is wrong with the file and what to do."""
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            return None
        return self._refusal(error)

    def write_beside(self, sql: str, values: Sequence[Any]) -> None:
        """Run one statement between two transactions of the crawl: these are short, and so are the gaps."""
        self._reader().close()
        try:
            with closing(sqlite3.connect(self.path, timeout=0, isolation_level=None)) as connection:
                _patiently(connection, sql, values)
        except sqlite3.DatabaseError as error:
            raise self._refusal(error) from error

    def is_locked(self) -> bool:
        """Ask for the lock as one of several readers would, and give it back: a crawl waits for as long."""
        try:
            with Path(f"{self.path}.lock").open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # nobody has made it, or a file system without locks
            return False
        return False

    def close(self) -> None:
        """Unlock the file."""
        if self._lock is not None:
            self._lock.release()

    def _locked(self) -> FileLock:
        lock = FileLock(f"{self.path}.lock", timeout=_ASKED_SECONDS, poll_interval=0.01, thread_local=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise CrawlInUse(
                f"{self.path} is being crawled by another process; wait for it to end, stop it with scrapy"
                f" order stop {shlex.quote(str(self.path.parent))}, or begin another crawl with -a job=NAME"
            ) from None
        except (OSError, NotImplementedError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CrawlError(
                f"{self.path.parent} cannot be written to ({reason}); use a folder that can"
            ) from error
        return lock

    def _writer(self) -> sqlite3.Connection:
        self._lock = self._locked()
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE")
        with closed_on_error(connection):
            _give_exp(connection)
            applied = self._check(connection)
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            _migrate(connection, applied)
            self.maintain(connection)
        return connection

    def _reader(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise CrawlError(f"{self.path} does not exist; give the folder of a crawl that has begun")
        connection = open_to_read(self.path, "ro")
        with closed_on_error(connection):
            if set(self._check(connection)) >= {name for name, _ in MIGRATIONS}:
                return connection
        connection.close()
        SqliteFile(self.path).bring_up_to_date()
        return open_to_read(self.path, "ro")

    def _check(self, connection: sqlite3.Connection) -> list[str]:
        """Return the migrations a file has had; refuse a file that is none of ours or from the future."""
        tables = set(connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
        query = "SELECT name FROM migrations ORDER BY name"
        done = [row[0] for row in connection.execute(query)] if ("migrations",) in tables else []
        if tables and not done:
            raise CrawlError(f"{self.path} is a database but not one of a crawl; use another folder")
        refuse_newer(self, done, dict(MIGRATIONS))
        return done

    def _refusal(self, error: sqlite3.DatabaseError) -> CrawlError:
        path = self.path
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_FULL:
                line = f"{path} cannot grow: the disk is full; free some space and run the same command again"
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                line = f"{path} is locked by another program; close that and run the same command again"
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                line = f"{path} is damaged or no crawl database ({error}); move it away to begin anew"
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                line = f"{path} cannot be opened or written to ({error}); use a folder that can"
            case _:
                line = f"{path} cannot be used ({error}); check the disk and run the same command again"
        return CrawlError(line)


def open_to_read(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Open for reading; in a folder that cannot be written to nobody writes, so no lock files are needed.

    A connection that might write (`rw`) takes the write-ahead log away with it when it is closed.
    """
    try:
        return _readable(path, f"mode={mode}")
    except sqlite3.OperationalError:
        return _readable(path, "immutable=1")


def _readable(path: Path, option: str) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?{option}"
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)
    with closed_on_error(connection):
        _give_exp(connection)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    return connection


def _patiently(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> None:
    """Run a statement as soon as there is a gap: SQLite itself would look ever more seldom."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute(sql, values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(GAP_SECONDS)
        else:
            return


def _give_exp(connection: sqlite3.Connection) -> None:
    """Let SQL have exp() where SQLite was built without mathematics."""
    try:
        connection.execute("SELECT exp(0)")
    except sqlite3.OperationalError:
        connection.create_function("exp", 1, math.exp, deterministic=True)


def _clip(number: int, least: int, most: int) -> int:
    return min(max(least, number), most)


def _migrate(connection: sqlite3.Connection, applied: Collection[str]) -> None:
    """Apply what is missing, with its record: all of it, or nothing."""
    if set(applied) >= {name for name, _ in MIGRATIONS}:
        return
    found: defaultdict[str, set[str]] = defaultdict(set)
    for table, column in connection.execute(_COLUMNS):
        found[table].add(column)
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for statement in upgrade(of_sqlite(), applied, found, MIGRATIONS):
            connection.execute(statement)
