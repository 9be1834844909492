"""What is written down of a crawl, and how it is read back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.sqlite_file import SqliteFile


@pytest.fixture
def store(database):
    return PageStore(database)


@pytest.fixture
def history(database):
    return CrawlHistory(database)


def page(url, relevance=0.7, **more):
    return PageItem(url=url, fetched_at=1.5e9, relevance=relevance, is_relevant=relevance >= 0.5, **more)


def test_page_is_counted_once(store, history):
    """The same page under another scheme, www. or slash is no further page."""
    assert store.record_page(page("http://a.org/x", size=10, is_target=True))
    assert not store.record_page(page("https://www.a.org/x/", size=10, is_target=True))
    assert store.record_page(page("http://a.org/y", 0.1, size=5, duplicate_of="http://a.org/x"))
    assert [found.position for found in history.pages()] == [1, 2]
    expected = {"pages": 2, "relevant": 1, "targets": 1, "bytes": 15, "duplicates": 1, "failures": 0}
    assert store.counters == history.counters() == expected
    assert [found.url for found in history.pages_after(0) if found.is_target] == ["http://a.org/x"]


def test_page_comes_back_as_it_went_in(store, history):
    """Every field of a page is kept."""
    record = page(
        "http://a.org/x", 0.25, requested_url="http://b.org/", parent="http://p.org/", depth=3, status=203,
        size=77, links=4, title="A title", checksum="c", duplicate_of="http://c.org/", is_target=False,
        category="a/b", run=9, hubness=0.25,
    )  # fmt: skip
    store.record_page(record)
    (found,) = history.pages()
    assert found.host == "a.org"
    assert asdict(found) == asdict(record) | {"host": "a.org", "position": 1}
    assert found.run == 9


def test_counters_go_on_after_reopening(crawl_database):
    """Totals are those of all runs."""
    for run in (1, 2):
        with crawl_database.open() as database:
            store = PageStore(database)
            assert store.begin_run({"a": run, "path": Path("a")}, {"scrapy": "2.19"}) == run
            store.record_page(page(f"http://a.org/{run}", run=run))
            store.end_run(run, "page budget spent")
            store.commit()
    with crawl_database.open(read_only=True) as database:
        assert PageStore(database).counters["pages"] == 2
        runs = CrawlHistory(database).runs()
        assert [(run.reason, run.settings["a"], run.versions) for run in runs] == [
            ("page budget spent", run, {"scrapy": "2.19"}) for run in (1, 2)
        ]


def test_checksum_finds_the_first_page(store):
    """A copy is known by its checksum, and leads to the original, not to another copy."""
    assert store.seen_checksum("c") is None
    store.record_page(page("http://a.org/1", checksum="c"))
    store.record_page(page("http://a.org/2", checksum="c", duplicate_of="http://a.org/1"))
    assert store.seen_checksum("c") == "http://a.org/1"


def test_failures_by_class(store, history):
    """Failures are counted by the last reason of each URL; a page fetched after all is none."""
    store.record_failure("http://a.org/1", "timeout")
    store.record_failure("http://a.org/1", "http_404")
    store.record_failure("http://a.org/2", "http_404")
    store.record_failure("http://a.org/3", "robots")
    store.record_page(page("http://a.org/3"))
    assert not store.record_failure("http://a.org/3", "timeout")
    assert history.failures_by_class() == {"http_404": 2}
    assert store.counters["failures"] == 2


def test_links_are_kept_in_order(database, store):
    """Links keep their order, anchor (cut), block and score; recording a page again replaces them."""
    rows = [
        ("http://a.org/1", "one", 0, 0.5),
        ("http://b.org/", "x" * 500, 1, None),
        ("http://a.org/1", "", 2, 0.0),
    ]
    store.record_links("http://p.org/", [*rows, *rows])
    store.record_links("http://p.org/", rows)
    store.refresh()
    assert store.counters["links"] == 3
    found = database.rows("SELECT source, target, anchor, block, score FROM named_links ORDER BY number")
    assert found == [("http://p.org/", url, anchor[:200], block, score) for url, anchor, block, score in rows]


def test_links_and_frontier_share_their_urls(database, store):
    """A link that was only seen may be queued later; a queued one may be recorded as a link."""
    frontier = SqlFrontier(database)
    store.record_links("http://p.org/", [("http://a.org/1", "", 0, None)])
    assert len(frontier) == 0
    assert not frontier.is_known("http://a.org/1")
    assert (
        frontier.add([Candidate("http://a.org/1", 0.5, 1, "http://p.org/"), Candidate("http://b.org/", 0.9)])
        == 2
    )
    store.record_links("http://p.org/", [("http://b.org/", "", 0, 0.9)])
    assert [lease.url for lease in frontier.take(9, 0.0)] == ["http://b.org/", "http://a.org/1"]
    assert database.rows("SELECT url, state, parent FROM named_urls WHERE priority = 0.5") == [
        ("http://a.org/1", "pending", "http://p.org/")
    ]


def test_outcomes_are_in_order_of_recording(store, history):
    """A resumed crawl goes on from the outcome of each page, by the classifier or by the targets."""
    for number, relevance in enumerate((0.9, 0.1, 0.8)):
        store.record_page(page(f"http://a.org/{number}", relevance, is_target=number == 1))
    pages = history.pages_after(0)
    assert [(found.position, found.is_relevant, found.is_target) for found in pages] == [
        (1, True, False),
        (2, False, True),
        (3, True, False),
    ]


def test_bands(database, history):
    """What is left comes by score band, and 1.0 belongs to the last."""
    frontier = SqlFrontier(database)
    frontier.add(Candidate(f"http://a.org/{p}", p) for p in (0.0, 0.19, 0.2, 0.95, 1.0))
    frontier.done("http://a.org/0.2")
    bands = history.frontier_bands(5)
    assert [band.urls for band in bands] == [2, 0, 0, 0, 2]
    assert (bands[0].low, bands[-1].high) == (0.0, 1.0)


def test_page_links_and_frontier_are_committed_together(crawl_database):
    """Without a commit nothing of a page is there: no page, no link, no frontier change, no count."""
    for commits in (False, True):
        with crawl_database.open() as database:
            store, frontier = PageStore(database), SqlFrontier(database)
            frontier.add([Candidate("http://a.org/1", 0.5)])
            store.record_page(page("http://a.org/"))
            store.record_links("http://a.org/", [("http://a.org/1", "one", 0, 0.5)])
            if commits:
                store.commit()
        with crawl_database.open() as database:
            counts = [
                database.rows(f"SELECT count(*) FROM {name}")[0][0] for name in ("pages", "links", "counters")
            ]
            assert [bool(count) for count in counts] == [commits] * 3
            assert len(SqlFrontier(database)) == commits


@given(text=st.text(st.characters(codec=None), max_size=40), number=st.integers())
@settings(max_examples=40, deadline=None)
def test_any_text_and_number_can_be_kept(database, text, number):
    """NULs, lone surrogates, quotes and numbers beyond 64 bits neither fail nor corrupt."""
    store = PageStore(database)
    url = f"http://a.org/{text}"
    store.record_page(
        page(url, title=text, parent=text, checksum=text, size=number, depth=number, status=number)
    )
    store.record_links(url, [(f"http://b.org/{text}", text, 0, None)])
    store.record_failure(f"http://c.org/{text}", text)
    assert not store.record_page(page(url))
    if isinstance(database.location, SqliteFile):
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
