from __future__ import annotations

from typing import Any

import pytest

from focused_crawler.crawl.steering.revisit_store import KnownPage, RevisitStore, Validators
from focused_crawler.crawl.steering.revisits import Observation
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.schema import State

A, B = "http://a.org/1", "http://b.org/2"


class Crawled:
    """A database with a frontier, and revisits of what it holds."""

    def __init__(self, database: CrawlDatabase) -> None:
        self.database = database
        self.pages = PageStore(self.database)
        self.frontier = SqlFrontier(self.database, Rules())
        self.revisits = RevisitStore(self.database, self.pages)

    def record(self, url: str, **facts: Any) -> None:
        self.frontier.done(url)
        self.pages.record_page(found(url, **facts))

    def row(self, url: str, columns: str) -> tuple[Any, ...]:
        return self.database.rows(f"SELECT {columns} FROM pages WHERE url = ?", (url,))[0]

    def known(self, url: str) -> KnownPage:
        page = self.revisits.known(url)
        assert page is not None
        return page

    def due(self, before: float = 1e9) -> list[str]:
        positions = [page.page for page in self.revisits.revisitable(before, 1e9)]
        return [self.revisits.candidate(position).url for position in positions]


def found(url: str, **facts: Any) -> PageItem:
    values = {
        "fetched_at": 100.0,
        "relevance": 0.9,
        "is_relevant": True,
        "size": 10,
        "checksum": url,
        **facts,
    }
    return PageItem(url=url, **values)


@pytest.fixture
def crawled(database: CrawlDatabase) -> Crawled:
    return Crawled(database)


def test_a_page_is_known_by_what_its_server_said(crawled: Crawled) -> None:
    """And a request says so; of a page that has neither tag nor date, nothing."""
    crawled.record(A, etag='"1"', last_modified="Mon, 06 Jan 2025 10:00:00 GMT")
    crawled.record(B)
    asked = {"If-None-Match": '"1"', "If-Modified-Since": "Mon, 06 Jan 2025 10:00:00 GMT"}
    assert crawled.known("https://www.a.org/1/").validators.conditions() == asked
    assert crawled.known(B).validators.conditions() == {}
    assert crawled.revisits.known("http://c.org/") is None
    assert crawled.known(A).is_at("https://a.org/1/")
    assert not crawled.known(A).is_at(B)


def test_unchanged(crawled: Crawled) -> None:
    """It was looked at, and its new tag is kept where there is one; it is not gone, even if it was."""
    crawled.record(A, etag='"1"', last_modified="then")
    crawled.revisits.missed(crawled.known(A), 200.0, run=1, is_gone=True)
    crawled.revisits.unchanged(crawled.known(A), 300.0, 1, Validators('"2"', None))
    assert crawled.row(A, "checked_at, gone_at, etag, last_modified, fetched_at") == (
        300.0,
        None,
        '"2"',
        "then",
        100.0,
    )


def test_unchanged_with_other_links(crawled: Crawled) -> None:
    """How many they are is kept, where the page was sent; of an answer without it, nothing."""
    crawled.record(A, links=3)
    crawled.revisits.unchanged(crawled.known(A), 300.0, 1, Validators(), 4)
    assert crawled.row(A, "links") == (4,)
    crawled.revisits.unchanged(crawled.known(A), 400.0, 1, Validators())
    assert crawled.row(A, "links, checked_at") == (4, 400.0)


def test_changed(crawled: Crawled) -> None:
    """The page has its new values and its old place; the counters are those of the pages as they are."""
    crawled.record(A, size=10, depth=3, is_target=True)
    crawled.record(B, size=5)
    new = found(
        A, title="New", size=30, is_relevant=False, relevance=0.2, checksum="new", duplicate_of=B, depth=9
    )
    crawled.revisits.changed(crawled.known(A), 300.0, 1, new)
    columns = (
        "position, title, size, is_relevant, relevance, checksum, duplicate_of, depth, fetched_at, is_target"
    )
    assert crawled.row(A, columns) == (1, "New", 30, 0, 0.2, "new", B, 3, 100.0, 1)
    counters = crawled.pages.counters
    assert (counters["pages"], counters["relevant"], counters["bytes"]) == (2, 1, 35)
    assert (counters["duplicates"], counters["targets"], counters["revisits"]) == (1, 1, 1)
    assert PageStore(crawled.database).counters == counters


def test_gone_and_failed(crawled: Crawled) -> None:
    """The first time that it was gone is kept; a failure says nothing of that."""
    crawled.record(A)
    crawled.revisits.missed(crawled.known(A), 200.0, 1, is_gone=False)
    assert crawled.row(A, "checked_at, gone_at") == (200.0, None)
    for at in (300.0, 400.0):
        crawled.revisits.missed(crawled.known(A), at, 1, is_gone=True)
    crawled.revisits.missed(crawled.known(A), 500.0, 1, is_gone=False)
    assert crawled.row(A, "checked_at, gone_at") == (500.0, 300.0)
    rows = crawled.database.rows("SELECT visited_at, outcome, run FROM revisits ORDER BY id")
    assert rows == [(200.0, "failed", 1), (300.0, "gone", 1), (400.0, "gone", 1), (500.0, "failed", 1)]


