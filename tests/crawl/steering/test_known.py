"""Pages that earlier crawls have: looked up by URL, told from others by date or tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.crawl.steering.known import KnownPages, is_same_version, known_folders
from focused_crawler.crawl.steering.revisit_store import Validators
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageStore

A, B, C = "http://a.org/1", "http://b.org/2", "http://c.org/3"
MONDAY, TUESDAY = "Mon, 06 Jan 2025 10:00:00 GMT", "Tue, 07 Jan 2025 10:00:00 GMT"
LINKS = [(B, "bees", 0, 0.9), (C, "cars", 1, None), (B, "more", 1, 0.25)]


class Crawls:
    """Crawls in folders, each with a few pages."""

    def __init__(self, folder: Path, address: str = "") -> None:
        self.folder, self.address = folder, address
        self.schemas: list[str] = []

    def add(self, name: str, *pages: PageItem, known: str = "", topic: str = "bees") -> Path:
        folder = self.folder / name
        folder.mkdir()
        settings = {"FOCUSED_KNOWN": str(self.folder / known) if known else ""}
        run = RunInfo(
            topic, topic, name, "lpe", "", None, trained=True, database=self.address, settings=settings
        )
        with open_crawl_database(folder, self.address, run) as database:
            store = PageStore(database)
            for page in pages:
                store.record_links(page.url, LINKS if page.url == A else [])
                store.record_page(page)
            store.commit()
        write_run(folder, run)
        self.schemas.append(run.schema)
        return folder


def page(url: str, **facts: Any) -> PageItem:
    return PageItem(url=url, fetched_at=1.0, relevance=0.9, is_relevant=True, **facts)


@pytest.fixture(params=["sqlite", "postgresql"])
def crawls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Crawls]:
    """Of either database."""
    if request.param == "sqlite":
        yield Crawls(tmp_path)
        return
    server = request.getfixturevalue("postgresql")
    crawls = Crawls(tmp_path, server.address)
    yield crawls
    for schema in crawls.schemas:
        server.drop(schema)


def asked(known: KnownPages, url: str) -> Mapping[str, str]:
    """Return the headers that a URL is asked for by."""
    found = known.find(url)
    return {} if found is None else found.validators.conditions()


def test_a_known_page_is_asked_for_on_conditions(crawls: Crawls) -> None:
    """By what its server said; a page of which it said nothing is as one that was never seen."""
    folder = crawls.add(
        "1", page(A, etag='"1"', last_modified=MONDAY), page(B, last_modified=MONDAY), page(C)
    )
    known = KnownPages([folder])
    found = known.find(A)
    assert found is not None
    assert found.validators.conditions() == {"If-None-Match": '"1"', "If-Modified-Since": MONDAY}
    assert asked(known, B) == {"If-Modified-Since": MONDAY}
    assert known.find(C) is known.find("http://d.org/") is None
    assert found.is_at("https://www.a.org/1/")
    assert not found.is_at(B)
    known.close()


def test_its_links_are_those_that_were_seen(crawls: Crawls) -> None:
    """In their order, with their scores, followed or not."""
    known = KnownPages([crawls.add("1", page(A, etag='"1"'))])
    found = known.find(A)
    assert found is not None
    assert [tuple(link) for link in known.links(found)] == LINKS
    known.close()


def test_the_newest_crawl_speaks(crawls: Crawls) -> None:
    """Where several have a page; what only an older one has is known as well."""
    first = crawls.add("1", page(A, etag='"1"'), page(B, etag='"2"'))
    second = crawls.add("2", page(A, etag='"9"'), known="1")
    folders = known_folders(second, "bees", crawls.address)
    assert folders == (second, first)
    known = KnownPages(folders)
    assert asked(known, A) == {"If-None-Match": '"9"'}
    assert asked(known, B) == {"If-None-Match": '"2"'}
    known.close()


def test_without_earlier_crawls_nothing_is_known() -> None:
    """The usual crawl."""
    known = KnownPages()
    assert known.find(A) is None
    known.close()


@pytest.mark.parametrize(
    ("now", "then", "same"),
    [
        ((None, MONDAY), (None, MONDAY), True),
        ((None, TUESDAY), (None, MONDAY), False),
        (('"1"', MONDAY), ('"2"', MONDAY), True),
        (('"1"', TUESDAY), ('"1"', MONDAY), False),
        (('"1"', None), ('"1"', MONDAY), True),
        (('W/"1"', None), ('"1"', None), True),
        (('"2"', None), ('"1"', None), False),
        (('"1"', None), (None, MONDAY), False),
        ((None, None), (None, None), False),
        (("", ""), ("", ""), False),
    ],
)
def test_versions_are_told_by_date_else_by_tag(now: Any, then: Any, same: bool) -> None:
    """As in the paper, by the date; where one has none, by the tag, and else they are two."""
    assert is_same_version(Validators(*now), Validators(*then)) is same


def test_a_chain_of_crawls_ends(tmp_path: Path) -> None:
    """Where one is gone, or where it comes round."""
    crawls = Crawls(tmp_path)
    lost = crawls.add("1", page(A), known="gone")
    assert known_folders(lost, "bees") == (lost,)
    one, two = crawls.add("2", page(A), known="3"), crawls.add("3", page(B), known="2")
    assert known_folders(two, "bees") == (two, one)


def test_what_is_no_crawl_of_the_topic_is_refused(tmp_path: Path) -> None:
    """In one line that names the setting, the folder and what would be right."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"^FOCUSED_KNOWN is .*empty', which holds no crawl; use one as"):
        known_folders(tmp_path / "empty", "bees")
    other = Crawls(tmp_path).add("1", topic="wasps")
    with pytest.raises(ConfigError, match=r"^FOCUSED_KNOWN is .*, a crawl of wasps; use one of bees$"):
        known_folders(other, "bees")


def test_a_crawl_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Before this one begins."""
    folder = Crawls(tmp_path).add("1", page(A))
    (folder / "crawl.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(CrawlError, match=r"crawl\.db is damaged"):
        known_folders(folder, "bees")


def test_it_is_read_while_it_is_written(tmp_path: Path) -> None:
    """An earlier crawl need not have ended."""
    folder = Crawls(tmp_path).add("1", page(A, etag='"1"'))
    with CrawlDatabase(folder / "crawl.db") as database:
        known = KnownPages([folder])
        store = PageStore(database)
        store.record_page(page(B, etag='"2"'))
        assert asked(known, B) == {}
        store.commit()
        assert asked(known, B) == {"If-None-Match": '"2"'}
        known.close()
