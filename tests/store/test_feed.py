from __future__ import annotations

import json
from pathlib import Path

import pytest

from focused_crawler.edge.page_lines import PageLineExporter
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.feed import FeedStorage, correct_feed
from focused_crawler.store.history import StoredPage

FULL = Path("/dev/full")


@pytest.fixture
def told() -> list[CrawlError]:
    return []


def test_scrapy_writes_what_is_read_back(tmp_path: Path) -> None:
    """A page's line is the same to the byte, so that the next run has nothing to correct."""
    page = _page("café")
    with (tmp_path / "live.jsonl").open("wb") as file:
        PageLineExporter(file, encoding="latin-1", indent=2).export_item(page)
    correct_feed(tmp_path / "feed.jsonl", [page])
    line = (tmp_path / "live.jsonl").read_bytes()
    assert line == (tmp_path / "feed.jsonl").read_bytes()
    assert json.loads(line)["judge"] == "keywords:0badcafe"


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
        correct_feed(tmp_path / "gone/pages.jsonl", [])


def _page(name: str) -> StoredPage:
    return StoredPage(
        position=1,
        url=f"http://{name}/",
        host=name,
        fetched_at=1e9,
        title=name,
        relevance=0.5,
        is_relevant=True,
        judge="keywords:0badcafe",
    )


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("abc", "ab"), ("ab", "ab"), ("a", "abc"), ("axc", "abc"), ("", "ab"), ("ab", "")],
)
def test_a_feed_is_corrected(tmp_path: Path, written: str, wanted: str) -> None:
    """It has the pages of the database, and no others; it is cut where that is enough."""
    path, right = tmp_path / "pages.jsonl", tmp_path / "right.jsonl"
    correct_feed(right, map(_page, wanted))
    correct_feed(path, map(_page, written))
    with path.open("a") as file:
        file.write('{"url": "http://torn')
    before = path.stat().st_ino
    correct_feed(path, map(_page, wanted))
    assert path.read_bytes() == right.read_bytes()
    assert [json.loads(line)["title"] for line in right.read_text().splitlines()] == list(wanted)
    assert (path.stat().st_ino == before) == written.startswith(wanted)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pages.jsonl", "right.jsonl"]
