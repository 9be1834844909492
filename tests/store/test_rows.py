from __future__ import annotations

import pytest

from focused_crawler.store import rows as rows_module
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore
from focused_crawler.store.rows import SAVE_PAGES, StrategyMemory
from tests.databases import PostgresqlKind, SqliteKind


def test_links_to_another_site_are_external(database: CrawlDatabase) -> None:
    """A site is a host without its www., whatever the scheme; hubs and revisits go by these links only."""
    own = ["http://a.org/x", "http://www.a.org/", "https://a.org/"]
    others = ["http://b.org/", "http://sub.a.org/", "http://a.org.uk/"]
    PageStore(database).record_links("http://a.org/", [(url, "", 0, None) for url in (*own, *others)])
    found = database.rows("SELECT external FROM links ORDER BY number")
    assert found == [(0,), (0,), (0,), (1,), (1,), (1,)]


@pytest.mark.parametrize("most", [1, 10_000])
def test_the_last_links_of_a_page_count(
    database: CrawlDatabase, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Whether its earlier ones are written by then or not; a page may come in parts."""
    monkeypatch.setattr(rows_module, "_MOST_LINKS", most)
    store, old, new = PageStore(database), "http://o.org/", "http://n.org/"
    for page in ("http://1.org/", "http://2.org/"):
        for first in (0, 2, 4):
            store.record_links(page, [(old, "old", 0, 0.5)] * 2, first)
    store.record_links("http://1.org/", [(new, "new", 0, 0.5)])
    store.record_links("http://2.org/", [(new, "new", 0, 0.5)], first=4)
    found = database.rows("SELECT source, number, target FROM named_links ORDER BY source, number")
    second = [("http://2.org/", number, old if number < 4 else new) for number in range(5)]
    assert found == [("http://1.org/", 0, new), *second]
    store.refresh()
    assert store.counters["links"] == 6


def test_pages_that_hold_a_link_are_counted(database: CrawlDatabase) -> None:
    """With the scores that it has there, while it may still be fetched; a spelling is no other link."""
    a, b, c, gone = (f"http://{name}.org/" for name in ("a", "b", "c", "gone"))
    store = PageStore(database)
    held = store.held
    for source in ("http://1.org/", "http://2.org/", "http://3.org/"):
        store.record_links(source, [(url, "", 0, 0.5) for url in (a, b, c)])
    assert held({c: 1.0}, is_new=True) == []
    store.record_links("http://4.org/", [(gone, "", 0, 0.5)])
    database.commit()
    database.execute("UPDATE urls SET state = 4 WHERE url = ?", (gone,))
    assert held({a: 0.5, b: 0.25, gone: 1.0}, is_new=True) == []
    assert sorted(held({a: 0.75, gone: 1.0}, is_new=True)) == [(a, 1.25, 2)]
    other = "https://www.a.org/"
    found = held({other: 0.25, b: 0.25, "http://unknown.org/": 1.0}, is_new=True)
    assert sorted(found) == [(b, 0.5, 2), (other, 1.5, 3)]
    assert sorted(held({a: 0.9, b: 0.9, c: 0.9}, is_new=False)) == [(a, 1.5, 3), (b, 0.5, 2)]
    assert held({}, is_new=True) == []


def test_pages_are_counted_while_a_link_is_out(database: CrawlDatabase) -> None:
    """What has been taken may come back: its lease is lost, or its crawl killed."""
    url, store = "http://a.org/", PageStore(database)
    for source in ("http://1.org/", "http://2.org/"):
        store.record_links(source, [(url, "", 0, 0.5)])
    assert store.held({url: 0.5}, is_new=True) == []
    database.execute("UPDATE urls SET state = 3")
    assert store.held({url: 1.0}, is_new=True) == []
    database.execute("UPDATE urls SET state = 1")
    assert store.held({url: 1.0}, is_new=False) == [(url, 1.5, 2)]


def test_the_last_is_stored(database: CrawlDatabase) -> None:
    """Bytes come back as they were; there is one memory, not a row a page."""
    contents = iter((b"first", bytes(range(256))))
    memory = StrategyMemory(database, lambda: next(contents), 0)
    assert memory.recall() is None
    for pages in (1, 2):
        memory.save(pages)
    assert memory.recall() == bytes(range(256))
    assert database.rows("SELECT pages FROM memory") == [(2,)]


def test_it_is_asked_for_now_and_then(database: CrawlDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many pages, or so long after the last time."""
    asked: list[int] = []
    memory = StrategyMemory(database, lambda: asked.append(1) or b"", 1000)  # type: ignore[func-returns-value]
    for pages in range(1000, 1000 + 2 * SAVE_PAGES + 1):
        memory.save_if_due(pages)
    assert len(asked) == 2
    monkeypatch.setattr(rows_module, "SAVE_SECONDS", 0.0)
    memory.save_if_due(1001 + 2 * SAVE_PAGES)
    assert len(asked) == 3


def test_no_memory_is_no_row(database: CrawlDatabase) -> None:
    """Most strategies have none, and what there was is not lost by that."""
    StrategyMemory(database, lambda: None, 0).save(5)
    assert database.rows("SELECT * FROM memory") == []
    StrategyMemory(database, lambda: b"", 0).save(5)
    StrategyMemory(database, lambda: None, 0).save(6)
    assert StrategyMemory(database, lambda: None, 0).recall() == b""


def test_it_is_part_of_the_transaction(crawl_database: SqliteKind | PostgresqlKind) -> None:
    """What was learnt is stored with the pages it was learnt from, or not at all."""
    with crawl_database.open() as database:
        StrategyMemory(database, lambda: b"learnt", 0).save(5)
    with crawl_database.open() as reopened:
        assert StrategyMemory(reopened, lambda: None, 0).recall() is None
