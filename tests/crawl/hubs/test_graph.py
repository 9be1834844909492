from __future__ import annotations

import pytest

from focused_crawler.crawl.hubs import graph as module
from focused_crawler.crawl.hubs.graph import read_graph
from focused_crawler.store.database import CrawlDatabase


def edges(crawl) -> set[tuple[int, int]]:
    """Return the links as positions of pages."""
    graph, position = read_graph(crawl.database)
    parts = [
        list(zip(position[source].tolist(), position[target].tolist(), strict=True))
        for source, target in graph.links
    ]
    pages = [page for part in parts for page in {source for source, _ in part}]
    assert len(pages) == len(set(pages)), "the links of a page are in one part"
    return {link for part in parts for link in part}


def test_links_between_sites_are_read(crawl):
    """Pages in order of recording; no link within a site, none to a page that was not fetched."""
    crawl.page(
        "http://a.org/", 0.25, ["http://b.org/", "http://a.org/x", "http://gone.org/", "http://b.org/2"]
    )
    crawl.page("http://www.a.org/x", 0.5, ["http://b.org/2"])
    crawl.page("http://b.org/", 0.75, ["https://www.a.org/x/"])
    crawl.page("http://b.org/2", 1.0)
    graph, position = read_graph(crawl.database)
    assert position.tolist() == [1, 2, 3, 4]
    assert graph.relevance.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert graph.site[0] == graph.site[1] != graph.site[2] == graph.site[3]
    assert edges(crawl) == {(1, 3), (1, 4), (2, 4), (3, 2)}


def test_a_redirect_is_followed(crawl):
    """A page is linked to by the URL that was asked for, and by the one it was found at."""
    crawl.page("http://a.org/", links=["http://b.org/old", "http://b.org/new"])
    crawl.page("http://c.org/", links=["http://b.org/old"])
    crawl.page("http://b.org/new", asked="http://b.org/old")
    assert edges(crawl) == {(1, 3), (2, 3)}


def test_a_redirect_within_a_site_leads_within_it(crawl):
    """What counts is where the page is: links to it from its own site are no votes."""
    crawl.page("http://a.org/", links=["http://short.example/a"])
    crawl.page("http://a.org/x", asked="http://short.example/a")
    graph, _ = read_graph(crawl.database)
    assert graph.site.tolist() == [0, 0]


def test_copies_are_left_out(crawl):
    """Neither their votes count nor those for them."""
    crawl.page("http://a.org/", links=["http://b.org/", "http://mirror.org/"])
    crawl.page("http://mirror.org/", links=["http://b.org/"], duplicate_of="http://a.org/", likeness=0.95)
    crawl.page("http://b.org/")
    _, position = read_graph(crawl.database)
    assert position.tolist() == [1, 3]
    assert edges(crawl) == {(1, 3)}


def test_a_crawl_without_pages_has_an_empty_graph(crawl):
    """No error: there is just nothing to rate."""
    graph, position = read_graph(crawl.database)
    assert not len(position)
    assert not edges(crawl)
    assert not len(graph.site)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
def test_chunks_lose_nothing(crawl, monkeypatch, chunk):
    """However few rows are read at a time, also where a page has the same link twice."""
    names = [f"http://{name}.org/" for name in "abcd"]
    for number, name in enumerate(names):
        crawl.page(name, 0.5, [*names[number + 1 :], names[0], names[0], names[-1]])
    whole = edges(crawl)
    monkeypatch.setattr(module, "_CHUNK", chunk)
    assert edges(crawl) == whole
    assert len(whole) == 9


def test_links_are_found_by_their_index(tmp_path):
    """The partial index of links between sites, so that the others are never read."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        plan = database.rows(f"EXPLAIN QUERY PLAN {module._LINKS}", (0, 0, 10))
    assert ["links_external" in row[-1] for row in plan] == [True]