def test_visits_are_told_from_what_was_found(crawled: Crawled) -> None:
    """To go and to come back are changes; a failure says nothing, and the time before it counts on."""
    crawled.record(A)
    looks = [
        ("unchanged", 110.0),
        ("failed", 120.0),
        ("changed", 140.0),
        ("gone", 150.0),
        ("gone", 170.0),
        ("unchanged", 180.0),
        ("unchanged", 185.0),
    ]
    for outcome, at in looks:
        page = crawled.known(A)
        if outcome == "unchanged":
            crawled.revisits.unchanged(page, at, 1, Validators())
        elif outcome == "changed":
            crawled.revisits.changed(page, at, 1, found(A))
        else:
            crawled.revisits.missed(page, at, 1, is_gone=outcome == "gone")
    expected = [(10.0, False), (30.0, True), (10.0, True), (20.0, False), (10.0, True), (5.0, False)]
    assert list(crawled.revisits.visits()) == [("a.org", Observation(*visit)) for visit in expected]
    (page,) = crawled.revisits.revisitable(1e9, 1000.0)
    assert (list(page.visits), page.age) == ([Observation(*visit) for visit in expected], 815.0)


def test_which_pages_may_be_asked_for_again(crawled: Crawled) -> None:
    """Not copies, not what was looked at since, not what is queued, not of a host that is done with."""
    for number in range(5):
        crawled.record(f"http://h{number}.org/", fetched_at=100.0 + number)
    crawled.record("http://copy.org/", duplicate_of="http://h0.org/")
    crawled.frontier.again([Candidate("http://h1.org/", 1.0)])
    crawled.database.execute("UPDATE hosts SET ready_at = ? WHERE name = 'h2.org'", (float("inf"),))
    assert crawled.due(before=104.0) == ["http://h0.org/", "http://h3.org/"]
    crawled.revisits.missed(crawled.known("http://h0.org/"), 104.0, 1, is_gone=False)
    assert crawled.due(before=104.0) == ["http://h3.org/"]
    assert crawled.revisits.not_done() == {State.PENDING: 1}


def test_a_page_is_offered_as_it_came(crawled: Crawled) -> None:
    """With its depth, its parent, and what the strategy noted on that for it."""
    crawled.frontier.add([Candidate(A, 0.3, 2, "http://p.org/", b"noted")])
    crawled.frontier.take(1, 0.0)
    crawled.record(A, depth=2, parent="http://p.org/")
    assert crawled.revisits.candidate(1) == (A, 1.0, 2, "http://p.org/", b"noted")


def test_a_page_of_a_frontier_in_memory_is_offered(crawled: Crawled) -> None:
    """A start page to which no link is known: its URL is in no other table."""
    crawled.pages.record_page(found(B))
    assert not crawled.database.rows("SELECT 1 FROM urls WHERE url = ?", (B,))
    assert crawled.revisits.candidate(1) == (B, 1.0, 0, None, None)


def test_popular_pages_and_hubs_before_any_distillation(crawled: Crawled) -> None:
    """Links from other sites, and relevant pages that were found through a page."""
    for url, parent in ((A, None), (B, A), ("http://b.org/3", A), ("http://c.org/", B)):
        crawled.record(url, parent=parent)
    for source in ("http://c.org/", "http://b.org/3"):
        crawled.pages.record_links(source, [(A, "bees", 0, 0.5), (B, "bees", 0, None)])
    pages = list(crawled.revisits.revisitable(1e9, 1e9))
    assert [page.popularity for page in pages] == [1.0, 0.5, 0.0, 0.0]
    assert [page.hub for page in pages] == [1.0, 0.5, 0.0, 0.0]


def test_popular_pages_and_hubs_by_their_ratings(crawled: Crawled) -> None:
    """As shares of the best; a page without a rating has none."""
    for url in (A, B, "http://c.org/"):
        crawled.record(url)
    crawled.database.executemany("INSERT INTO ratings VALUES (?, ?, ?)", [(1, 0.8, 0.0), (2, 0.2, 1.0)])
    pages = list(crawled.revisits.revisitable(1e9, 1e9))
    assert [(page.hub, page.popularity) for page in pages] == [(1.0, 0.0), (0.25, 1.0), (0.0, 0.0)]


def test_many_pages_are_read_in_chunks(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is left out and none comes twice, with the visits of each."""
    monkeypatch.setattr("focused_crawler.crawl.steering.revisit_store._CHUNK", 3)
    for number in range(10):
        crawled.record(f"http://a.org/{number}")
        crawled.revisits.unchanged(crawled.known(f"http://a.org/{number}"), 150.0, 1, Validators())
    pages = list(crawled.revisits.revisitable(1e9, 200.0))
    assert [page.page for page in pages] == list(range(1, 11))
    assert all(page.visits == [Observation(50.0, False)] for page in pages)
    assert len(list(crawled.revisits.visits())) == 10
