import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.weighting import count_terms, tfc
from tests.cosine import cosine

IDF = {"oven": 3.0, "bake": 2.0, "page": 0.0, "home": 0.5}
DEFAULT = 4.0
TOPIC = {"oven": 1.0, "bake": 2.0, "whisk": 0.5}
VECTOR = TopicVector(TOPIC, IDF, DEFAULT)
TERMS = st.lists(st.sampled_from(["oven", "bake", "whisk", "page", "home", "goal", ""]))


@given(TERMS)
def test_similarity_is_the_cosine_of_tfc_and_topic(terms):
    """The fast way and the definition agree, terms outside the topic included."""
    assert VECTOR.similarity(terms) == pytest.approx(cosine(tfc(count_terms(terms), IDF, DEFAULT), TOPIC))


@given(TERMS)
def test_similarity_is_a_share(terms):
    """Rounding never takes it out of [0, 1]."""
    assert 0.0 <= VECTOR.similarity(terms) <= 1.0


@given(TERMS)
def test_counted_terms_are_as_similar_as_the_text(terms):
    """It does not matter who counts."""
    assert VECTOR.similarity_of_counts(count_terms(terms)) == VECTOR.similarity(terms)


@given(TERMS, st.integers(2, 5))
def test_a_text_said_twice_is_as_similar(terms, times):
    """Similarity is about proportions, not about length."""
    assert VECTOR.similarity(terms * times) == pytest.approx(VECTOR.similarity(terms))


@given(TERMS)
def test_words_of_other_topics_take_similarity_away(terms):
    """The norm of a text counts terms that the topic lacks."""
    assert VECTOR.similarity([*terms, "goal"]) <= VECTOR.similarity(terms) + 1e-12


@pytest.mark.parametrize("terms", [[], [""], ["page"], ["goal"]])
def test_nothing_in_common(terms):
    """A text without the topic's terms has similarity 0, an empty one too."""
    assert VECTOR.similarity(terms) == 0.0


def test_a_topic_without_words():
    """Nothing is similar to it."""
    assert TopicVector({}, IDF, DEFAULT).similarity(["oven"]) == 0.0


def test_the_topic_itself():
    """A text with the topic's weights has similarity 1."""
    assert VECTOR.similarity_of_counts({"oven": 1 / 3, "bake": 1.0, "whisk": 0.125}) == pytest.approx(1.0)
