"""Values that no crawl writes are found; all that crawls write, of any version, is none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.foreign import explaining, foreign_value
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A crawl's database with a page."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        store.begin_run({}, {})
        store.record_page(PageItem(url="http://a.example/", relevance=0.5, is_relevant=True, fetched_at=1e9))
        store.commit()
    return tmp_path / "crawl.db"


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


def test_what_a_crawl_writes_is_its_own(path: Path) -> None:
    """A closed host has no end of its rest."""
    edit(path, "INSERT INTO hosts (name, ready_at) VALUES ('a.example', 9e999)")
    assert foreign_value(path) is None


EDITS = [
    ("UPDATE pages SET relevance = 'high'", "relevance of pages"),
    ("UPDATE pages SET fetched_at = 9e999", "fetched_at of pages"),
    ("UPDATE pages SET fetched_at = -1e300", "fetched_at of pages"),
    ("UPDATE pages SET title = x'00'", "title of pages"),
    ("UPDATE pages SET depth = 0.5", "depth of pages"),
    ("UPDATE runs SET settings = '[]'", "settings of runs"),
    ("UPDATE runs SET versions = '{'", "versions of runs"),
    ("INSERT INTO urls (key, url, state) VALUES (1, 'http://a.example/', 7)", "state of urls"),
    ("UPDATE pages SET title = CAST(x'ff' AS TEXT)", None),  # SQLite itself reads it, Python does not
]


@pytest.mark.parametrize(("statement", "found"), EDITS)
def test_what_no_crawl_writes_is_found(path: Path, statement: str, found: str | None) -> None:
    edit(path, statement)
    assert foreign_value(path) == found


def test_a_name_that_nobody_can_read(path: Path) -> None:
    """Python cannot even tell what SQLite says of it."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE xyzzy (a INTEGER)")
    path.write_bytes(path.read_bytes().replace(b"(a INT", b'"\xe2 INT'))
    assert "codec can't decode" in (foreign_value(path) or "")


def read(path: Path, error: Exception) -> None:
    with explaining(), CrawlDatabase(path, read_only=True):
        raise error


def test_an_error_is_explained(path: Path) -> None:
    """By what was opened, and only where that is at fault."""
    with pytest.raises(TypeError):
        read(path, TypeError("ours"))
    edit(path, "UPDATE pages SET relevance = 'high'")
    with pytest.raises(CrawlError, match=r"changed by another program \(relevance of pages\)"):
        read(path, TypeError("of a value"))
    with pytest.raises(ConfigError):
        read(path, ConfigError("as it is"))
    with pytest.raises(TypeError), explaining():
        raise TypeError("no file was opened")
