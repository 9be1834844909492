"""What is kept of sites and hubs over several crawls."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.lists.counts import CrawlCount, HubCount, SiteCount
from focused_crawler.crawl.lists.lists import (
    LEAST_LED,
    LEAST_RELEVANT,
    LEAST_SHARE,
    ListedHub,
    ListedSite,
    Lists,
)

EVIL = "'; DROP TABLE sites; --\x1b[2J\u202e"


@pytest.fixture
def lists(tmp_path):
    with Lists(tmp_path / "lists.db") as lists:
        yield lists


def of_crawl(job: str = "1", sites=(), hubs=(), started: float = 1.0) -> CrawlCount:
    return CrawlCount(f"{job} {started}", job, started, 10, 5, tuple(sites), tuple(hubs))


def a_site(name="a.org", pages=10, relevant=5, entry="http://a.org/", led=1) -> SiteCount:
    return SiteCount(name, pages, relevant, entry, led)


def a_hub(url="http://h.org/", relevant=5, links=10) -> HubCount:
    return HubCount(url, relevant, 2, links, 0.1, 0.2)


def test_crawls_add_up(lists):
    """Pages of sites and relevant ones; of a hub, which is one page, the best crawl counts."""
    lists.count(of_crawl("1", [a_site(pages=10, relevant=5)], [a_hub(relevant=5)]))
    lists.count(of_crawl("2", [a_site(pages=30, relevant=6)], [a_hub(relevant=2)]))
    assert lists.sites() == [ListedSite("a.org", 40, 11, 6, 2, "http://a.org/")]
    assert lists.hubs() == [ListedHub("http://h.org/", 10, 5, 2, 2, 0.1, 0.2)]
    assert [crawl.job for crawl in lists.crawls()] == ["1", "2"]


def test_counting_twice_changes_nothing(lists):
    """A crawl that goes on, or is counted again, replaces its numbers."""
    first = of_crawl("1", [a_site(), a_site("gone.org")], [a_hub()])
    lists.count(first)
    before = lists.sites(), lists.hubs(), lists.crawls()
    lists.count(first)
    assert (lists.sites(), lists.hubs(), lists.crawls()) == before
    lists.count(replace(first, pages=20, sites=(a_site(pages=20, relevant=9),), hubs=()))
    assert lists.sites() == [ListedSite("a.org", 20, 9, 9, 1, "http://a.org/")]
    assert lists.hubs() == []
    assert [crawl.pages for crawl in lists.crawls()] == [20]


def test_a_forgotten_crawl_was_never_there(lists):
    """By its name and start; by its name alone all that were so called."""
    for started in (1.0, 2.0, 3.0):
        lists.count(of_crawl("1", [a_site()], started=started))
    assert lists.forget("1", 2.0) == 1
    assert lists.sites()[0].crawls == 2
    assert lists.forget("2") == 0
    assert lists.forget("1") == 2
    assert (lists.sites(), lists.crawls()) == ([], [])


def test_the_entry_is_that_of_the_crawl_that_it_led_furthest_in(lists):
    """Of equals, the newer crawl's; a crawl that found none does not take it away."""
    lists.count(of_crawl("1", [a_site(entry="http://a.org/1", led=4)]))
    lists.count(of_crawl("2", [a_site(entry="http://a.org/2", led=4)]))
    lists.count(of_crawl("3", [a_site(entry="http://a.org/3", led=3)]))
    lists.count(of_crawl("4", [a_site(entry=None, led=0)]))
    assert lists.sites()[0].entry == "http://a.org/2"


def test_marks_outlive_crawls(lists):
    """A person's word stays when crawls are counted, counted again and forgotten; also of what nobody saw."""
    lists.mark([("a.org", "banned", EVIL), ("new.org", "kept", "")], [("https://h.org/", "kept", EVIL)])
    lists.count(of_crawl("1", [a_site()], [a_hub()]))
    lists.count(of_crawl("1", [a_site()], [a_hub()]))
    marked = {site.site: (site.mark, site.note, site.crawls) for site in lists.sites()}
    assert marked == {"a.org": ("banned", EVIL, 1), "new.org": ("kept", "", 0)}
    assert [(hub.mark, hub.crawls) for hub in lists.hubs()] == [("kept", 1)]  # http or https, it is one page
    lists.forget("1")
    assert {site.site for site in lists.sites()} == {"a.org", "new.org"}
    lists.mark([("a.org", "", ""), ("new.org", "", "")], [("http://h.org/", "", "")])
    assert (lists.sites(), lists.hubs()) == ([], [])


