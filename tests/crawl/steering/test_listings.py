from __future__ import annotations

import pytest

from focused_crawler.crawl.steering import listings as module
from focused_crawler.crawl.steering.listings import MOST_FEEDS, MOST_SITEMAPS, ListingLease, Listings, is_own
from focused_crawler.crawl.steering.terms import FetchedPage
from focused_crawler.page.listing import ListedUrl, SiteListing
from focused_crawler.page.model import Named

SITEMAP = "http://a.example/named.xml"


def made(which: str = "all") -> Listings:
    """Return what decides in a crawl whose links have brought nothing for long."""
    listings = Listings(which)
    for number in range(400):
        listings.record(FetchedPage(f"http://dull.example/{number}", None, is_gain=False))
    return listings


def fetch(
    listings: Listings, number: int, *feeds: str, host: str = "a.example", gain: bool = True
) -> list[str]:
    """Record a page, and return what is to be fetched then."""
    page = FetchedPage(f"http://{host}/{number}", None, is_gain=gain, relevance=0.8 if gain else 0.2)
    listings.record(page, Named("", feeds))
    return [candidate.url for candidate in listings.take()]


def test_a_host_that_shows_a_relevant_page_is_asked_for_the_sitemaps_it_names() -> None:
    """Once, and by a lease that is a listing's; one without relevant pages is not."""
    listings = made()
    listings.name("a.example", [SITEMAP])
    assert fetch(listings, 1, gain=False) == []
    listings.record(FetchedPage("http://a.example/2", None, is_gain=True, depth=3))
    (wanted,) = listings.take()
    assert (wanted.url, wanted.parent, wanted.depth) == (SITEMAP, "http://a.example/2", 4)
    assert ListingLease.of(wanted.path or b"") == ("sitemap", 0, "a.example")
    assert fetch(listings, 3) == []


def test_the_usual_place_is_asked_where_a_host_has_shown_more() -> None:
    """Most hosts have nothing there, so a guess has to be worth it."""
    listings = made()
    asked = [(number, url) for number in range(1, 15) for url in fetch(listings, number)]
    assert asked == [(module.GAINS_FOR_A_GUESS, "http://a.example/sitemap.xml")]


@pytest.mark.parametrize(("which", "found"), [("all", 2), ("sitemaps", 1), ("feeds", 1), ("off", 0)])
def test_one_setting_says_what_is_read(which: str, found: int) -> None:
    """FOCUSED_LISTINGS."""
    listings = made(which)
    listings.name("a.example", [SITEMAP])
    asked = [fetch(listings, number, "http://a.example/feed") for number in range(3)]
    assert len([url for urls in asked for url in urls]) == found


def test_a_host_has_few_feeds_whatever_its_pages_name() -> None:
    """Each page of a blog may name a feed of its own comments."""
    listings = made("feeds")
    found = [feed for n in range(99) for feed in fetch(listings, n, f"http://a.example/{n}/feed")]
    assert found == [f"http://a.example/{n}/feed" for n in range(MOST_FEEDS)]


def test_they_take_a_bounded_share_of_what_is_fetched() -> None:
    """However many hosts there are; what waits is bounded, too."""
    listings = made()
    for number in range(2000):
        fetch(listings, 1, f"http://h{number}.example/feed", host=f"h{number}.example")
    assert listings.asked <= module.FIRST + module.SHARE * 2400
    assert len(listings.waiting) <= module.MOST_WAITING


def test_an_index_without_end_gives_few_sitemaps_of_its_own_site() -> None:
    """Nor does an index that another one names lead on for ever."""
    listings = made()
    lease = ListingLease("sitemap", 0, "a.example")
    sites = ("http://victim.example/0.xml", *(f"http://www.a.example/{n}.xml" for n in range(60_000)))
    index = SiteListing("index", tuple(map(ListedUrl, sites)))
    assert listings.listed(lease, index, SITEMAP, 2) == MOST_SITEMAPS - 1
    found = [one for _ in range(20) for one in listings.take(is_last=True)]
    assert {ListingLease.of(one.path or b"") for one in found} == {("sitemap", 1, "a.example")}
    assert not [one.url for one in found if "victim" in one.url]
    assert listings.listed(lease._replace(level=1), index, SITEMAP, 2) == 0


def test_a_sitemap_lists_its_own_site_and_the_one_that_names_it() -> None:
    """The protocol's rule: a site speaks for others only where their robots.txt says so."""
    lease = ListingLease("sitemap", 0, "www.a.example")
    assert is_own("https://a.example/x", lease, SITEMAP)
    assert is_own("http://a.example/x", lease, "http://maps.example/a.xml")
    assert not is_own("http://b.example/x", lease, SITEMAP)


def test_listed_links_stand_on_a_page_as_relevant_as_their_host() -> None:
    """By the mean of its pages."""
    listings = made()
    fetch(listings, 1)
    fetch(listings, 2, gain=False)
    assert listings.relevance(ListingLease("sitemap", 0, "a.example")) == pytest.approx(0.5)
    assert listings.relevance(ListingLease("sitemap", 0, "unknown.example")) == 0.0


@pytest.mark.parametrize("path", [b"", b"a strategy's note", b"\0listin", b"a.example"])
def test_what_a_strategy_notes_is_no_listing(path: bytes) -> None:
    """Such a lease is of a page."""
    assert ListingLease.of(path) is None


def test_what_links_bring_comes_first() -> None:
    """A listing is worth its fetch when pages are found by links less often than its host has them."""
    listings = Listings("all")
    assert [fetch(listings, number, "http://a.example/feed") for number in range(60)] == [[]] * 60
    dull = [fetch(listings, number, host="dull.example", gain=False) for number in range(60)]
    assert 30 < dull.index(["http://a.example/feed"]) < 40
    assert listings.take(is_last=True) == []


def test_the_last_thing_to_fetch_is_a_listing() -> None:
    """Where nothing else is left, however good the pages were."""
    listings = Listings("all")
    assert fetch(listings, 1, "http://a.example/feed") == []
    assert [one.url for one in listings.take(is_last=True)] == ["http://a.example/feed"]
