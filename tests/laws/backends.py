"""The backends of the frontier. One more is one more class here: all laws hold for it then, or fail."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from focused_crawler.frontier.base import Candidate, Frontier, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.databases import PostgresqlKind, SqliteKind
from tests.postgresql import Server


class Backend(Protocol):
    """Where a frontier lives."""

    survives: bool  # whether a frontier can be opened again

    def open(self, rules: Rules) -> Frontier:
        """Return the frontier, with all that it knew when it was stopped."""

    def stop(self) -> None:
        """Keep all that was written, and forget the rest, as the end of a process does."""

    def remove(self) -> None:
        """Leave nothing behind."""


class Memory:
    survives = False

    def open(self, rules: Rules) -> Frontier:
        return MemoryFrontier(rules)

    def stop(self) -> None:
        raise NotImplementedError

    def remove(self) -> None:
        pass


class InDatabase:
    """A frontier in a crawl's database."""

    survives = True

    def __init__(self, kind: SqliteKind | PostgresqlKind) -> None:
        self._kind = kind
        self.database: CrawlDatabase | None = None

    def open(self, rules: Rules) -> Frontier:
        self.database = self._kind.open()
        return SqlFrontier(self.database, rules)

    def stop(self) -> None:
        assert self.database is not None
        self.database.commit()
        self.database.close()

    def remove(self) -> None:
        if self.database is not None:
            self.database.close()
        self._kind.remove()


class Sqlite(InDatabase):
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        super().__init__(SqliteKind(Path(self._folder.name)))

    def remove(self) -> None:
        super().remove()
        self._folder.cleanup()


class Postgresql(InDatabase):
    def __init__(self, server: Server) -> None:
        super().__init__(PostgresqlKind(server))


class Partitioned:
    """A frontier that is shared by hosts, where one worker has them all; a new one in each of its lives."""

    survives = True

    def __init__(self, server: Server) -> None:
        self._server, self._schema = server, server.new_schema().schema
        self.database: CrawlDatabase | None = None
        self.frontier: PartitionedFrontier | None = None
        self._lives = 0

    def open(self, rules: Rules) -> Frontier:
        self._lives += 1
        self.database = CrawlDatabase(PostgresqlSchema(self._server.address, self._schema, shared=True))
        self.frontier = PartitionedFrontier(self.database, rules, worker=f"law-{self._lives}")
        with self.database.locked_transaction():
            self.frontier.join({})
        self.frontier.end_turn()
        return self.frontier

    def write(self) -> None:
        """Make a turn: nothing is to change by it."""
        assert self.database is not None
        assert self.frontier is not None
        with self.database.locked_transaction():
            self.frontier.begin_turn()
            self.frontier.check_turn()
        self.frontier.end_turn()

    def stop(self) -> None:
        assert self.database is not None
        assert self.frontier is not None
        with self.database.locked_transaction():
            self.frontier.leave()
        self.database.close()

    def remove(self) -> None:
        if self.database is not None:
            self.database.close()
        self._server.drop(self._schema)


BACKENDS = ("memory", "sqlite", "postgresql", "partitioned")
LASTING = BACKENDS[1:]


@contextmanager
def opened(new_backend: Callable[[], Backend], **rules: Any) -> Iterator[Frontier]:
    backend = new_backend()
    try:
        yield backend.open(Rules(**rules))
    finally:
        backend.remove()


def links(*pairs: tuple[str, float]) -> list[Candidate]:
    return [Candidate(url, priority) for url, priority in pairs]


def urls(leases: Iterable[Lease]) -> list[str]:
    return [lease.url for lease in leases]


def drain(frontier: Frontier, now: float = 0.0) -> list[str]:
    return urls(frontier.take(10**6, now))
