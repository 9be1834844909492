"""What a crawl's database comes to, on SQLite and PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focused_crawler.crawl.lists import counts
from focused_crawler.crawl.lists.counts import CrawlCount, HubCount, count, count_crawl
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from tests.crawl.lists.crawls import Found, Web, articles, crawl, record, run_info, site

HUB = "http://hub.org/links"


def counted(database: CrawlDatabase, web: Web) -> CrawlCount:
    record(database, web)
    return count(database, run_info())


def test_pages_are_counted_by_site(database):
    """A site is a host without its www."""
    web = {**site("www.a.org", 3, other=2), "http://a.org/x": Found(), **articles("b.org", 2, relevant=False)}
    found = counted(database, web)
    assert (found.pages, found.relevant) == (9, 5)
    assert {one.site: (one.pages, one.relevant) for one in found.sites} == {"a.org": (7, 5), "b.org": (2, 0)}


def test_a_copy_is_no_relevant_page(database):
    """It is a page of its site, but leads nobody to anything new, and nobody is praised for it."""
    original = "http://a.org/0"
    web = {
        HUB: Found((original, "http://m.org/0"), relevant=False),
        original: Found(),
        "http://m.org/0": Found((original,), copy_of=original),
    }
    found = counted(database, web)
    assert {one.site: one.relevant for one in found.sites} == {"a.org": 1, "m.org": 0, "hub.org": 0}
    assert [(hub.url, hub.relevant) for hub in found.hubs] == [(HUB, 1)]


def test_a_hub_is_counted_by_the_relevant_pages_it_leads_to(database):
    """Each once, however often it links there; with the hosts these are on, and what is known of the page."""
    to = ("http://a.org/0", "http://a.org/0", "http://a.org/1", "http://b.org/0", "http://gone.org/")
    web = {HUB: Found(to, relevant=False, hubness=0.5), **articles("a.org", 2), **articles("b.org", 1)}
    assert counted(database, web).hubs == (HubCount(HUB, 3, 2, 5, 0.5, None),)


def test_redirects_lead_to_their_page(database):
    """A link that led on to a page leads there, whether the crawl asked for the one or the other."""
    pages = {"http://a.org/new": Found(asked="http://a.org/old")}
    web = {HUB: Found(("http://a.org/old", "http://a.org/new"), relevant=False), **pages}
    assert [(hub.url, hub.relevant) for hub in counted(database, web).hubs] == [(HUB, 1)]


def test_the_distillers_rating_is_taken_along(database):
    """Where there is one."""
    record(database, {HUB: Found(("http://a.org/0",), relevant=False), **articles("a.org", 1)})
    database.execute("INSERT INTO ratings VALUES (1, 0.75, 0)")
    assert count(database, run_info()).hubs[0].rating == 0.75


ENTRIES = {
    "leads to most": ({"/a": Found(("http://a.org/b",)), "/b": Found(depth=0)}, "/a"),
    "irrelevant ones are none": ({"/a": Found(("http://a.org/b",), relevant=False), "/b": Found()}, "/b"),
    "else the shallowest": ({"/a": Found(depth=3), "/b": Found(depth=2)}, "/b"),
    "else the first": ({"/b": Found(), "/a": Found()}, "/b"),
    "none": ({"/a": Found(relevant=False)}, None),
}


@pytest.mark.parametrize(("pages", "entry"), ENTRIES.values(), ids=ENTRIES)
def test_a_site_is_entered_at_its_best_page(pages, entry, database):
    """The relevant page from which most relevant pages were found."""
    (found,) = counted(database, {f"http://a.org{path}": page for path, page in pages.items()}).sites
    assert found.entry == (entry and f"http://a.org{entry}")


def test_targets_change_nothing(tmp_path):
    """What is known to be relevant, the ground truth of a recorded web, is not looked at."""
    web = {**site("a.org", 4, other=3), **site("b.org", 1, other=6)}
    known = (None, True, False)
    crawls = [
        crawl(tmp_path / str(target) / "1", {url: replace(page, target=target) for url, page in web.items()})
        for target in known
    ]
    turned = {url: replace(page, target=not page.relevant) for url, page in web.items()}
    crawls.append(crawl(tmp_path / "turned" / "1", turned))
    assert len({count_crawl(folder, "bees") for folder in crawls}) == 1


def test_counts_are_bounded(database, monkeypatch):
    """The best are kept."""
    monkeypatch.setattr(counts, "MOST_SITES", 2)
    monkeypatch.setattr(counts, "MOST_HUBS", 3)
    web = {}
    for number, host in enumerate(("a.org", "b.org", "c.org", "d.org")):
        web |= site(host, number + 1)
    found = counted(database, web)
    assert [one.site for one in found.sites] == ["d.org", "c.org"]
    assert [hub.url for hub in found.hubs] == ["http://d.org/", "http://c.org/", "http://b.org/"]


def test_a_site_has_few_hubs(database, monkeypatch):
    """Its pages share a navigation, and all lead to the same."""
    monkeypatch.setattr(counts, "HUBS_A_SITE", 2)
    web = {f"http://a.org/{n}": Found(tuple(f"http://a.org/{m}" for m in range(9))) for n in range(9)}
    assert len(counted(database, web).hubs) == 2


def test_a_crawl_keeps_its_identity(tmp_path):
    """Wherever its folder is moved to; another that began later is another."""
    first, moved, later = (
        count_crawl(crawl(tmp_path / place / "1", articles("a.org", 1), started=started), "bees")
        for place, started in (("a", 1.5), ("b", 1.5), ("c", 2.5))
    )
    assert first == moved
    assert first.identity != later.identity


@pytest.mark.parametrize(
    ("topic", "words"), [("wasps", "is a crawl of bees, not of wasps"), (None, "no crawl")]
)
def test_what_is_no_crawl_of_the_topic_is_refused(topic, words, tmp_path):
    """In one line that says what would be right."""
    folder = crawl(tmp_path / "1", {}) if topic else tmp_path
    with pytest.raises(CrawlError, match=words):
        count_crawl(folder, topic or "bees")
