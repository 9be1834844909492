"""The crawl's database file: opening, locking, migrating, and what a user is told when it cannot be used."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import sqlite_file
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import MIGRATIONS, State


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "crawl.db"


def refusal(path, **options):
    """Return the line a user is told when the file cannot be opened."""
    with pytest.raises(CrawlError) as refused:
        CrawlDatabase(path, **options).close()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def add(database, *names):
    database.executemany("INSERT INTO hosts (name) VALUES (?)", [(name,) for name in names])


def names(database):
    return [row[0] for row in database.rows("SELECT name FROM hosts ORDER BY id")]


def test_commit_keeps_and_close_drops(path):
    """What is committed is there at the next opening; the rest is not."""
    with CrawlDatabase(path) as database:
        add(database, "a.org")
        database.commit()
        add(database, "b.org")
    with CrawlDatabase(path) as database:
        assert names(database) == ["a.org"]


def test_states_have_their_names(path):
    """The table of states says what the code means."""
    with CrawlDatabase(path) as database:
        assert dict(database.rows("SELECT state, name FROM states")) == {s: s.name.lower() for s in State}


def test_second_process_is_refused(path):
    """A crawl under way is not opened by another process; once it is over, it is."""
    with CrawlDatabase(path):
        script = "import sys; from focused_crawler.store.database import CrawlDatabase as D; D(sys.argv[1])"
        other = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
        )
        assert "is being crawled by another process" in other.stderr
        assert "is being crawled by another process" in refusal(path)
    CrawlDatabase(path).close()


def test_reader_beside_a_running_crawl(path):
    """A report reads what is committed, without a lock, and cannot write."""
    with CrawlDatabase(path) as writer:
        add(writer, "a.org")
        writer.commit()
        add(writer, "b.org")
        with CrawlDatabase(path, read_only=True) as reader:
            assert names(reader) == ["a.org"]
            with pytest.raises(CrawlError, match="use a folder that can"):
                add(reader, "c.org")
        writer.commit()


def test_reader_of_nothing(path):
    """Reading a crawl that never began says so, and makes no file."""
    assert "does not exist" in refusal(path, read_only=True)
    assert not path.exists()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("content", [b"no database at all\n" * 500, b"SQLite format 3\0" + b"\xff" * 9000])
def test_damaged_file(path, content, read_only):
    """A damaged file is named, and left as it is."""
    path.parent.mkdir()
    path.write_bytes(content)
    assert "is damaged or no crawl database" in refusal(path, read_only=read_only)
    assert path.read_bytes() == content


def test_damage_met_later(path):
    """A page damaged in the middle of the file ends the crawl with one line."""
    with CrawlDatabase(path) as database:
        add(database, *(f"host{i}.org" for i in range(5000)))
        database.commit()
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    with pytest.raises(CrawlError, match="is damaged"), CrawlDatabase(path) as database:
        names(database)


def test_foreign_database(path):
    """A database of something else is not written into."""
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    assert "not one of a crawl" in refusal(path)


def test_newer_version(path):
    """A file of a newer version is not touched by an older one."""
    with CrawlDatabase(path) as database:
        database.execute("INSERT INTO migrations VALUES ('9999_future', 0)")
        database.commit()
    assert "newer version (9999_future)" in refusal(path)
    assert "newer version (9999_future)" in refusal(path, read_only=True)


def test_migration_is_applied_once(path, monkeypatch):
    """A new migration changes an old file, keeps its rows, and is not applied again."""
    an_old_one(path, monkeypatch)
    for _ in range(2):
        with CrawlDatabase(path) as database:
            assert database.rows("SELECT name, note FROM hosts") == [("a.org", "x;y")]


def test_reader_of_an_older_version(path, monkeypatch):
    """It is brought up to date where nobody crawls, and is read then."""
    an_old_one(path, monkeypatch)
    for _ in range(2):
        with CrawlDatabase(path, read_only=True) as database:
            assert database.rows("SELECT name, note FROM hosts") == [("a.org", "x;y")]
    with CrawlDatabase(path) as database:
        monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*sqlite_file.MIGRATIONS, ("0009_test", ())))
        line = refusal(path, read_only=True)
        assert "older version" in line
        assert "is being crawled by another process; wait for it to end" in line
        assert names(database) == ["a.org"]


def an_old_one(path, monkeypatch):
    """Make a database, and after it a version that has more."""
    with CrawlDatabase(path) as database:
        add(database, "a.org")
        database.commit()
    more = (
        "0008_test",
        ("ALTER TABLE hosts ADD COLUMN note TEXT DEFAULT 'x;y'", "CREATE INDEX notes ON hosts (note)"),
    )
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*MIGRATIONS, more))


def test_broken_migration_leaves_no_trace(path, monkeypatch):
    """A migration that fails half-way is as if it had never been tried."""
    CrawlDatabase(path).close()
    broken = ("0008_broken", ("CREATE TABLE half (x)",) * 2)
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "MIGRATIONS", (*MIGRATIONS, broken))
        assert "half" in refusal(path)
    with CrawlDatabase(path) as database:
        assert not database.rows("SELECT 1 FROM sqlite_master WHERE name = 'half'")


def test_full_disk(path):
    """When the disk is full the crawl is told in one line; the file keeps the last commit."""
    with CrawlDatabase(path) as database:
        add(database, "a.org")
        database.commit()
        database.rows("PRAGMA max_page_count = 40")
        with pytest.raises(CrawlError, match="the disk is full"):
            add(database, *("x" * 4000 + str(i) for i in range(200)))
        with pytest.raises(CrawlError, match="the disk is full"):
            database.commit()
    with CrawlDatabase(path) as database:
        assert names(database) == ["a.org"]


def test_locked_by_another_program(path, monkeypatch):
    """A program that writes into the file for long is asked to be closed."""
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    with CrawlDatabase(path) as database:
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CrawlError, match="is locked by another program"):
            add(database, "a.org")
        other.close()


def test_folder_that_cannot_be_made(tmp_path):
    """A folder below a file cannot be written to, and the line says so."""
    (tmp_path / "file").write_text("")
    assert "cannot be written to" in refusal(tmp_path / "file" / "crawl.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_read_only_folder(path):
    """A read-only folder can be reported on but not crawled into."""
    CrawlDatabase(path).close()
    path.parent.chmod(0o500)
    try:
        assert "cannot be" in refusal(path)
        CrawlDatabase(path, read_only=True).close()
    finally:
        path.parent.chmod(0o700)


def test_copied_while_open(path, tmp_path):
    """The file of a killed crawl (with its journal) opens as of its last commit."""
    with CrawlDatabase(path) as database:
        add(database, "a.org")
        database.commit()
        add(database, "b.org")
        shutil.copytree(path.parent, tmp_path / "copy")
    with CrawlDatabase(tmp_path / "copy" / "crawl.db") as database:
        assert names(database) == ["a.org"]
