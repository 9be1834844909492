"""How near words are in meaning to the topic's."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.classify.meaning import TopicMeaning
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import write_model
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train_from_words
from focused_crawler.classify.words import ColdClassifier
from focused_crawler.link_scoring.evidence import LinkEvidence
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.topic import Topic

TOPIC = Topic("astronomy", Path("topics/astronomy"), "Astronomy", keywords=("star", "telescope"))
SKY = "The moon and the planets orbit the sun; comets and a galaxy shine at night."
FOOD = "Peel the onions, chop the garlic, and simmer the sauce until dinner."


@pytest.fixture
def model(analyzer):
    """A topic of words."""
    return TopicModel.cold(TOPIC, analyzer)


def test_a_page_without_the_topics_words_may_be_near_it(model, make_page):
    """More so than one about something else; without what words mean both are alike."""
    sky, food = make_page("https://a.example/", body=SKY), make_page("https://b.example/", body=FOOD)
    plain = ColdClassifier(model.vector)
    assert plain.relevance(sky) == plain.relevance(food) == 0.0
    assert model.classifier.relevance(sky) > 2 * model.classifier.relevance(food) > 0.0
    assert model.classifier.relevance(sky) < 0.5  # without one word of the topic


def test_what_words_mean_tells_pages_with_the_same_words_apart(model, make_page):
    """A star of the sky from one of the cinema."""
    sky = make_page("https://a.example/", body=f"A star. {SKY}")
    film = make_page(
        "https://b.example/", body="A star. The film won a prize for its actress and the singer."
    )
    assert model.classifier.relevance(sky) > model.classifier.relevance(film) + 0.1


@pytest.mark.parametrize("body", [SKY, FOOD, f"star telescope {SKY}", "zyzzogeton", "", "star"])
@pytest.mark.parametrize("has_meaning", [True, False])
@pytest.mark.parametrize("least", [-2.0, -6.0, -21.0])
def test_log_odds_are_of_the_relevance(model, make_page, body, has_meaning, least):
    """What the terms say and what every page has sum to them, or to what they are at least."""
    judge = model.classifier if has_meaning else replace(model.classifier, meaning=None)
    page = make_page("https://a.example/", body=body)
    relevance = min(max(judge.relevance(page), 1e-12), 1 - 1e-12)
    wanted = max(math.log(relevance / (1 - relevance)), least)
    assert judge.log_odds(page, least).total == pytest.approx(wanted, abs=1e-6)


def test_its_parts_are_the_nearness(model, analyzer):
    """Each known term has its part, of either sign."""
    counts = dict.fromkeys(analyzer.terms(f"{SKY} {FOOD}"), 1)
    addends = model.meaning.addends(counts)
    assert sum(addends.values()) == pytest.approx(model.meaning.near(counts))
    assert min(addends.values()) < 0 < max(addends.values())
    assert "" not in addends


def test_nothing_known_is_not_near(model):
    """Nor far."""
    assert model.meaning.near({}) == model.meaning.near({"zyzzogeton": 2}) == 0.0
    assert model.meaning.addends({"zyzzogeton": 2}) == {}


def test_a_topic_of_unknown_words_has_no_meaning(analyzer):
    """Nor has one of a language without vectors; words judge alone."""
    vector = TopicVector({"zyzzogeton": 1.0}, {}, 5.0)
    assert TopicMeaning.of(vector, "en") is None
    assert TopicMeaning.of(TopicVector({"star": 1.0}, {}, 5.0), "de") is None
    german = TopicModel.cold(replace(TOPIC, language="de"), Analyzer("de"))
    assert german.meaning is None
    assert german.classifier.meaning is None


def test_the_judges_name_says_what_words_mean(model):
    """Judged with other vectors, or with none, it is another judge."""
    plain = replace(model, classifier=replace(model.classifier, meaning=None))
    assert plain.judge_name != model.judge_name
    assert {plain.judge_name.partition(":")[0], model.judge_name.partition(":")[0]} == {"keywords"}


def test_an_older_model_judges_by_words_alone(topic, relevant, other, analyzer, tmp_path):
    """What was calibrated without what words mean is asked without it."""
    seeded = train_from_words(topic, relevant[:9], other[:15], ClassifierSettings(), analyzer)
    assert seeded.classifier.words.meaning is not None
    header, arrays = seeded._state()
    del arrays["seed_meaning"]
    write_model(tmp_path, header, arrays)
    assert TopicModel.load(tmp_path).classifier.words.meaning is None


def test_links_are_read_by_what_their_words_mean(model, analyzer):
    """Of a topic that has words alone; one that learnt from examples has a link model."""
    words, plain = LinkEvidence(model), LinkEvidence(replace(model, meaning=None))
    for anchor in ("Moon and planets", "Comets at night"):
        assert plain.of_anchor(analyzer.terms(anchor))[0] == 0.0
        assert words.of_anchor(analyzer.terms(anchor))[0] > 0.1
    assert words.of_anchor(analyzer.terms("Onions and garlic"))[0] == 0.0
    assert words.of_anchor(analyzer.terms("Star"))[0] <= 2.0
    assert words.of_url("https://a.example/planets/mars.html").words > 0.0
