"""How the lists change the scores of links."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from benchmarks.studies.crawls import bench_of
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.counts import CrawlCount, SiteCount
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import STRENGTH, Priors, load_priors, update_lists
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.work import analyst_of
from focused_crawler.topic.topic import Topic
from tests.crawl.lists.crawls import crawl, site


class Link(NamedTuple):
    url: str


def counted(path, **sites):
    """Make lists of sites: name -> (pages, relevant)."""
    found = tuple(SiteCount(f"{name}.org", *numbers, None, 0) for name, numbers in sites.items())
    lists = Lists(path / "lists.db")
    lists.count(CrawlCount("1", "1", 1.0, 0, 0, found, ()))
    return lists


@pytest.fixture
def lists(tmp_path):
    with counted(tmp_path, good=(90, 80), bad=(90, 1), small=(2, 0), empty=(0, 0)) as lists:
        yield lists


def test_a_share_is_smoothed(lists):
    """By the share over all sites, which is also that of unknown ones; two pages are hardly anything."""
    priors = Priors.of(lists, 1.0)
    base = 82 / 184
    assert priors.share("http://www.good.org/x") == pytest.approx((80 + STRENGTH * base) / (90 + STRENGTH))
    assert priors.share("http://new.org/") == pytest.approx(base)
    assert priors.share("http://empty.org/") == pytest.approx(base)
    shares = [priors.share(f"http://{name}.org/") for name in ("bad", "small", "new", "good")]
    assert shares == sorted(shares)


def test_a_banned_site_has_no_share(lists):
    """A person's word goes before what was counted; one that is kept is worth what it gave."""
    before = Priors.of(lists, 1.0).share("http://bad.org/")
    lists.mark([("good.org", "banned", ""), ("bad.org", "kept", "")])
    priors = Priors.of(lists, 1.0)
    assert (priors.share("http://good.org/"), priors.share("http://bad.org/")) == (0.0, before)


def test_a_ban_holds_for_all_hosts_below(lists):
    """Whether crawls have met them or not, and of no registered domain, too; other hosts are none of it."""
    lists.mark([("good.org", "banned", ""), ("b.new.org", "banned", "")])
    priors = Priors.of(lists, 1.0)
    below = ("a.good.org", "a.b.good.org:8080", "x.b.new.org", "b.new.org")
    assert [priors.share(f"https://{host}/x") for host in below] == [0.0] * 4
    others = ("notgood.org", "new.org", "c.new.org")
    assert [priors.share(f"https://{host}/x") for host in others] == [pytest.approx(priors.base)] * 3


def test_lists_of_nothing_prefer_nothing(tmp_path):
    """All sites are equal."""
    with Lists(tmp_path / "lists.db") as lists:
        priors = Priors.of(lists, 1.0)
    assert priors.share("http://a.org/") == 0.5
    assert not priors


SCORES = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats(0, 1)))
SHARES = st.fixed_dictionaries({f"{name}.org": st.floats(0, 1) for name in "ab"})


@given(SCORES, SHARES, st.floats(0, 1), st.floats(0, 1))
def test_scores_stay_scores(scored, shares, base, weight):
    """Each is from 0 to 1, between what it was and its site's share; what is not followed stays so."""
    priors = Priors(weight, base, shares)
    urls = [f"http://{name}.org/" for name, _ in scored]
    scores = [score for _, score in scored]
    for url, old, new in zip(urls, scores, priors.apply(urls, scores), strict=True):
        share = priors.share(url)
        if old is None or new is None:
            assert old is new
        else:
            assert 0 <= new <= 1
            assert min(old, share) - 1e-9 <= new <= max(old, share) + 1e-9


@given(SCORES, SHARES, st.floats(0, 1))
def test_no_weight_no_change(scored, shares, base):
    """Whatever the lists say."""
    urls = [f"http://{name}.org/" for name, _ in scored]
    scores = [score for _, score in scored]
    assert Priors(0.0, base, shares).apply(urls, scores) == scores


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.99))
def test_within_a_site_the_order_stays(low, high, weight):
    """Links to one site are told apart by the strategy alone."""
    low, high = sorted((low, high))
    url = "http://a.org/"
    first, second = Priors(weight, 0.5, {"a.org": 0.3}).apply([url, url], [low, high])
    assert first <= second


@pytest.mark.parametrize(
    ("settings", "is_used"),
    [({}, True), ({"LIST_PRIOR": 0}, False), ({"LISTS": "off"}, False), ({"WEB": "x.warc.gz"}, False)],
)
def test_priors_are_used_where_lists_are(settings, is_used, lists):
    """Never on a recorded web, unless it is asked for."""
    topic = Topic("bees", lists.path.parent)
    given = Settings({"FOCUSED_LIST_PRIOR": 0.25} | {f"FOCUSED_{name}": v for name, v in settings.items()})
    assert (load_priors(CrawlConfig.from_settings(given), topic) is not None) is is_used


def test_a_crawl_that_goes_on_is_not_led_by_itself(tmp_path):
    """Its own numbers are no prior of it, and are one of the next crawl."""
    topic = Topic("bees", tmp_path / "topic")

    def priors(job: str) -> Priors | None:
        settings = {"FOCUSED_CRAWLS": str(tmp_path), "FOCUSED_JOB": job, "FOCUSED_LIST_PRIOR": 0.25}
        return load_priors(CrawlConfig.from_settings(Settings(settings)), topic)

    update_lists(topic, None, crawl(tmp_path / "bees/one", site("one.org", 20)))
    assert priors("one") is None
    before = priors("two")
    update_lists(topic, None, crawl(tmp_path / "bees/two", site("two.org", 0, 20), started=2.0))
    after, mine = priors("two"), priors("one")
    assert before is not None
    assert after is not None
    assert mine is not None
    for host in ("http://one.org/", "http://two.org/", "http://new.org/"):
        assert after.share(host) == before.share(host) > mine.share(host)


def test_experiments_know_no_lists(lists):
    """Whatever lies beside the topic: runs must not depend on crawls before them."""
    topic = Topic("bees", lists.path.parent, keywords=("bee",))
    bench = bench_of(lists.path.parent / "experiment")
    subject = Subject(lists.path.parent / "web.warc.gz", topic, None, {})
    assert analyst_of(bench, subject, "best_first_content").order.priors is None
    assert Analyst.make(bench.config, topic).order.priors is not None


def test_a_first_crawl_has_no_priors(tmp_path):
    """There are no lists, and none are made by looking."""
    assert load_priors(CrawlConfig.from_settings(Settings()), Topic("bees", tmp_path)) is None
    assert list(tmp_path.iterdir()) == []
