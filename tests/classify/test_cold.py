from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import squash
from focused_crawler.page.model import Sections
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


@given(st.floats(0, 1), st.floats(0, 1))
def test_squash_is_monotone_and_bounded(one, other):
    """A more similar page is never less relevant."""
    low, high = sorted((one, other))
    assert 0.0 <= squash(low) <= squash(high) <= 1.0
