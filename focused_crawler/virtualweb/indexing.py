"""Makes the index of a web: one pass over its records, then what its revisit records refer to."""

from __future__ import annotations

import logging
import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from focused_crawler.safety.content import NOT_MODIFIED, PAGE_STATUSES, PARTIAL
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import one_line
from focused_crawler.safety.progress import shown
from focused_crawler.virtualweb.record import RESOURCE, last_of, status_of
from focused_crawler.virtualweb.scan import Scanned, whole_records
from focused_crawler.virtualweb.surt import surt
from focused_crawler.virtualweb.warc_file import open_warc

logger = logging.getLogger(__name__)

FORMAT = 6
"""Raise it when the table or the key changes: older indexes are then built again."""

OK, CUT, REDIRECT, OTHER, SELF_REDIRECT = range(5)
"""Ranks: of the records of one key the lowest is the answer. A redirect to its own key is never one."""

_SCHEMA = """
CREATE TABLE record (
    key TEXT, rank INTEGER, offset INTEGER, length INTEGER, status INTEGER,
    url TEXT, content_type TEXT, location TEXT, payload INTEGER,
    PRIMARY KEY (key, rank, offset)
) WITHOUT ROWID;
CREATE TEMP TABLE body (
    offset INTEGER PRIMARY KEY, id TEXT, beside TEXT, key TEXT, date TEXT, digest TEXT, status INTEGER,
    content_type TEXT, location TEXT
);
CREATE TEMP TABLE revisit (
    key TEXT, rank INTEGER, offset INTEGER, length INTEGER, status INTEGER,
    url TEXT, content_type TEXT, location TEXT, payload INTEGER,
    first_id TEXT, first_key TEXT, first_date TEXT, is_unchanged INTEGER, digest TEXT
);
CREATE TEMP TABLE other_method (id TEXT, beside TEXT);
"""

_WITHOUT_OTHER_METHODS = """
DELETE FROM record WHERE offset IN (SELECT offset FROM body WHERE
    id <> '' AND id IN (SELECT beside FROM other_method)
    OR beside <> '' AND beside IN (SELECT id FROM other_method))
"""

_INDEXES = """
CREATE INDEX temp.body_by_id ON body (id);
CREATE INDEX temp.body_by_date ON body (key, date);
CREATE INDEX temp.body_by_key ON body (key, digest);
CREATE INDEX temp.body_by_digest ON body (digest);
CREATE INDEX temp.body_by_status ON body (key, status, offset);
"""

_NAMES = (
    "WARC-Target-URI",
    "WARC-Record-ID",
    "WARC-Concurrent-To",
    "WARC-Date",
    "WARC-Payload-Digest",
    "WARC-Truncated",
)
_AT_ONCE = 2000  # records
_INSERT = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_FIRST = "SELECT offset, status, content_type, location FROM body WHERE "
_WAYS = (  # to what a revisit record refers to, the most certain first; each with the fields that it needs
    ("id = ?", (0,)),
    ("key = ? AND date = ?", (1, 2)),
    ("key = ? AND digest = ?", (1, 3)),
    ("digest = ?", (3,)),
)
_BEFORE = f"{_FIRST} key = ? AND status IN {tuple(PAGE_STATUSES)} AND offset < ? ORDER BY offset DESC LIMIT 1"


class IndexEntry(NamedTuple):
    """One response record of a web, as the index knows it."""

    key: str
    rank: int
    offset: int
    length: int  # bytes in the file, compressed
    status: int
    url: str  # as recorded
    content_type: str  # lower case, without parameters
    location: str  # of a redirect: absolute; else empty
    payload: int  # offset of the record with its body: another one for a page that was found unchanged


def fill(db: sqlite3.Connection, path: Path) -> None:
    """Make the index of an archive in an empty database; WebError where no record of it answers a URL."""
    db.executescript(_SCHEMA)
    rows = _Rows(db)
    with open_warc(path) as file:
        for scanned in shown(whole_records(file), f"Index of {path.name}", file.size, lambda one: one.offset):
            rows.add(scanned)
    rows.write()
    if "other_method" in rows.written:
        db.execute(_WITHOUT_OTHER_METHODS)
    left_out = _add_revisits(db) if "revisit" in rows.written else 0
    missing = (
        f"{plural(left_out, 'page')} of {path} lie in another file, to which its revisit records refer; "
        f"join them: cat FIRST.warc.gz {shlex.quote(path.name)} > ALL.warc.gz"
    )
    if not db.execute("SELECT 1 FROM record").fetchone():
        none = f"{path} holds no response record; a web is a WARC of response records"
        raise WebError(missing if left_out else none)
    if left_out:
        logger.warning("%s", one_line(missing))


