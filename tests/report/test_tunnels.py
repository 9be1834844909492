"""Relevant pages that were reached through irrelevant ones."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.report.read import read_summary
from focused_crawler.report.tunnels import read_tunnels
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

WAYS = st.lists(st.tuples(st.booleans(), st.integers(0, 20)), min_size=1, max_size=15)


def test_ways_through_irrelevant_pages_are_counted(make_crawl, new_page):
    """Those right before a relevant page, and not those before another relevant one."""
    chain = [True, False, False, True, False, True]
    pages = [
        new_page(number, relevant=relevant, url=f"http://a.example/{number}")
        | ({"parent": f"http://a.example/{number - 1}"} if number else {})
        for number, relevant in enumerate(chain)
    ]
    found = read_summary(make_crawl(pages)).findings.tunnels
    assert found == (
        (0, 1, "http://a.example/0"),
        (1, 1, "http://a.example/5"),
        (2, 1, "http://a.example/3"),
    )


@settings(max_examples=25, deadline=None)
@given(WAYS)
def test_every_relevant_page_is_counted_once(tmp_path_factory, ways):
    """By the same number as by going back page by page."""
    relevant = [is_relevant for is_relevant, _ in ways]
    parents = [parent % number if number else None for number, (_, parent) in enumerate(ways)]
    with CrawlDatabase(tmp_path_factory.mktemp("ways") / "crawl.db") as database:
        store = PageStore(database)
        for number, (parent, is_relevant) in enumerate(zip(parents, relevant, strict=True)):
            store.record_page(
                PageItem(
                    url=f"http://a.example/{number}",
                    parent=None if parent is None else f"http://a.example/{parent}",
                    is_relevant=is_relevant,
                    relevance=0.5,
                    fetched_at=1.0,
                )
            )
        store.commit()
        found = {tunnel.irrelevant: tunnel.pages for tunnel in read_tunnels(database, relevant)}
    expected: dict[int, int] = {}
    for number, is_relevant in enumerate(relevant):
        if is_relevant:
            before, length = parents[number], 0
            while before is not None and not relevant[before]:
                before, length = parents[before], length + 1
            expected[length] = expected.get(length, 0) + 1
    assert found == expected
