from __future__ import annotations

import pytest

from focused_crawler.crawl.hubs.listing import (
    HubRanking,
    Lead,
    Neglected,
    neglected,
    top_authorities,
    top_hosts,
    top_hubs,
)
from focused_crawler.crawl.hubs.record import distill, measure


@pytest.fixture(params=["table", "memory"])
def listed(request, golden):
    """Each list, by the table `ratings`, or by what was rated and not written down."""
    found = (distill if request.param == "table" else measure)(golden.database, rho=0.5)
    of = None if request.param == "table" else found
    return lambda function, n: function(golden.database, n, of)


def test_hubs_have_names_and_scores(listed):
    """The best first, no more than asked for, none without a score."""
    hubs = listed(top_hubs, 5)
    assert [(hub.position, hub.url, hub.title, hub.relevance) for hub in hubs] == [
        (1, "http://u1.org/", "U1", 0.9),
        (2, "http://u2.org/", "U2", 0.5),
    ]
    assert [hub.hub for hub in hubs] == pytest.approx([0.6100, 0.3900], abs=5e-5)
    assert listed(top_hubs, 1) == hubs[:1]


def test_authorities_have_names_and_scores(listed):
    """The best first."""
    best = listed(top_authorities, 5)
    assert [page.title for page in best] == ["V1", "V2"]
    assert [page.authority for page in best] == pytest.approx([0.5754, 0.4246], abs=5e-5)


def test_a_host_has_the_authority_of_its_pages(listed):
    """Its pages are all that were recorded, rated or not."""
    (host,) = listed(top_hosts, 5)
    assert host[:3] == ("v.org", 3, 2)
    assert host.authority == pytest.approx(1)


def test_neglected_are_the_unvisited_neighbours_on_other_sites(listed):
    """Of the best hubs only: the first one's neighbours were all fetched."""
    assert listed(neglected, 1) == []
    assert listed(neglected, 2) == [Neglected("http://u2.org/", "http://new.org/", "a new one")]


def test_hosts_of_a_www_and_without_are_two(crawl):
    """As in every other list of hosts; that they are one site is the distiller's affair."""
    crawl.page("http://a.org/", 0.9, ["http://www.b.org/", "http://b.org/x"])
    crawl.page("http://www.b.org/", 0.9)
    crawl.page("http://b.org/x", 0.9)
    distill(crawl.database)
    assert [host.host for host in top_hosts(crawl.database, 9)] == ["b.org", "www.b.org"]


class TestNeglected:
    """What a hub leads to, by what became of it."""

    @pytest.fixture
    def hub(self, crawl):
        """A hub whose links led to pages of all kinds."""
        links = ["http://b.org/", "http://a.org/own", "http://old.org/", "http://broken.org/"]
        links += [
            "http://later.org/",
            "http://out.org/",
            "http://new.org/",
            "http://new.org/",
            "http://low.org/",
        ]
        crawl.page("http://a.org/", 0.9, [(url, f"link {number}") for number, url in enumerate(links)])
        crawl.page("http://b.org/", 0.9)
        crawl.page("http://old.org/new", 0.1, asked="http://old.org/")
        for lease in crawl.frontier.take(10, 0.0):
            self._end(crawl, lease.url)
        distill(crawl.database)
        return crawl

    def _end(self, crawl, url: str) -> None:
        if "broken" in url:
            crawl.frontier.failed(url, None)
        elif "later" in url:
            crawl.frontier.failed(url, 9e9)
        elif "out" not in url:
            crawl.frontier.release(url)

    def test_only_what_may_still_come(self, hub):
        """Pending and waiting ones, and what is out; not fetched or failed, nor of the hub's own site."""
        urls = [found.url for found in neglected(hub.database, 1)]
        assert urls == ["http://later.org/", "http://out.org/", "http://new.org/", "http://low.org/"]

    def test_each_once_with_its_first_anchor(self, hub):
        """A hub that links to a page twice neglects it once."""
        anchors = {found.url: found.anchor for found in neglected(hub.database, 1)}
        assert anchors["http://new.org/"] == "link 6"

    def test_links_that_were_not_followed_count(self, crawl):
        """Seen, and never queued: the paper's num_tries = 0."""
        crawl.page("http://a.org/", 0.9, ["http://b.org/", ("http://c.org/", "c")], queue=False)
        crawl.page("http://b.org/", 0.9)
        distill(crawl.database)
        assert neglected(crawl.database, 1) == [Neglected("http://a.org/", "http://c.org/", "c")]

    def test_failures_of_a_frontier_in_memory_count(self, hub):
        """Its URLs have no state in the database, but what failed is written down."""
        hub.store.record_failure("http://new.org/", "http_404")
        assert "http://new.org/" not in [found.url for found in neglected(hub.database, 1)]


def test_leads_are_the_neglected_pages_by_their_hubs():
    """Those that most hubs lead to come first; each has the anchor that it has on the best of them."""
    best, second = "http://best.org/", "http://second.org/"
    found = [Neglected(best, "http://one.org/", "one"), Neglected(best, "http://two.org/", "two")]
    found += [Neglected(second, "http://two.org/", "again"), Neglected(second, "http://last.org/", "last")]
    assert HubRanking(9, 9, 0.5, (), (), (), tuple(found)).leads() == [
        Lead("http://two.org/", "two", best, 2),
        Lead("http://one.org/", "one", best, 1),
        Lead("http://last.org/", "last", second, 1),
    ]
