import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.topic_vector import COLD_MIDPOINT, _half_way, block_midpoint, topic_vector

SIMILARITIES = st.lists(st.floats(0.001, 1), min_size=1)


def test_blocks_of_the_topic_lie_above_it_and_others_below(topic, relevant, other, analyzer):
    """A block in the topic's words counts as more than 0.5, one of other words as less."""
    vector = topic_vector(topic, relevant, other, analyzer, terms=50)
    midpoint = block_midpoint(topic, relevant, other, analyzer, terms=50)
    assert 0 < midpoint < vector.similarity(analyzer.terms("knead the dough with garlic and butter"))
    assert vector.similarity(analyzer.terms("the senate votes after an election campaign")) < midpoint


@given(SIMILARITIES, SIMILARITIES)
def test_it_lies_between_the_two_kinds(about, apart):
    """It is inside the range of all similarities, and the two kinds may change places."""
    middle = _half_way(about, apart)
    assert min(about + apart) <= middle <= max(about + apart)
    assert middle == _half_way(apart, about)


def test_a_few_odd_blocks_do_not_move_it():
    """One page that repeats the topic's words is no reason to ask more of all others."""
    assert _half_way([0.2, 0.3, 0.4, 0.9], [0.0, 0.1, 0.1]) == pytest.approx(0.225)
    assert _half_way([0.2, 0.3, 0.4, 0.5], [0.0, 0.1, 0.1]) == pytest.approx(0.225)


@pytest.mark.parametrize(("about", "apart"), [([], [0.1]), ([0.1], []), ([0.0, 0.0, 0.4], [0.0])])
def test_without_blocks_of_both_kinds_it_is_that_of_a_cold_topic(about, apart):
    """Neither examples without blocks nor ones without a word of the topic may divide by nothing."""
    assert _half_way(about, apart) == COLD_MIDPOINT


def test_no_page_is_compared_with_its_own_words(topic, make_page, analyzer):
    """Pages that share no word with each other, nor with the topic, say nothing about it."""
    words = [" ".join(f"{letter}{number}x" for letter in "bcdfghjk") for number in range(20)]
    pages = [make_page(f"https://a.example/{number}", body=body) for number, body in enumerate(words)]
    assert block_midpoint(topic, pages[:10], pages[10:], analyzer, terms=50) == COLD_MIDPOINT
