"""A crawl's database to try something out: whatever is done with it, the crawl is as it was."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import change_crawl, location_of
from focused_crawler.store.sqlite_file import SqliteFile


@contextmanager
def draft_of(folder: Path) -> Iterator[CrawlDatabase]:
    """Open what the crawl in a folder has committed; nothing must be committed to it. Raises CrawlError.

    Of a file it is a copy, so that the crawl may run; in PostgreSQL CrawlInUse while it does.
    """
    location = location_of(folder)
    if not isinstance(location, SqliteFile):
        with change_crawl(folder) as database:
            yield database
        return
    with tempfile.TemporaryDirectory(prefix="focused-crawler-") as scratch:
        copy = Path(scratch, location.path.name)
        _copy(location, copy)
        with CrawlDatabase(copy) as database:
            yield database


def _copy(source: SqliteFile, target: Path) -> None:
    connection = source.open(read_only=True)
    try:
        with closing(connection), closing(sqlite3.connect(target)) as copy:
            connection.backup(copy)  # all at once: it is one moment of a crawl that goes on
    except sqlite3.DatabaseError as error:
        cure = "make room there, or let TMPDIR name another folder"
        raise source.explained(error) or CrawlError(
            f"{target} cannot be written ({error}); {cure}"
        ) from error
