"""A crawl's database of either kind, to be opened as often as a test likes."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.postgresql import Server

KINDS = ("sqlite", "postgresql")


class SqliteKind:
    """A file in a folder."""

    def __init__(self, folder: Path) -> None:
        self.words = [str(folder / "crawl.db")]  # for `opened_in_another_process`

    def open(self, *, read_only: bool = False) -> CrawlDatabase:
        return CrawlDatabase(self.words[0], read_only=read_only)

    def remove(self) -> None:
        """Nothing: the folder is the test's."""


class PostgresqlKind:
    """A schema of a server."""

    def __init__(self, server: Server) -> None:
        self.server, self.schema = server, server.new_schema().schema
        self.words = [server.address, self.schema]

    def open(self, *, read_only: bool = False) -> CrawlDatabase:
        return CrawlDatabase(PostgresqlSchema(*self.words), read_only=read_only)

    def remove(self) -> None:
        self.server.drop(self.schema)


def opened_in_another_process(words: list[str]) -> CrawlDatabase:
    """Open what the `words` of a database say."""
    return CrawlDatabase(PostgresqlSchema(*words) if len(words) > 1 else words[0])
