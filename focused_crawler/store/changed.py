"""A crawl's database that another program changed: found when something breaks on it, and said in one line.

Looked for only then: a look at every row of a large crawl takes a minute.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from focused_crawler.safety.errors import CrawlError

_opened: dict[Path, None] = {}
"""Files that this process has opened, in order. PostgreSQL lets no column hold another type."""

_TYPES = {"INTEGER": "'integer'", "TEXT": "'text'", "BLOB": "'blob'", "REAL": "'real', 'integer'"}
_COLUMNS = """
SELECT m.name, c.name, upper(c.type) FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' ORDER BY m.name, c.cid
"""


def opened(path: Path) -> None:
    """Take note of a file, in case that something breaks on what it holds."""
    _opened[path] = None


def changed(location: object, what: str) -> CrawlError:
    """Return what to raise for a database that holds what no crawl wrote."""
    return CrawlError(
        f"{location} was changed by another program ({what}); put a copy of it back, or"
        " begin another crawl with -a job=NAME"
    )


def explained() -> CrawlError | None:
    """Return why something unexpected may have been raised: a database that was opened was changed."""
    for path in _opened:
        with suppress(sqlite3.DatabaseError), closing(_read(path)) as connection:
            if (what := odd_value(connection)) is not None:
                return changed(path, what)
    return None


def odd_value(connection: sqlite3.Connection) -> str | None:
    """Return the column of a value that is of another type, infinite, or no URL of the web; None: no such."""
    for table, column, type_ in connection.execute(_COLUMNS).fetchall():
        if type_ not in _TYPES:
            continue
        name = f'"{column}"'
        odd = f"typeof({name}) NOT IN ({_TYPES[type_]}, 'null')"
        if type_ == "REAL":
            odd += f" OR abs({name}) > 1e300"
        if (column, type_) == ("url", "TEXT"):
            odd += f" OR NOT ({name} LIKE 'http://%' OR {name} LIKE 'https://%')"
        if connection.execute(f'SELECT 1 FROM "{table}" WHERE {odd} LIMIT 1').fetchone():  # noqa: S608
            return f"{table}.{column}"
    return None


def _read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