class _Rows:
    """What records make, written some thousand at a time."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.written: set[str] = set()  # tables
        self._waiting: dict[str, list[Sequence[Any]]] = {
            table: [] for table in ("record", "body", "revisit", "other_method")
        }

    def add(self, scanned: Scanned) -> None:
        record, waiting = scanned.record, self._waiting
        kind = record.rec_type
        if kind == "request":
            if record.http_headers and record.http_headers.protocol != "GET":
                waiting["other_method"].append(_fields(record, "WARC-Record-ID", "WARC-Concurrent-To"))
            return
        if kind not in ("response", "revisit", RESOURCE):
            return
        url, id, beside, date, digest, cut = _fields(record, *_NAMES)
        entry = _entry(scanned, url.strip("<>"), is_cut=bool(cut) and kind == "response")
        if not entry.url.lower().startswith(("http://", "https://")):
            return
        if kind == "revisit":
            waiting["revisit"].append((*entry, *_first(record, entry), digest))
        elif entry.status:
            answer = (entry.status, entry.content_type, entry.location)
            waiting["record"].append(entry)
            waiting["body"].append((entry.offset, id, beside, entry.key, date, digest, *answer))
            if len(waiting["record"]) >= _AT_ONCE:
                self.write()

    def write(self) -> None:
        for table, rows in self._waiting.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
                rows.clear()
                self.written.add(table)


def _fields(record: Any, *names: str) -> list[str]:
    return [record.rec_headers.get_header(name) or "" for name in names]


def _entry(scanned: Scanned, url: str, *, is_cut: bool) -> IndexEntry:
    record = scanned.record
    of_head = record.http_headers or (record.rec_headers if record.rec_type == RESOURCE else None)
    headers = of_head.headers if of_head else ()
    key, status = surt(url), status_of(record)
    location = last_of(headers, "Location") if status // 100 == 3 else ""
    target = _joined(url, location) if location else ""
    media = last_of(headers, "Content-Type").partition(";")[0].strip().lower()
    rank = _rank(key, status, target, is_cut=is_cut)
    offset = scanned.offset
    return IndexEntry(key, rank, offset, scanned.length, status, url, media, target, offset)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _rank(key: str, status: int, target: str, *, is_cut: bool = False) -> int:
    if status in PAGE_STATUSES:
        return CUT if is_cut or status == PARTIAL else OK
    if not target:
        return OTHER
    return SELF_REDIRECT if surt(target) == key else REDIRECT


def _first(record: Any, entry: IndexEntry) -> tuple[str, str, str, bool]:
    """Return id, key and date that a revisit record gives the first; and whether it is a 304."""
    id, url, date = _fields(record, "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date")
    return id, surt(url.strip("<>")) if url else entry.key, date, entry.status in (0, NOT_MODIFIED)


def _add_revisits(db: sqlite3.Connection) -> int:
    """Add the revisit records whose bodies are in the file; return how many others there are."""
    db.executescript(_INDEXES)
    left_out = 0
    for *columns, id, key, date, is_unchanged, digest in db.execute("SELECT * FROM revisit ORDER BY offset"):
        entry = IndexEntry._make(columns)
        first = _found(db, (id, key, date, digest))
        if first is None and is_unchanged:
            first = db.execute(_BEFORE, (key, entry.offset)).fetchone()
        if first is None and entry.location:  # a redirect answers without its body
            first = entry.offset, entry.status, entry.content_type, entry.location
        if first is None:
            left_out += 1
            continue
        payload, status, content_type, location = first
        if is_unchanged:
            rank = _rank(entry.key, status, location)
            entry = entry._replace(status=status, content_type=content_type, location=location, rank=rank)
        db.execute(_INSERT, entry._replace(payload=payload))
    return left_out


def _found(db: sqlite3.Connection, said: Sequence[str]) -> tuple[int, int, str, str] | None:
    """Return the record that a revisit record refers to, by the most certain way that finds one."""
    for condition, needed in _WAYS:
        values = [said[number] for number in needed]
        row = db.execute(f"{_FIRST}{condition} LIMIT 1", values).fetchone() if all(values) else None
        if row is not None:
            return tuple(row)
    return None
