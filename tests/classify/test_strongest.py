"""The terms that a classifier goes by."""

from focused_crawler.classify.comparison import spellings, strongest_terms
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.words import ColdClassifier
from tests.classify.conftest import COMMON, COOKING, OTHER


def test_the_topics_words_speak_for_it_and_others_against(trained, relevant, other, analyzer):
    """Words of all pages are in neither list; the strongest come first."""
    speak_for, against = strongest_terms(trained[0].classifier, relevant, other, 8)
    assert {one.term for one in speak_for} <= set(analyzer.terms(" ".join(COOKING)))
    assert {one.term for one in against} <= set(analyzer.terms(" ".join(OTHER)))
    values = [one.value for one in speak_for]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0 > max(one.value for one in against)
    assert [one.value for one in against] == sorted(one.value for one in against)


def test_a_cold_topic_goes_by_its_words_and_what_they_mean(topic, relevant, other, analyzer):
    """Its own words first; of the others those of kitchens speak for it."""
    speak_for, against = strongest_terms(TopicModel.cold(topic, analyzer).classifier, relevant, other, 5)
    own = set(analyzer.terms("recipe oven home"))
    assert {one.term for one in speak_for[: len(own)]} == own
    assert {one.term for one in speak_for} <= set(analyzer.terms(" ".join((*COOKING, *COMMON))))
    assert {one.term for one in against} <= set(analyzer.terms(" ".join((*OTHER, *COMMON))))


def test_a_cold_topic_of_another_language_has_words_for_it_only(topic, relevant, other, analyzer):
    """Where nobody knows what words mean, nothing speaks against it."""
    words = ColdClassifier(TopicModel.cold(topic, analyzer).vector)
    speak_for, against = strongest_terms(words, relevant, other, 5)
    assert {one.term for one in speak_for} == set(analyzer.terms("recipe oven home"))
    assert against == []


def test_a_term_is_spelled_as_it_is_mostly_written(make_page, analyzer):
    """Without the signs around it; a term that no page has is not spelled at all."""
    pages = [
        make_page("https://a.example/", body='Recipes: "recipes" and a recipe.'),
        make_page("https://b.example/", body=" ".join(COMMON)),
    ]
    (term,) = set(analyzer.terms("recipes recipe"))
    assert spellings({term, "zyzzogeton"}, pages, analyzer) == {term: "recipes"}
