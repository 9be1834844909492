from focused_crawler.classify.topic_vector import cold_topic_vector, phrase_terms, topic_vector
from focused_crawler.text.idf import TermStatistics


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
    assert phrase_terms(["the home cooking", "Cooking"], analyzer) == ["home", "cook"]
