"""Lu et al., section 2: all pages that hold a link count."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import PLAIN
from focused_crawler.link_scoring.base import HeldLink
from focused_crawler.link_scoring.registry import STRATEGIES, create
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector

MODEL = SimpleNamespace(vector=TopicVector({"robot": 3.0, "arm": 4.0}, {}, 1.0), midpoints=PLAIN)
LINKS = [Link("http://example.org/a", "", anchor, [], 0) for anchor in (["robot"], ["arm"], [])]
SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=50)


def made(name="mean_of_parents"):
    return create(name, MODEL, StrategyOptions(similarity="cosine"))


def test_one_page_is_equation_3():
    """It differs from best_first_content_anchor only once a second page holds the link."""
    page = Page("http://example.org/", "", "", Sections(), Outline(False), links=LINKS, relevance=0.4)
    scores = made().score(page, LINKS)
    assert scores == made("best_first_content_anchor").score(page, LINKS)
    assert scores == pytest.approx([(0.4 + 0.6) / 2, (0.4 + 0.8) / 2, 0.2])


@given(st.lists(SCORES, max_size=5))
def test_it_is_a_mean(scores):
    """Between the lowest and the highest score of each link, whatever the others are."""
    links = [HeldLink(f"http://example.org/{n}", sum(found), len(found)) for n, found in enumerate(scores)]
    means = made().rescore(links)
    assert len(means) == len(links)
    for mean, found in zip(means, scores, strict=True):
        assert min(found) - 1e-12 <= mean <= max(found) + 1e-12


def test_no_other_strategy_changes_its_mind():
    """So no other crawl pays for it; nor one whose scores are on the wrong links."""
    assert [name for name in STRATEGIES if hasattr(STRATEGIES[name], "rescore")] == ["mean_of_parents"]
    assert not hasattr(made("shuffled:mean_of_parents"), "rescore")
