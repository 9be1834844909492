import pytest

from focused_crawler.classify.topic_vector import (
    LISTED_PAIRS,
    NEIGHBOURS,
    cold_topic_vector,
    phrase_weights,
    topic_vector,
)
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer


def test_the_heaviest_terms_of_the_examples_and_the_keywords(topic, relevant, other, analyzer):
    """The vector has so many terms, and the keywords on top, none lighter than the heaviest."""
    vector = topic_vector(topic, relevant, other, analyzer, terms=4)
    keywords = {"recip", "oven", "home", "cook"}
    assert keywords <= vector.weights.keys()
    assert len(vector.weights) <= 4 + len(keywords)
    assert {vector.weights[term] for term in keywords} == {max(vector.weights.values())}


def test_words_of_the_topic_lead_the_vector(topic, relevant, other, analyzer):
    """What all pages share weighs less than what the topic's pages say."""
    vector = topic_vector(topic, relevant, other, analyzer, terms=50)
    assert vector.weights["dough"] > vector.weights.get("menu", 0.0)
    assert vector.similarity(analyzer.terms("garlic butter sauce")) > 0.3
    assert vector.similarity(analyzer.terms("senate election")) == 0.0


def test_rarity_is_that_of_the_language(topic, relevant, other, analyzer):
    """With or without examples, a topic compares texts by the same precompiled idf."""
    trained = topic_vector(topic, relevant, other, analyzer, terms=50)
    cold, language = cold_topic_vector(topic, analyzer), TermStatistics.for_language("en")
    assert trained.idf == cold.idf == language.mapping
    assert trained.default_idf == cold.default_idf == language.default


def test_the_words_of_a_cold_topic(topic, analyzer):
    """Keywords and title weigh their idf, the description half of it; stop words nothing."""
    vector, idf = cold_topic_vector(topic, analyzer), TermStatistics.for_language("en").idf
    assert vector.weights["oven"] == idf("oven")
    assert vector.weights["cook"] == idf("cook")
    assert vector.weights["kitchen"] == idf("kitchen") / 2
    assert vector.weights.keys() == {"recip", "oven", "cook", "home", "meal", "ingredi", "kitchen"}


def test_phrases_give_each_term_once(analyzer):
    """A phrase is its words; what stops is no word."""
    assert list(phrase_weights(["the home cooking", "Cooking"], analyzer)) == ["home", "cook"]


@pytest.mark.parametrize(("language", "character"), [("zh", "茶"), ("ja", "猫"), ("ko", "차"), ("th", "ก")])
def test_a_character_stands_for_its_pairs(language, character):
    """They are not too many, and together as long as one term; a word of two characters is its pair."""
    weights = phrase_weights([character, character * 2], Analyzer(language))
    assert weights.pop(character) == weights.pop(character * 2) == 1
    assert all(character in pair and len(pair) == 2 for pair in weights)
    assert len(weights) <= LISTED_PAIRS + 2 * NEIGHBOURS
    if weights:  # nobody counted the words of Thai
        assert sum(weight * weight for weight in weights.values()) == pytest.approx(1, abs=0.05)


def test_a_pair_that_is_a_keyword_as_well_keeps_its_weight():
    """Whichever comes first."""
    assert phrase_weights(["茶", "红茶"], Analyzer("zh"))["红茶"] == 1
    assert phrase_weights(["红茶", "茶"], Analyzer("zh"))["红茶"] == 1
