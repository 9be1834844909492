"""The judge `vsm`: Batsakis et al. 2009, Eq. 1 and 2, and Eq. 3 with it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Link
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer

PARTS = {
    "headline": "Robot arm",
    "keywords": "robot, control",
    "anchor": "sensor news",
    "body": "A robot arm is a kind of arm; its control is robotic, the robot controls it.",
}


@pytest.fixture
def model(topic, analyzer):
    """A topic of three words; `robot arm` and `arm` both name the arm."""
    words = replace(topic, keywords=("robot arm", "arm", "control"))
    return TopicModel.cold(words, analyzer).by_vsm(analyzer)


@pytest.fixture
def page(make_page):
    return make_page("http://a.example/", **PARTS)


def by_hand(one: Counter[str], other: Counter[str]) -> float:
    """Eq. 1 of two texts, their terms weighed by Eq. 2 to the letter."""

    def weigh(counts: Counter[str]) -> dict[str, float]:
        idf, most = TermStatistics.for_language("en").idf, max(counts.values())
        return {term: count / most * idf(term) for term, count in counts.items()}

    a, b = weigh(one), weigh(other)
    product = sum(weight * b.get(term, 0.0) for term, weight in a.items())
    return product / (math.hypot(*a.values()) * math.hypot(*b.values()))


QUERY = Counter({"robot": 1, "arm": 2, "control": 1})


def words_of(analyzer, *texts: str) -> Counter[str]:
    return Counter(term for text in texts for term in analyzer.terms(text) if term)


def test_a_page_is_judged_by_its_plain_cosine(model, page, analyzer):
    """Every word counts once, wherever it stands, and nothing is squashed."""
    expected = by_hand(QUERY, words_of(analyzer, *PARTS.values()))
    assert model.classifier.relevance(page) == pytest.approx(expected, abs=1e-9)
    terms, bias, unit = model.classifier.evidence(page)
    assert sum(terms.values()) + bias == pytest.approx(expected, abs=1e-9)
    assert (unit, model.judge) == ("cosine", "vsm")


def test_a_keyword_of_one_character(topic):
    """Running text has it in pairs alone, which stand for it."""
    analyzer = Analyzer("zh")
    words = replace(topic, keywords=("猫",), language="zh")
    classifier = TopicModel.cold(words, analyzer).by_vsm(analyzer).classifier
    cats, cars = (
        parse_page(f"<p>{text}</p>".encode(), "http://a.example/", analyzer, "utf-8")
        for text in ("我家的猫喜欢睡觉，小猫很可爱。", "汽车在公路上行驶，发动机需要汽油。")
    )
    assert classifier.relevance(cats) > classifier.relevance(cars) == 0.0


def test_equation_3(model, page, analyzer):
    """Half the page, half the anchor, both by the same plain cosine."""
    page.relevance = model.classifier.relevance(page)
    anchors = [analyzer.terms(text) for text in ("arm control", "news", "robot arm arm control")]
    links = [Link("http://b.example/", "", anchor, [], 0) for anchor in anchors]
    page_part = by_hand(QUERY, words_of(analyzer, *PARTS.values()))
    expected = [(page_part + by_hand(QUERY, Counter(anchor))) / 2 for anchor in anchors]
    found = create("best_first_content_anchor", model).score(page, links)
    assert found == pytest.approx(expected, abs=1e-9)
    assert expected[2] == pytest.approx((page_part + 1) / 2)


def test_what_was_learnt_plays_no_part(topic, relevant, other, analyzer, page):
    """With and without examples it judges the same."""
    trained, _ = train(topic, relevant, other, ClassifierSettings(), analyzer)
    models = [each.by_vsm(analyzer) for each in (trained.of_topic(topic), TopicModel.cold(topic, analyzer))]
    assert len({each.classifier.relevance(relevant[0]) for each in models}) == 1
    assert len({(each.threshold, each.midpoints) for each in models}) == 1
