"""The file of the lists: what it may be, and what is said of one that cannot be used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest

from focused_crawler.crawl.lists.counts import CrawlCount
from focused_crawler.crawl.lists.file import VERSION, ListFile, lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic


def test_lists_lie_beside_the_model(tmp_path):
    """In the topic's folder, or under FOCUSED_MODELS."""
    topic = Topic("bees", tmp_path / "bees")
    assert lists_path(topic, None) == tmp_path / "bees/lists.db"
    assert lists_path(topic, tmp_path / "models") == tmp_path / "models/bees/lists.db"


def test_a_new_file_is_made_with_its_folder(tmp_path):
    """With its version, and a write-ahead log, which is gone when it is closed."""
    path = tmp_path / "deep" / "down" / "lists.db"
    with Lists(path) as lists:
        assert lists.sites() == []
    assert [file.name for file in path.parent.iterdir()] == ["lists.db"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    """Who shows the lists sees the last whole state."""
    path = tmp_path / "lists.db"
    with Lists(path), ListFile(path) as writer, writer.writing() as connection:
        connection.execute("INSERT INTO site_marks VALUES ('a.org', 'kept', '')")
        with Lists(path, read_only=True) as reader:
            assert reader.sites() == []


def test_a_change_is_whole_or_not_at_all(tmp_path):
    """What fails half way leaves what was there."""
    with Lists(tmp_path / "lists.db") as lists:
        with pytest.raises(sqlite3.IntegrityError):
            lists.mark([("a.org", "kept", ""), ("b.org", "no mark", "")])  # type: ignore[list-item]
        assert lists.sites() == []


def damaged(path):
    path.write_bytes(b"this is no database" * 100)


def foreign(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name)")


def newer(path):
    Lists(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")


def a_folder(path):
    path.mkdir()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (damaged, "move it away"),
        (foreign, "move it away"),
        (newer, "update focused-crawler"),
        (a_folder, "FOCUSED_LISTS=off"),
    ],
)
def test_what_holds_no_lists_is_refused(make, words, read_only, tmp_path):
    """In one line that names the file and the cure; it stays as it was."""
    make(tmp_path / "lists.db")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(TopicError, match=words) as error:
        Lists(tmp_path / "lists.db", read_only=read_only)
    assert str(tmp_path / "lists.db") in str(error.value)
    assert "\n" not in str(error.value)
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_none_is_refused(tmp_path):
    """As where FOCUSED_MODELS names a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(TopicError, match="FOCUSED_MODELS=FOLDER"):
        Lists(tmp_path / "file" / "bees" / "lists.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_lists_are_read_where_nothing_can_be_written(tmp_path):
    """As on a server whose topics belong to somebody else."""
    with Lists(tmp_path / "lists.db") as lists:
        lists.count(CrawlCount("1", "1", 1.0, 1, 1, (), ()))
    tmp_path.chmod(0o555)
    try:
        with Lists(tmp_path / "lists.db", read_only=True) as lists:
            assert len(lists.crawls()) == 1
        with pytest.raises(TopicError, match="FOCUSED_MODELS=FOLDER"), Lists(tmp_path / "lists.db") as lists:
            lists.forget("1")
    finally:
        tmp_path.chmod(0o755)


def test_an_empty_file_is_one_without_lists(tmp_path):
    """Whoever made it was killed before its tables were there: the next crawl begins, and fills it."""
    path = tmp_path / "lists.db"
    with closing(sqlite3.connect(path)) as begun:
        begun.execute("PRAGMA journal_mode = WAL")
    for _ in range(2):
        with Lists(path, read_only=True) as lists:
            assert (lists.sites(), lists.crawls()) == ([], [])
    with Lists(path):
        pass
    with closing(sqlite3.connect(path)) as made:
        assert made.execute("PRAGMA user_version").fetchone() == (VERSION,)
