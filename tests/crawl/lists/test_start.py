"""Where a crawl starts."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.use import start_pages, update_lists
from focused_crawler.safety.errors import TopicError
from focused_crawler.store.job import write_run
from focused_crawler.topic.topic import Topic
from tests.crawl.lists.crawls import crawl, run_info, site


@pytest.fixture
def topic(tmp_path):
    """A topic whose first crawl was counted."""
    topic = Topic("bees", tmp_path, seeds=("https://www.a.org", "http://own.org/"))
    update_lists(topic, None, crawl(tmp_path / "1", {**site("a.org", 5), **site("b.org", 5)}))
    return topic


def config(**settings: object) -> CrawlConfig:
    return CrawlConfig.from_settings(Settings({f"FOCUSED_{name}": value for name, value in settings.items()}))


def test_pages_of_the_lists_join_the_topics_own(topic):
    """Each page once."""
    found = start_pages(config(), topic)
    assert found.own == ("https://www.a.org", "http://own.org/")
    assert found.listed == ("http://b.org/",)


def test_a_topic_without_start_pages_has_those_of_its_lists(topic):
    """Without lists either, there is nothing to begin with."""
    bare = Topic("bees", topic.folder)
    assert start_pages(config(), bare).listed == ("http://a.org/", "http://b.org/")
    with pytest.raises(TopicError, match="scrapy seeds"):
        start_pages(config(LISTS="off"), bare)


def test_a_crawl_that_goes_on_does_not_start_from_what_it_found(topic, tmp_path):
    """It is known by the run in its folder, not by its name alone; other crawls go by it."""
    jobs = {"CRAWLS": str(tmp_path / "crawls")}
    path = tmp_path / "crawls/bees/one"
    update_lists(topic, None, crawl(path, site("c.org", 5), started=5.0))
    assert start_pages(config(JOB="one", **jobs), topic).listed == ("http://b.org/",)
    for job in ("two", ""):
        assert start_pages(config(JOB=job, **jobs), topic).listed == ("http://b.org/", "http://c.org/")
    write_run(path, run_info("one", started=6.0))
    assert "http://c.org/" in start_pages(config(JOB="one", **jobs), topic).listed


def test_words_of_urls_hold_for_listed_pages(topic):
    """But not for the topic's own."""
    found = start_pages(config(SKIP_URLS="B.org,own"), topic)
    assert (found.own, found.listed) == (("https://www.a.org", "http://own.org/"), ())


def test_a_seed_set_must_be_there(topic):
    """Lists do not make up for a wrong name."""
    with pytest.raises(TopicError, match="no seed set"):
        start_pages(config(SEED_SET="z"), topic)


@pytest.mark.parametrize(
    ("settings", "is_used"),
    [
        ({}, True),
        ({"LISTS": "off"}, False),
        ({"WEB": "web.warc.gz"}, False),
        ({"WEB": "web.warc.gz", "LISTS": "on"}, True),
    ],
)
def test_lists_are_for_the_live_web(settings, is_used, topic):
    """A recorded web is for comparisons: a crawl of it must not depend on those before."""
    assert bool(start_pages(config(**settings), topic).listed) is is_used


def test_lists_lie_where_models_do(topic, tmp_path):
    """FOCUSED_MODELS moves both."""
    assert start_pages(config(MODELS=str(tmp_path / "models")), topic).listed == ()


def test_a_first_crawl_makes_no_file(tmp_path):
    """To look whether there are lists leaves no trace."""
    topic = Topic("bees", tmp_path, seeds=("http://a.org/",))
    assert start_pages(config(), topic).listed == ()
    assert list(tmp_path.iterdir()) == []


def test_broken_lists_are_told(topic):
    """With the cure: a crawl that silently began elsewhere would be no better."""
    lists_path(topic, None).write_bytes(b"nothing of the sort" * 99)
    with pytest.raises(TopicError, match="move it away"):
        start_pages(config(), topic)
