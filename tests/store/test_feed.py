from __future__ import annotations

import json
from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.feed import FeedStorage, rewrite_feed
from focused_crawler.store.history import StoredPage

FULL = Path("/dev/full")


@pytest.fixture
def told() -> list[CrawlError]:
    return []


def test_a_feed_is_appended_to(tmp_path: Path, told: list[CrawlError]) -> None:
    """What was in it stays; a path may hold any character."""
    path = tmp_path / "100% of: pages.jsonl"
    path.write_text("first\n")
    storage = FeedStorage(told.append, f"crawl:{path}", feed_options={})
    with storage.open(None) as file:
        file.write(b"second\n")
        storage.store(file)
    assert path.read_text() == "first\nsecond\n"
    assert told == []


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_told(told: list[CrawlError]) -> None:
    """And raises nothing: not when a line is written, nor at the end."""
    storage = FeedStorage(told.append, f"crawl:{FULL}")
    file = storage.open(None)
    file.write(b"a line\n" * 10_000)
    storage.store(file)
    assert str(told[0]).startswith("/dev/full cannot be written (No space left on device); ")


def test_a_folder_that_is_gone_is_told(tmp_path: Path, told: list[CrawlError]) -> None:
    """Lines go nowhere then."""
    storage = FeedStorage(told.append, f"crawl:{tmp_path / 'gone/pages.jsonl'}")
    file = storage.open(None)
    file.write(b"a line\n")
    storage.store(file)
    assert "pages.jsonl cannot be written (No such file or directory)" in str(told[0])
    with pytest.raises(CrawlError, match="No such file or directory"):
        rewrite_feed(tmp_path / "gone/pages.jsonl", [])


def test_a_feed_is_written_anew(tmp_path: Path) -> None:
    """With the pages of the database, and no others."""
    path = tmp_path / "pages.jsonl"
    path.write_text('{"url": "http://a/"}\n{"url": "http://torn')
    page = StoredPage(
        position=1, url="http://b/", host="b", fetched_at=1e9, title="B", relevance=0.5, is_relevant=True
    )
    rewrite_feed(path, [page])
    assert [json.loads(line)["url"] for line in path.read_text().splitlines()] == ["http://b/"]
    assert [file.name for file in tmp_path.iterdir()] == ["pages.jsonl"]
