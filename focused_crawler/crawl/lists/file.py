"""The file lists.db of a topic: where it lies, its tables, and what SQLite's errors mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.store.location import closed_on_error
from focused_crawler.store.sqlite_file import BUSY_SECONDS, open_to_read
from focused_crawler.topic.topic import Topic

FILE_NAME = "lists.db"
VERSION = 1


def lists_path(topic: Topic, models: Path | None) -> Path:
    """Return where a topic's lists lie: beside its model, in its own folder or under FOCUSED_MODELS."""
    return (models / topic.name if models is not None else topic.folder) / FILE_NAME


class ListFile(Closing):
    """A connection to lists.db. Every error is a TopicError of one line."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open, and create unless `read_only`."""
        self.path = path
        if not read_only:
            check_lasts(path)
        with self._explaining():
            self._connection = open_to_read(path, "rw") if read_only else _writer(path)
            with closed_on_error(self._connection):
                self._check(is_new=not read_only)

    def rows(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Return all rows of a query."""
        with self._explaining():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write all that is done in here, or nothing."""
        with self._explaining(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def close(self) -> None:
        self._connection.close()

    def _check(self, *, is_new: bool) -> None:
        """Make the tables of an empty file; refuse what is none of ours."""
        version = self._version()
        if version == 0 and is_new:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                version = self._version()
                if version == 0 and self._is_empty():
                    self._make()
                    version = VERSION
        elif version == 0 and self._is_empty():  # who made the file was killed before its tables were there
            self._connection.close()
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
            self._make()
            version = VERSION
        if version > VERSION:
            raise TopicError(f"{self.path} was made by a newer version; update focused-crawler to use it")
        if version < VERSION:
            raise TopicError(f"{self.path} holds no lists of sites and hubs; move it away to begin anew")

    def _is_empty(self) -> bool:
        return self._connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _make(self) -> None:
        tables = files(__package__).joinpath("tables.sql").read_text("utf-8")
        for statement in tables.split(";\n"):
            if statement.strip():
                self._connection.execute(statement)
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
            raise  # the fault is ours
        except sqlite3.DatabaseError as error:
            raise self._refusal(error) from error
        except OSError as error:
            raise TopicError(f"{self.path} cannot be written ({error.strerror}); {_ELSEWHERE}") from None

    def _refusal(self, error: sqlite3.DatabaseError) -> TopicError:
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                cure = "is damaged or holds no lists", "move it away to begin anew"
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                cure = "is in use by another program", "try again when that has ended"
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                cure = "cannot be opened or written", _ELSEWHERE
            case _:
                cure = "cannot be used", "check the disk, or do without: -s FOCUSED_LISTS=off"
        return TopicError(f"{self.path} {cure[0]} ({error}); {cure[1]}")


_ELSEWHERE = "let -s FOCUSED_MODELS=FOLDER name a folder that can be, or do without: -s FOCUSED_LISTS=off"


def _writer(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
