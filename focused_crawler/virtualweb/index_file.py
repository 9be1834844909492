"""The index of a WARC file, where the records of a key lie: SQLite, beside it or in the user's cache."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

import platformdirs
from rich.console import Console
from rich.progress import Progress

from focused_crawler.errors import WebError
from focused_crawler.virtualweb.record import status_of
from focused_crawler.virtualweb.scan import Scanned, open_warc, whole_records
from focused_crawler.virtualweb.surt import surt

FORMAT = 1
"""Raise it when the table or the key changes: older indexes are then built again."""

OK, REDIRECT, OTHER, SELF_REDIRECT = range(4)
"""Ranks: of the records of one key the lowest is the answer. A redirect to its own key is never one."""

_PROGRESS_AFTER = 1.0  # seconds
_SCHEMA = """
CREATE TABLE made_from (format INTEGER, size INTEGER, mtime_ns INTEGER);
CREATE TABLE record (
    key TEXT, rank INTEGER, offset INTEGER, length INTEGER, status INTEGER,
    url TEXT, content_type TEXT, location TEXT,
    PRIMARY KEY (key, rank, offset)
) WITHOUT ROWID;
"""
logger = logging.getLogger(__name__)


class Entry(NamedTuple):
    """One response record of a web, as the index knows it."""

    key: str
    rank: int
    offset: int
    length: int  # bytes in the WARC, compressed
    status: int
    url: str  # as recorded
    content_type: str  # lower case, without parameters
    location: str  # of a redirect: absolute; else empty


def open_index(warc: Path) -> sqlite3.Connection:
    """Open the index of `warc` for reading; build it first when there is none that fits.

    Several processes may do so at once: each builds its own and renames it into place.
    """
    stamp = _stamp(warc)
    for path in _places(warc):
        with suppress(sqlite3.Error):
            db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            if db.execute("SELECT * FROM made_from").fetchone() == stamp:
                return db
            db.close()
    path = _build(warc, stamp)
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _stamp(warc: Path) -> tuple[int, int, int]:
    with open_warc(warc) as file:
        stat = os.fstat(file.fileno())
    return FORMAT, stat.st_size, stat.st_mtime_ns


def _places(warc: Path) -> list[Path]:
    """Where the index may lie, best first: a folder without write permission is left alone, even by root."""
    name = f"{warc.name}.index"
    digest = blake2b(os.fsencode(warc.resolve()), digest_size=6).hexdigest()
    cache = platformdirs.user_cache_path("focused_crawler") / "webs" / f"{digest}-{name}"
    folder = warc.absolute().parent
    beside = [folder / name] if folder.stat().st_mode & 0o222 and os.access(folder, os.W_OK) else []
    return [*beside, cache]


def _build(warc: Path, stamp: tuple[int, int, int]) -> Path:
    for path in _places(warc):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        except OSError as error:
            reason = error
            continue
        os.close(handle)
        unfinished = Path(name)
        try:
            _fill(unfinished, warc, stamp)
            unfinished.chmod(0o644)
            return unfinished.replace(path)
        except sqlite3.Error as error:
            raise WebError(f"the index of {warc} cannot be written to {path.parent} ({error})") from error
        finally:
            unfinished.unlink(missing_ok=True)
    raise WebError(f"no folder to write the index of {warc} to ({reason}); set XDG_CACHE_HOME to one")


def _fill(path: Path, warc: Path, stamp: tuple[int, int, int]) -> None:
    with closing(sqlite3.connect(path)) as db, open_warc(warc) as file:
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(_SCHEMA)
        scanned = _shown(whole_records(file), warc, stamp[1])
        entries = (_entry(one) for one in scanned if one.record.rec_type == "response")
        db.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entries)
        if not db.execute("SELECT 1 FROM record").fetchone():
            raise WebError(f"{warc} holds no response record; a web is a WARC of response records")
        db.execute("INSERT INTO made_from VALUES (?, ?, ?)", stamp)
        db.commit()


def _entry(scanned: Scanned) -> Entry:
    record = scanned.record
    url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
    headers = record.http_headers
    key, status = surt(url), status_of(record)
    location = headers.get_header("Location") if headers and status // 100 == 3 else None
    target = _joined(url, location) if location else ""
    content_type = (headers.get_header("Content-Type") or "") if headers else ""
    media = content_type.partition(";")[0].strip().lower()
    rank = _rank(key, status, target)
    return Entry(key, rank, scanned.offset, scanned.length, status, url, media, target)


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


def _shown(records: Iterator[Scanned], warc: Path, size: int) -> Iterator[Scanned]:
    """Pass records on, with a progress bar on a terminal once it has taken a second."""
    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task(f"Index of {warc.name}", total=size)
    try:
        for count, scanned in enumerate(records):
            if count % 200 == 0 and bar.console.is_terminal and time.monotonic() - started > _PROGRESS_AFTER:
                bar.start()
                bar.update(task, completed=scanned.offset, refresh=True)
            yield scanned
    finally:
        if bar.live.is_started:
            bar.stop()
    logger.debug("Indexed %s in %.1f s", warc, time.monotonic() - started)
