"""The way to a URL is the chain of pages that it was found on, whatever redirects lie on it."""

from __future__ import annotations

from focused_crawler.report.why import way as module
from focused_crawler.report.why.facts import WayStep
from focused_crawler.report.why.way import way_to
from focused_crawler.store.page_links import PageLink, links_of
from tests.report.why.conftest import SmallCrawl

A, B, C, D = "http://a.org/", "http://b.org/x", "http://c.org/y", "http://d.org/z"


def test_each_page_was_found_on_the_one_before(crawl: SmallCrawl) -> None:
    """By the best of its links to it, as it was asked for; the last one still waits."""
    crawl.seed(A)
    crawl.fetch(A, [(B, "first", 0, 0.4), (B, "best", 0, 0.6), (C, "no", 0, None)], title="Start")
    crawl.fetch(B, [(D, "on", 0, 0.9)], at=C, parent=A, relevance=0.25, is_relevant=False)
    assert crawl.facts(D).way == (
        WayStep(A, "Start", 0.75, True),
        WayStep(C, "", 0.25, False, "best", 0.6),
        WayStep(D, anchor="on", score=0.9),
    )
    assert crawl.facts(B).way == crawl.facts(D).way[:2]  # where redirects led to
    assert crawl.facts(A).way == (WayStep(A, "Start", 0.75, True),)
    assert crawl.facts("http://never.org/").way == ()


def test_a_way_that_leads_into_itself_ends(crawl: SmallCrawl, monkeypatch) -> None:
    """Only an edited file has one; and a very long one is cut where it is longest ago."""
    crawl.seed(A)
    crawl.fetch(A, [(B, "b", 0, 0.5)], parent=C)
    crawl.fetch(B, [(C, "c", 0, 0.5)], parent=A)
    crawl.fetch(C, [(A, "a", 0, 0.5)], parent=B)
    assert [step.url for step in way_to(crawl.database, C)] == [A, B, C]
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    assert [step.url for step in way_to(crawl.database, C)] == [B, C]


def test_links_have_what_became_of_them(crawl: SmallCrawl) -> None:
    """The highest score first, those that were not followed last; as many as are asked for."""
    crawl.seed(A)
    links = [
        (B, "fetched", 0, 0.2),
        (C, "refused", 1, None),
        (D, "failed", 1, 0.9),
        (f"{A}q", "waits", 2, 0.2),
    ]
    crawl.fetch(A, links)
    crawl.fail(D, "http_404")
    crawl.fetch(B, parent=A, relevance=0.25, is_relevant=False)
    crawl.database.commit()
    key = crawl.database.rows("SELECT key FROM pages WHERE url = ?", (A,))[0][0]
    found = links_of(crawl.database, key, 9)
    assert found.best == (
        PageLink(2, D, "failed", 1, 0.9, True, "failed", None, False, "http_404"),
        PageLink(0, B, "fetched", 0, 0.2, True, "done", 0.25, False, None),
        PageLink(3, f"{A}q", "waits", 2, 0.2, False, "pending", None, False, None),
        PageLink(1, C, "refused", 1, None, True, "seen", None, False, None),
    )
    assert (found.total, found.followed) == (4, 3)
    assert links_of(crawl.database, key, 2).best == found.best[:2]
    assert links_of(crawl.database, 0, 9) == ((), 0, 0)
