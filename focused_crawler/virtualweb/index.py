"""A WARC file as a web: an answer for each URL it has recorded."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.progress import shown
from focused_crawler.virtualweb.cache_file import open_cache
from focused_crawler.virtualweb.record import WebRecord, read_record, status_of
from focused_crawler.virtualweb.scan import Scanned, open_warc, whole_records
from focused_crawler.virtualweb.surt import surt

FORMAT = 1
"""Raise it when the table or the key changes: older indexes are then built again."""

OK, REDIRECT, OTHER, SELF_REDIRECT = range(4)
"""Ranks: of the records of one key the lowest is the answer. A redirect to its own key is never one."""

_SCHEMA = """
CREATE TABLE record (
    key TEXT, rank INTEGER, offset INTEGER, length INTEGER, status INTEGER,
    url TEXT, content_type TEXT, location TEXT,
    PRIMARY KEY (key, rank, offset)
) WITHOUT ROWID;
"""


class IndexEntry(NamedTuple):
    """One response record of a web, as the index knows it."""

    key: str
    rank: int
    offset: int
    length: int  # bytes in the WARC, compressed
    status: int
    url: str  # as recorded
    content_type: str  # lower case, without parameters
    location: str  # of a redirect: absolute; else empty


def _fill(db: sqlite3.Connection, warc: Path) -> None:
    db.executescript(_SCHEMA)
    with open_warc(warc) as file:
        size = os.fstat(file.fileno()).st_size
        scanned = shown(whole_records(file), f"Index of {warc.name}", size, lambda one: one.offset)
        entries = (_entry(one) for one in scanned if one.record.rec_type == "response")
        db.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entries)
    if not db.execute("SELECT 1 FROM record").fetchone():
        raise WebError(f"{warc} holds no response record; a web is a WARC of response records")


def _entry(scanned: Scanned) -> IndexEntry:
    record = scanned.record
    url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
    headers = record.http_headers
    key, status = surt(url), status_of(record)
    location = headers.get_header("Location") if headers and status // 100 == 3 else None
    target = _joined(url, location) if location else ""
    content_type = (headers.get_header("Content-Type") or "") if headers else ""
    media = content_type.partition(";")[0].strip().lower()
    rank = _rank(key, status, target)
    return IndexEntry(key, rank, scanned.offset, scanned.length, status, url, media, target)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _rank(key: str, status: int, target: str) -> int:
    if status == 200:
        return OK
    if not target:
        return OTHER
    return SELF_REDIRECT if surt(target) == key else REDIRECT


_ANSWER = """
SELECT * FROM record WHERE key = ? AND rank < ? ORDER BY rank, url <> ?, offset LIMIT 1
"""

_ANSWERING = """
SELECT key, rank, min(offset) AS offset, length, status, url, content_type, location FROM record AS one
WHERE rank < ? AND rank = (SELECT min(rank) FROM record WHERE key = one.key)
GROUP BY key, url ORDER BY offset
"""


class VirtualWeb(Closing):
    """A web in a file. Opening it builds its index if need be, about 10,000 records a second, once.

    WebError if the file is missing or no WARC. Not for several threads.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._index = open_cache(self.path, "index", FORMAT, partial(_fill, warc=self.path), lambda db: db)
        self._file = open_warc(self.path)

    def get(self, url: str) -> WebRecord | None:
        """Return what the web answers to `url`; None (a 404) if it has nothing.

        Of several records under one lookup key: the exact URL with status 200, any 200, a redirect, the
        rest. A redirect to its own key (http to https, a slash) is left out, as following it never ends.
        """
        entry = self.find(url)
        return None if entry is None else self.read(entry)

    def find(self, url: str) -> IndexEntry | None:
        """Return the index entry of what `get` would read."""
        row = self._index.execute(_ANSWER, (surt(url), SELF_REDIRECT, url)).fetchone()
        return None if row is None else IndexEntry._make(row)

    def read(self, entry: IndexEntry) -> WebRecord:
        """Return the record of an entry."""
        return read_record(self._file, entry.offset)

    def entries(self) -> Iterator[IndexEntry]:
        """Yield every response record in file order, those `get` never answers with as well."""
        return map(IndexEntry._make, self._index.execute("SELECT * FROM record ORDER BY offset"))

    def answering(self) -> Iterator[IndexEntry]:
        """Yield the records that answer some URL, in file order, those of a key as they are preferred."""
        return map(IndexEntry._make, self._index.execute(_ANSWERING, (SELF_REDIRECT,)))

    def __contains__(self, url: str) -> bool:
        return self.find(url) is not None

    def __len__(self) -> int:
        """Number of response records."""
        return int(self._index.execute("SELECT count(*) FROM record").fetchone()[0])

    def close(self) -> None:
        self._index.close()
        self._file.close()
