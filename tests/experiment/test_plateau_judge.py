"""Relevant by the web's ground truth, else by a classifier, else by looks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.experiment.plateau import judge_by_snippets, judge_of_crawl, judge_of_web
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.truth import topics_folder
from tests.experiment.hives import pages_about, url


@pytest.fixture(scope="module")
def topic(hives):
    return load_topic(str(topics_folder(hives) / "bees"))


def config():
    return CrawlConfig.from_settings(Settings(DEFAULTS))


def test_a_web_with_a_ground_truth_is_judged_by_it(hives, topic):
    """By nothing else, and all that there is to find is known."""
    bees = pages_about("bees")
    with judge_of_web(hives, topic, config()) as judge:
        assert judge.is_relevant(SearchResult(url(bees[0])))
        assert not judge.is_relevant(SearchResult("https://a.example/", "bee hive honey"))
        assert (judge.name, judge.all_relevant, judge.by_words) == ("ground truth", len(bees), False)


def test_a_web_without_one_is_judged_by_the_crawler(hives, topic):
    """It reads the pages as a crawl would; what is no page is not relevant."""
    topic = replace(topic, name="insects")
    with judge_of_web(hives, topic, config()) as judge:
        assert all(judge.is_relevant(SearchResult(url(page))) for page in pages_about("bees"))
        cars = pages_about("cars")
        assert sum(judge.is_relevant(SearchResult(url(page))) for page in cars) < len(cars) / 2
        assert not judge.is_relevant(SearchResult("https://nowhere.example/"))
        assert (judge.name, judge.all_relevant, judge.by_words) == ("the crawler's classifier", None, True)


def test_a_crawl_is_judged_as_it_judged(tmp_path):
    """By its classifier, whatever a ground truth said."""
    with CrawlDatabase(tmp_path / "1" / "crawl.db") as database:
        store = PageStore(database)
        for number in (1, 2):
            page = PageItem(
                url=f"https://a.example/{number}",
                fetched_at=1.0,
                relevance=0.9,
                is_relevant=number == 1,
                is_target=number == 2,
            )
            store.record_page(page)
        database.commit()
    with judge_of_crawl(tmp_path / "1") as judge:
        asked = ("http://www.a.example/1/", "https://a.example/2", "https://a.example/3", "x:y")
        assert [judge.is_relevant(SearchResult(page)) for page in asked] == [True, False, False, False]


def test_what_is_not_at_hand_is_judged_by_looks():
    """From one half on."""
    with judge_by_snippets(lambda result: float(result.title)) as judge:
        assert judge.is_relevant(SearchResult("https://a.example/", "0.5"))
        assert not judge.is_relevant(SearchResult("https://a.example/", "0.49"))
        assert judge.by_words


@pytest.mark.parametrize(
    ("trained", "judged_by", "by_words"),
    [
        (True, "model", False),
        (True, "thesaurus", True),
        (False, "words", True),
        (True, "", False),
        (False, "", True),
    ],
)
def test_a_crawl_knows_whether_words_judged_it(tmp_path, trained, judged_by, by_words):
    """One that began before that was written down was judged by words if nothing was trained."""
    CrawlDatabase(tmp_path / "crawl.db").close()
    write_run(tmp_path, RunInfo("bees", "Bees", "1", "lpe", "", None, trained=trained, judge=judged_by))
    with judge_of_crawl(tmp_path) as judge:
        assert judge.by_words is by_words
