"""What no crawl writes, in a crawl's database: looked for when something that reads it has failed.

SQLite takes any value in any column. To look through a large file takes seconds, so nobody does while all
goes well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError

_watching: list[set[Path]] = []
"""Those who want to know which files are opened."""

_LEAST, _MOST = -1e10, 1e11
"""No time, share or number of seconds comes near them."""

_KINDS = {
    "INTEGER": "typeof({0}) = 'integer'",
    "REAL": f"typeof({{0}}) IN ('integer', 'real') AND {{0}} BETWEEN {_LEAST} AND {_MOST}",
    "TEXT": "typeof({0}) = 'text'",
    "BLOB": "typeof({0}) = 'blob'",
}
_MORE = {
    ("urls", "state"): "{0} BETWEEN 0 AND 6",
    ("hosts", "ready_at"): "{0} = 9e999 OR ({1})",  # closed
    ("runs", "settings"): "json_valid({0}) AND json_type({0}) = 'object'",
    ("runs", "versions"): "json_valid({0}) AND json_type({0}) = 'object'",
}


def note_opened(path: Path) -> None:
    """Take note of a file that may be at fault for what fails later on."""
    for opened in _watching:
        opened.add(path)


@contextmanager
def explaining() -> Iterator[None]:
    """Raise CrawlError for an error in here if a crawl that was opened in here holds what no crawl writes."""
    opened: set[Path] = set()
    _watching.append(opened)
    try:
        yield
    except (FocusedCrawlerError, OSError):
        raise
    except Exception as error:
        for path in sorted(opened):
            if found := foreign_value(path):
                raise changed(path, found) from error
        raise
    finally:
        _watching.remove(opened)


def changed(location: object, what: str) -> CrawlError:
    """Return the error of a database that another program has written to."""
    return CrawlError(
        f"{location} was changed by another program ({what}); put a copy of it back, or"
        " begin another crawl with -a job=NAME"
    )


def foreign_value(path: Path) -> str | None:
    """Return what in a crawl's file no crawl writes; None: all is sound, or there is no such file."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            for table, column, condition in _rules(file):
                query = f"SELECT 1 FROM {table} WHERE NOT ({condition}) LIMIT 1"  # noqa: S608 - names of its own
                if file.execute(query).fetchone():
                    return f"{column} of {table}"
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter of a name, or of a message
        return str(error)
    return None


def _rules(file: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield table, column, and what holds of each of its values."""
    tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    for (table,) in tables.fetchall():
        for _, column, kind, must_be, _, _ in file.execute(f'PRAGMA table_info("{table}")').fetchall():
            name = f'"{column}"'
            condition = _KINDS.get(kind.partition("(")[0], "1").format(name)
            more = _MORE.get((table, column), "({1})").format(name, condition)
            yield table, column, more if must_be else f"{name} IS NULL OR ({more})"
