"""What a crawl starts from, out of the lists."""

from __future__ import annotations

import pytest

from focused_crawler.crawl.lists import use as seeds
from focused_crawler.crawl.lists.counts import count_crawl
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import seeds_of
from focused_crawler.topic.scope import Scope
from tests.crawl.lists.crawls import Found, articles, crawl, site

HUB = "http://hub.org/links"


@pytest.fixture
def lists(tmp_path):
    """A crawl that found two good sites, one with few good pages, and a hub on a site without any."""
    web = {
        **site("a.org", 9),
        **site("b.org", 4),
        **site("few.org", 1),
        **articles("bad.org", 5, relevant=False),
    }
    web[HUB] = Found(tuple(url for url, page in web.items() if page.relevant), relevant=False)
    with Lists(tmp_path / "lists.db") as lists:
        lists.count(count_crawl(crawl(tmp_path / "1", web), "bees"))
        yield lists


def test_kept_sites_come_first_and_then_hubs(lists):
    """The best first; what is below the threshold is disregarded."""
    assert seeds_of(lists) == ["http://a.org/", "http://b.org/", HUB]


def test_what_is_banned_is_left_out(lists):
    """A site with its hubs, or a hub alone, which may be a site's entry."""
    lists.mark([("hub.org", "banned", "")])
    assert seeds_of(lists) == ["http://a.org/", "http://b.org/"]
    lists.mark([("hub.org", "", "")], [("https://www.a.org/", "banned", "")])
    assert seeds_of(lists) == ["http://b.org/", HUB]


def test_words_of_urls_are_skipped(lists, monkeypatch):
    """In entries and hubs, also kept ones; others come in their places."""
    lists.mark([("forum.org", "kept", "")], [("http://other.org/Forum/", "kept", "")])
    assert seeds_of(lists, Scope(words=("forum", "hub", "/a.org"))) == ["http://b.org/"]
    monkeypatch.setattr(seeds, "MOST_SITES", 1)
    assert seeds_of(lists, Scope(words=("forum", "/a.org"))) == ["http://b.org/", HUB]


def test_what_a_person_keeps_comes_in(lists):
    """Below the threshold, or never seen: then at its root."""
    lists.mark([("few.org", "kept", ""), ("new.org", "kept", "")], [("http://other.org/links", "kept", "")])
    sites = ["http://few.org/", "https://new.org/", "http://a.org/", "http://b.org/"]
    assert seeds_of(lists) == [*sites, "http://other.org/links", HUB]


def test_there_are_few(lists, monkeypatch):
    """All are fetched before anything else: so many of a kind, and so many hubs a site."""
    monkeypatch.setattr(seeds, "MOST_SITES", 1)
    monkeypatch.setattr(seeds, "MOST_HUBS", 1)
    assert len(seeds_of(lists)) == 2


def test_lists_that_are_empty_give_nothing(tmp_path):
    """A first crawl starts from the topic's own pages."""
    with Lists(tmp_path / "lists.db") as lists:
        assert seeds_of(lists) == []
