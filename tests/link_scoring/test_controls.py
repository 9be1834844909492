"""Random and shuffled order: what a bench must find worthless."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.link_scoring.baselines import RandomOrderOptions, share_of
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector

MODEL = SimpleNamespace(vector=TopicVector({"robot": 1.0}, {}, 1.0), midpoint=0.25)
URLS = [f"http://example.org/{number}" for number in range(2000)]


def page(relevance, urls):
    links = [Link(url, "", [], [], 0) for url in urls]
    return Page("http://example.org/", "", "", Sections(), Outline(False), links=links, relevance=relevance)


def scored(scorer, relevance=0.0, urls=URLS):
    shown = page(relevance, urls)
    return list(scorer.score(shown, shown.links))


@pytest.mark.parametrize("name", ["random", "shuffled"])
def test_the_seed_decides(name):
    """The same seed, the same order; another seed, another."""

    def order(seed):
        return scored(create(name, MODEL, RandomOrderOptions(random_seed=seed)))

    assert order(1) == order(1) != order(2)


@pytest.mark.parametrize("name", ["random", "shuffled"])
def test_a_url_has_the_same_priority_wherever_it_stands(name):
    """So meeting it again, on whatever page, lifts nothing; nor does another way to write the same page."""
    scorer = create(name, MODEL)
    assert scored(scorer, 0.1) == scored(scorer, 0.9)
    assert share_of("http://www.example.org/a/", 0) == share_of("https://example.org/a", 0)


def test_random_is_even():
    """Each tenth of [0, 1) has its tenth of the URLs."""
    tenths = [int(share_of(url, 0) * 10) for url in URLS]
    assert all(150 < tenths.count(tenth) < 250 for tenth in range(10))


@given(st.text(), st.integers())
def test_random_is_a_share(url, seed):
    """Whatever the URL and the seed."""
    assert 0.0 <= share_of(url, seed) < 1.0


def test_shuffled_is_not_the_random_order():
    """They are two controls."""
    one, other = (create(name, MODEL) for name in ("random", "shuffled"))
    ranks = [sorted(range(len(URLS)), key=scored(scorer).__getitem__) for scorer in (one, other)]
    assert ranks[0] != ranks[1]
    assert len(set(ranks[0][:200]) & set(ranks[1][:200])) < 50