@pytest.mark.parametrize(
    ("is_enough", "share", "mark", "is_kept"),
    [
        (True, 1.0, "", True),
        (False, 1.0, "", False),
        (True, LEAST_SHARE, "", True),
        (True, 0.9 * LEAST_SHARE, "", False),
        (False, 0.0, "kept", True),
        (True, 1.0, "banned", False),
    ],
)
def test_what_is_kept(is_enough, share, mark, is_kept):
    """Enough relevant pages, and enough of all of them; a person's word goes before."""
    pages, links = LEAST_RELEVANT - (not is_enough), LEAST_LED - (not is_enough)
    site = ListedSite("a.org", round(pages / (share or 1)), pages, pages, 1, None, mark)
    hub = ListedHub("http://h.org/", round(links / (share or 1)), links, 1, 1, None, None, mark)
    assert (site.is_kept, hub.is_kept) == (is_kept, is_kept)


def test_crawls_that_find_the_same_pages_do_not_reach_the_threshold_together(lists):
    """Two relevant pages are two, however often they are found."""
    for job in "123":
        lists.count(of_crawl(job, [a_site(relevant=LEAST_RELEVANT - 1)]))
    assert not lists.sites()[0].is_kept


@given(pages=st.integers(0, 10**6), more=st.integers(0, 10**6), links=st.integers(0, 100))
def test_shares_are_shares(pages, more, links):
    """Also where a hub has fewer links than it led to pages by, redirects counted in."""
    assert 0 <= ListedSite("a.org", pages + more, pages, pages, 1, None).share <= 1
    assert 0 <= ListedHub("http://h.org/", links, pages, 1, 1, None, None).share <= 1


def test_old_crawls_are_dropped(lists, monkeypatch):
    """By when they were counted, not by when they began; what a person said stays."""
    monkeypatch.setattr("focused_crawler.crawl.lists.lists.MOST_CRAWLS", 2)
    lists.mark([("1.org", "kept", "")])
    for job in "123":
        lists.count(
            of_crawl(job, [a_site(f"{job}.org")], [a_hub(f"http://h.org/{job}")], started=-float(job))
        )
    lists.count(of_crawl("2", [a_site("2.org")], started=-2.0))
    lists.count(of_crawl("4", [a_site("4.org")], started=-4.0))
    assert [crawl.job for crawl in lists.crawls()] == ["4", "2"]
    assert {site.site: site.crawls for site in lists.sites()} == {"1.org": 0, "2.org": 1, "4.org": 1}
    assert lists.hubs() == []


def test_a_crawl_can_be_left_out(tmp_path):
    """The others are as if it had never been counted; what a person said of its sites stays."""
    path = tmp_path / "lists.db"
    first = of_crawl("1", [a_site(entry="http://a.org/1", led=1)], [a_hub(relevant=5)])
    other = of_crawl("2", [a_site(entry="http://a.org/2", led=9), a_site("b.org")], [a_hub(relevant=9)])
    with Lists(path) as lists:
        lists.count(first)
        before = lists.sites(), lists.hubs()
        lists.count(other)
    with Lists(path, read_only=True, without=other.identity) as without:
        assert (without.sites(), without.hubs()) == before
    with Lists(path, without=other.identity) as without:
        without.mark([("b.org", "banned", "no")])
        assert without.sites()[0] == ListedSite("b.org", 0, 0, 0, 0, None, "banned", "no")
    with Lists(path, without="3 1.0") as all_of_them:
        assert [site.crawls for site in all_of_them.sites()] == [1, 2]


def test_hostile_names_are_only_names(lists):
    """They go in and come out as they are."""
    lists.count(of_crawl(EVIL, [a_site(EVIL, entry=EVIL)], [a_hub(EVIL)]))
    assert (lists.sites()[0].site, lists.hubs()[0].url, lists.crawls()[0].job) == (EVIL, EVIL, EVIL)
