"""What is made of a WARC file once and cached: SQLite files, beside it or in the user's cache."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from glob import escape
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import platformdirs

from focused_crawler.safety.errors import WebError
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.virtualweb.warc_file import open_warc

_T = TypeVar("_T")
_Stamp = tuple[int, int, int]
_BROKEN = (sqlite3.Error, ValueError, TypeError)
_DAY = 24 * 3600.0

Fill = Callable[[sqlite3.Connection], None]
"""Makes the tables of an empty file; a WebError it raises leaves no file behind."""


def open_cache(
    warc: Path, kind: str, version: int, fill: Fill, load: Callable[[sqlite3.Connection], _T]
) -> _T:
    """Return what `load` makes of the file of that kind; the file is made first when there is none that fits.

    It fits if it was made in this version from the WARC as it is, is whole, and `load` can read it.
    Several processes may do so at once: each makes its own and renames it into place. WebError if there is no
    WARC, or no room. A kind may have variants, "pages-" and eight hexadecimal digits: making one removes
    those of the same WARC not read for 30 days, and what killed processes began a day ago or before.
    """
    stamp = _stamp(warc, version)
    for path in _paths(warc, kind):
        with suppress(*_BROKEN):
            return _load(path, stamp, load)
    path = _build(warc, kind, stamp, fill)
    try:
        return _load(path, stamp, load)
    except _BROKEN as error:
        raise WebError(
            f"{path} cannot be read back ({error}); is the disk full, or the file changed?"
        ) from error


def damaged(db: sqlite3.Connection, what: str, error: Exception) -> WebError:
    """Return what to say of a file of which a part cannot be read."""
    file = db.execute("PRAGMA database_list").fetchone()[2]
    return WebError(f"{what} is damaged ({error}); remove {file} to have it made again")


def _load(path: Path, stamp: _Stamp, load: Callable[[sqlite3.Connection], _T]) -> _T:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        if db.execute("SELECT * FROM made_from").fetchone() != stamp:
            raise ValueError("made from another file, or in another version")
        pages, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if path.stat().st_size < pages * size:
            raise ValueError("cut off")
        return load(db)
    except BaseException:
        db.close()
        raise


def _stamp(warc: Path, version: int) -> _Stamp:
    with open_warc(warc) as file:
        stat = os.fstat(file.file.fileno())
    return version, stat.st_size, stat.st_mtime_ns


def _paths(warc: Path, kind: str) -> list[Path]:
    """Where the file may lie, best first: a folder without write permission is left alone, even by root."""
    name = f"{warc.name}.{kind}"
    digest = blake2b(os.fsencode(warc.resolve()), digest_size=6).hexdigest()
    cache = platformdirs.user_cache_path("focused_crawler") / "webs" / f"{digest}-{name}"
    folder = warc.absolute().parent
    beside = [folder / name] if folder.stat().st_mode & 0o222 and os.access(folder, os.W_OK) else []
    return [*beside, cache]


def _build(warc: Path, kind: str, stamp: _Stamp, fill: Fill) -> Path:
    for path in _paths(warc, kind):
        with ExitStack() as stack:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(unfinished(path))
            except OSError as error:
                reason = error
                continue
            try:
                _write(file, stamp, fill)
            except sqlite3.Error as error:
                raise WebError(
                    f"the {kind} of {warc} cannot be written to {path.parent} ({error})"
                ) from error
            file.chmod(0o644)
        _tidy(path, kind)
        return path
    raise WebError(f"no folder to write the {kind} of {warc} to ({reason}); set XDG_CACHE_HOME to one")


def _tidy(made: Path, kind: str) -> None:
    name = escape(made.name.removesuffix(kind) + kind.partition("-")[0])
    variants = f"{name}-{'[0-9a-f]' * 8}"
    for pattern, days in ((f".{name}*", 1), (variants, 30)):
        for path in made.parent.glob(pattern):
            with suppress(OSError):  # another process tidies up, too
                stat = path.stat()
                if time.time() - max(stat.st_atime, stat.st_mtime) > days * _DAY:
                    path.unlink()


def _write(path: Path, stamp: _Stamp, fill: Fill) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("CREATE TABLE made_from (format INTEGER, size INTEGER, mtime_ns INTEGER)")
        fill(db)
        db.execute("INSERT INTO made_from VALUES (?, ?, ?)", stamp)
        db.commit()
