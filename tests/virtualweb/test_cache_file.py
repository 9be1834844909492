from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.virtualweb.cache_file import open_cache

DAY = 24 * 3600


@pytest.fixture
def web(make_web: Callable[..., Path]) -> Path:
    """Its name has letters that mean something in patterns."""
    return make_web(name="[w]*.warc.gz")


def fill(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE fact (number INTEGER)")


def make(web: Path, kind: str) -> Path:
    open_cache(web, kind, 1, fill, lambda db: db).close()
    return web.with_name(f"{web.name}.{kind}")


def left(path: Path, days: float) -> Path:
    """Write a file that was last read and written so long ago."""
    path.touch()
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


@pytest.mark.parametrize(
    ("name", "days", "is_kept"),
    [
        ("{web}.pages-0000000b", 31, False),
        ("{web}.pages-0000000b", 29, True),
        ("{web}.pages-notes.txt", 31, True),
        ("{web}.index", 31, True),
        ("wx.warc.gz.pages-0000000b", 31, True),
        (".{web}.pages-0000000b.x1y2z3a4", 2, False),
        (".{web}.pages-0000000b.x1y2z3a4-journal", 2, False),
        (".{web}.pages-0000000a.x1y2z3a4", 0.5, True),
        (".{web}.index.x1y2z3a4", 2, True),
    ],
)
def test_making_one_removes_what_nobody_will_miss(web: Path, name: str, days: float, is_kept: bool) -> None:
    """Of the same web and kind: variants not read for 30 days, what killed processes left a day ago."""
    other = left(web.with_name(name.format(web=web.name)), days)
    assert make(web, "pages-0000000a").exists()
    assert other.exists() == is_kept


def test_opening_one_removes_nothing(web: Path) -> None:
    """Only who makes a file needs the room."""
    make(web, "pages-0000000a")
    other = left(web.with_name(f"{web.name}.pages-0000000b"), 100)
    make(web, "pages-0000000a")
    assert other.exists()


def test_what_was_read_lately_was_not_made_long_ago(web: Path) -> None:
    """An old file that is in use stays."""
    other = left(web.with_name(f"{web.name}.pages-0000000b"), 100)
    os.utime(other, (time.time(), other.stat().st_mtime))
    make(web, "pages-0000000a")
    assert other.exists()
