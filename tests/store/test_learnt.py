"""What a process learns from the pages of others: each of them once, in their order, so much at a time."""

from __future__ import annotations

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.pages import PageStore

OURS, THEIRS = 1, 2
MANY = 1_000_000


def record(database: CrawlDatabase, runs: list[int], size: int = 10) -> list[bytes]:
    """Record pages of runs with what was learnt from each; return what is theirs."""
    store, learnt, theirs = PageStore(database), LearntPages(database), []
    store.begin_run({}, {}, None)
    store.begin_run({}, {}, None)
    for run in runs:
        first = store.counters["pages"]
        page = PageItem(
            url=f"http://host.org/{first}", fetched_at=1.0, relevance=0.5, is_relevant=False, size=1, run=run
        )
        content = bytes([first]) * size
        store.record_page(page)
        learnt.add(page.url, content)
        theirs += [content] if run == THEIRS else []
    database.commit()
    return theirs


def test_each_is_read_once(database: CrawlDatabase) -> None:
    """However few are read at a time, and with ours between them."""
    theirs = record(database, [OURS, THEIRS, THEIRS, OURS, OURS, THEIRS, OURS])
    pages, found = LearntPages(database), []
    for _ in range(4):
        more = list(pages.of_others(OURS, 2, MANY))
        assert len(more) <= 2
        found += more
    assert found == theirs
    assert list(pages.of_others(OURS, 2, MANY)) == []


def test_large_ones_come_singly(database: CrawlDatabase) -> None:
    """One that passes the size is the last, and none is left out."""
    theirs = record(database, [THEIRS] * 5, size=100)
    pages = LearntPages(database)
    assert [list(pages.of_others(OURS, 64, 50)) for _ in range(6)] == [*([one] for one in theirs), []]
    assert len(list(LearntPages(database).of_others(OURS, 64, 250))) == 3
