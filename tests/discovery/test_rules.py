"""What a topic has, what a crawl knows and what a person banned are no start pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.seed_search import rules_of
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic

RESULTS = [SearchResult(f"https://a.example/{number}") for number in range(3)]


@pytest.fixture
def topic(tmp_path):
    return Topic("rust", tmp_path, seeds=("http://WWW.a.example/0/", "x:y"))


def config(**settings):
    return CrawlConfig.from_settings(Settings({**DEFAULTS, **settings}))


def test_a_start_page_need_not_be_found_again(topic):
    """In whatever spelling it stands there."""
    rules = rules_of(topic, config(), 3, RESULTS)
    assert (rules.per_site, rules.known) == (3, {url_key(RESULTS[0].url)})
    assert (set(rules.banned_sites), set(rules.banned)) == (set(), set())
    assert not rules.outside("https://blog.example/forum")


def test_pages_of_an_earlier_crawl_are_known(topic, tmp_path):
    """The one that FOCUSED_KNOWN names."""
    with CrawlDatabase(tmp_path / "1" / "crawl.db") as database:
        PageStore(database).record_page(
            PageItem(url=RESULTS[1].url, fetched_at=1.0, relevance=0.9, is_relevant=True)
        )
        database.commit()
    rules = rules_of(replace(topic, seeds=()), config(FOCUSED_KNOWN=str(tmp_path / "1")), 3, RESULTS)
    assert rules.known == {url_key(RESULTS[1].url)}
    with pytest.raises(CrawlError):
        rules_of(topic, config(FOCUSED_KNOWN=str(tmp_path / "2")), 3, RESULTS)


def test_words_of_a_url_refuse_it(topic):
    """Those of FOCUSED_SKIP_URLS."""
    rules = rules_of(topic, config(FOCUSED_SKIP_URLS="forum,blog"), 3, RESULTS)
    assert rules.outside("https://blog.example/")
    assert not rules.outside("https://a.example/")


def test_what_a_person_banned_stays_out(topic, tmp_path):
    """Sites and hubs of the topic's lists; no lists are made where there are none."""
    rules_of(topic, config(), 3, RESULTS)
    assert list(tmp_path.iterdir()) == []
    with Lists(lists_path(topic, None)) as lists:
        lists.mark(
            [("spam.example", "banned", ""), ("good.example", "kept", "")],
            [("https://hub.example/", "banned", ""), ("https://other.example/", "kept", "")],
        )
    rules = rules_of(topic, config(), 3, RESULTS)
    assert (rules.banned_sites, rules.banned) == ({"spam.example"}, {url_key("https://hub.example/")})
