"""A topic without examples, trained on pages that its words find."""

import json
import math
from dataclasses import replace

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import SeededClassifier
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import pseudo_relevant, train_from_words
from focused_crawler.safety.errors import TopicError

SETTINGS = ClassifierSettings()


@pytest.fixture(scope="module")
def seeded(topic, relevant, other, analyzer):
    """A model of what the topic's words find among pages of both kinds."""
    pseudo = pseudo_relevant(topic, [*relevant, *other[:5]], analyzer)
    return train_from_words(topic, pseudo, other[:15], SETTINGS, analyzer, background=other[15:25])


def test_pages_that_say_the_topics_words_are_taken(topic, relevant, other, analyzer):
    """Those that the cold classifier takes for relevant."""
    cold = TopicModel.cold(topic, analyzer)
    found = pseudo_relevant(topic, [*relevant, *other], analyzer)
    assert found
    assert found == [page for page in (*relevant, *other) if cold.classifier.relevance(page) >= 0.5]


def test_it_learns_more_words_than_the_topic_has(seeded, make_page):
    """A page of what such pages say is more relevant to it, though it has none of the topic's own words."""
    cold = seeded.classifier.words
    page = make_page("https://a.example/", headline="garlic dough", body="whisk flour butter onion simmer")
    assert cold.relevance(page) < 0.2
    assert not cold.vector.similarity(page.sections.body)
    assert seeded.classifier.relevance(page) > seeded.classifier.relevance(
        make_page("https://b.example/", body="senate election")
    )


def test_it_ranks_better_than_words_alone(seeded, relevant, other):
    """All pages of the topic come before all others."""
    relevance = seeded.classifier.relevance
    assert min(map(relevance, relevant)) > max(map(relevance, other))


def test_it_is_marked_for_what_it_is(seeded, tmp_path):
    """Pseudo-examples are counted apart, there are no figures, and the file says both."""
    assert seeded.trained
    assert isinstance(seeded.classifier, SeededClassifier)
    assert seeded.examples["relevant"] == 0 < seeded.examples["pseudo"]
    seeded.save(tmp_path)
    header = json.loads((tmp_path / "model.json").read_text())
    assert header["examples"] == seeded.examples
    assert header["metrics"] == {}


def test_links_are_judged_as_by_a_cold_topic(seeded, topic, analyzer):
    """What links and blocks say is not learnt from pages that nobody chose (docs/research/training.md)."""
    cold = TopicModel.cold(topic, analyzer)
    assert (seeded.vector.weights, seeded.midpoints) == (cold.vector.weights, cold.midpoints)
    assert not seeded.links.weights


def test_a_loaded_model_is_the_saved_one(seeded, relevant, other, tmp_path):
    """Relevances and their reasons are equal to the last bit."""
    seeded.save(tmp_path)
    loaded = TopicModel.load(tmp_path)
    assert isinstance(loaded.classifier, SeededClassifier)
    for page in (*relevant, *other):
        assert loaded.classifier.evidence(page) == seeded.classifier.evidence(page)
        assert loaded.classifier.relevance(page) == seeded.classifier.relevance(page)


def test_evidence_is_of_the_relevance(seeded, relevant, other):
    """What the terms say and what every page has sum to the log odds of the page's relevance."""
    for page in (*relevant, *other):
        terms, bias, unit = seeded.classifier.evidence(page)
        relevance = seeded.classifier.relevance(page)
        assert bias + sum(terms.values()) == pytest.approx(math.log(relevance / (1 - relevance)))
        assert unit == "log odds"


def test_nothing_known_is_not_relevant(seeded, make_page):
    """A page that says nothing is not about the topic."""
    assert seeded.classifier.relevance(make_page("https://a.example/", body="zyzzogeton")) == 0.0


def test_what_a_person_chose_counts_beside_it(topic, relevant, other, analyzer):
    """One example of the user's own is learnt from, and counted as such."""
    model = train_from_words(topic, relevant[1:4], other[:15], SETTINGS, analyzer, relevant=relevant[:1])
    assert model.examples == {"relevant": 1, "pseudo": 3, "other": 15, "background": 0}
    assert relevant[0].url in model.learnt_from


def test_the_topics_threshold_is_kept(topic, relevant, other, analyzer):
    """Half, unless topic.toml says otherwise."""
    models = [
        train_from_words(replace(topic, relevance_threshold=wanted), relevant, other, SETTINGS, analyzer)
        for wanted in (None, 0.7)
    ]
    assert [model.threshold for model in models] == [0.5, 0.7]


@pytest.mark.parametrize(
    ("pseudo", "others", "message"),
    [
        (1, 9, "and has 1 page near its seeds with enough of its keywords"),
        (9, 1, "has 1 usable other example;"),
    ],
)
def test_too_little_is_refused(topic, relevant, other, analyzer, pseudo, others, message):
    """One line says what is missing."""
    with pytest.raises(TopicError, match=message):
        train_from_words(topic, relevant[:pseudo], other[:others], SETTINGS, analyzer)
