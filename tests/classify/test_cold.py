from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.words import HALF_POINT, SHORT, ColdClassifier, relevance_of
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.topic.topic import Topic

ABOUT = """Asthma is a long-term disease of the airways of the lungs. Symptoms are wheezing, coughing
and shortness of breath. Many patients with asthma carry an inhaler; the inhaler opens the
airways within minutes. Doctors diagnose asthma by a breathing test. Triggers are pollen,
dust, smoke and exercise."""
MENTIONS = """The cyclist, who has had asthma since he was a child, won the stage through the mountains
ahead of two riders of his team. He thanked the mechanics, the fans along the road and his
family, and said that the weather had been kind. Tomorrow the race goes on to the coast,
over three hills and a long flat road with wind."""
UNRELATED = """The parliament passed the budget after a long debate. Taxes on fuel rise next year, while
schools and railways get more money. The opposition called the plan a mistake and asked for
new elections."""


@pytest.fixture
def asthma(analyzer):
    topic = Topic(
        "asthma", Path("topics/asthma"), "Asthma", "A disease of the airways.", keywords=("asthma", "inhaler")
    )
    return TopicModel.cold(topic, analyzer)


def test_a_page_about_the_topic_passes(asthma, make_page):
    """Few words suffice: what is clearly about the topic lands above .5, the rest well below."""
    about = make_page("https://a.example/", "Asthma", body=ABOUT)
    mentions = make_page("https://b.example/", "Stage win", body=MENTIONS)
    unrelated = make_page("https://c.example/", "Budget", body=UNRELATED)
    relevance = asthma.classifier.relevance
    assert relevance(about) > 0.8
    assert relevance(unrelated) < 0.1
    assert relevance(unrelated) < relevance(mentions) < relevance(about)


def test_an_empty_page_is_not_relevant(asthma, make_page):
    """A page that says nothing has relevance 0."""
    page = make_page("https://a.example/")
    assert asthma.classifier.relevance(page) == 0.0
    assert asthma.classifier.relevance(replace(page, sections=Sections(body=["", ""]))) == 0.0


def test_a_topic_without_words_finds_nothing(analyzer, make_page):
    """There is nothing to be about."""
    model = TopicModel.cold(Topic("void", Path("topics/void")), analyzer)
    assert model.classifier.relevance(make_page("https://a.example/", "Asthma", body=ABOUT)) == 0.0


@given(st.floats(0, 9), st.floats(0, 9))
def test_relevance_is_monotone_and_bounded(one, other):
    """A page of a higher score is never less relevant."""
    low, high = sorted((one, other))
    assert 0.0 <= relevance_of(low) <= relevance_of(high) <= 1.0
    assert relevance_of(HALF_POINT) == 0.5


@given(st.lists(st.sampled_from(["asthma", "inhaler", "diseas", "airway", "lung", "tree"]), max_size=40))
def test_one_more_word_of_the_topic_never_harms(words):
    """In the place of another word; and a word of the menu never says more than the same in the text."""
    classifier = ColdClassifier(TopicVector({"asthma": 6.0, "inhal": 7.0, "diseas": 2.0}, {}, 5.0))
    few, more, menu = (
        _page(Sections(anchor=anchor, body=[*words, *body, *["tree"] * SHORT]))
        for anchor, body in (([], ["tree"]), ([], ["asthma"]), (["asthma"], []))
    )
    assert classifier.relevance(few) <= classifier.relevance(more)
    assert classifier.relevance(menu) <= classifier.relevance(more)


def test_different_words_say_more_than_one_repeated(asthma):
    """A page that has each of two words twice is more relevant than one that has either four times."""
    relevance = [
        asthma.classifier.relevance(_page(Sections(body=[*body, *["tree"] * 96])))
        for body in (["asthma", "asthma", "inhal", "inhal"], ["asthma"] * 4, ["inhal"] * 4)
    ]
    assert relevance[0] > max(relevance[1:])


def _page(sections):
    return Page("https://a.example/", "", "", sections, Outline(is_heading=False))
