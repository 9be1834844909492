import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import COLD_MIDPOINTS, _half_way, midpoints
from focused_crawler.classify.topic_vector import topic_vector
from focused_crawler.page.model import Block, Link

SIMILARITIES = st.lists(st.floats(0.001, 1), min_size=1)


def test_blocks_of_the_topic_lie_above_it_and_others_below(topic, relevant, other, analyzer):
    """A block in the topic's words counts as more than 0.5, one of other words as less."""
    vector = topic_vector(topic, relevant, other, analyzer, terms=50)
    midpoint = midpoints(topic, relevant, other, analyzer, terms=50).block
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
def test_without_texts_of_both_kinds_there_is_none(about, apart):
    """Neither examples without blocks nor ones without a word of the topic may divide by nothing."""
    assert _half_way(about, apart) == 0.0


def test_no_page_is_compared_with_its_own_words(topic, make_page, analyzer):
    """Pages that share no word with each other, nor with the topic, say nothing about it."""
    words = [" ".join(f"{letter}{number}x" for letter in "bcdfghjk") for number in range(20)]
    pages = [make_page(f"https://a.example/{number}", body=body) for number, body in enumerate(words)]
    assert midpoints(topic, pages[:10], pages[10:], analyzer, terms=50) == COLD_MIDPOINTS


def linking(page, *links, block):
    """Put links (anchor, context) into a block of their own."""
    page.blocks.append(Block(block))
    page.links += [
        Link("http://a.example/", "", anchor, context, len(page.blocks) - 1) for anchor, context in links
    ]
    return page


def test_anchors_and_contexts_have_their_own(topic, relevant, other, analyzer):
    """They are learnt from links outside relevant blocks, by those that hold a word of the topic."""
    garlic, remark = analyzer.terms("garlic"), analyzer.terms("senate voted garlic committee")
    silent = (["x1"], ["x2"])
    noise = [f"x{number}" for number in range(200)]
    before = midpoints(topic, relevant, other, analyzer, terms=50)
    about = [linking(page, (garlic, garlic), silent, silent, block=noise) for page in relevant]
    apart = [linking(page, (remark, remark), silent, silent, silent, block=noise) for page in other]
    found = midpoints(topic, about, apart, analyzer, terms=50)
    vector = topic_vector(topic, relevant, other, analyzer, terms=50)
    high, low = vector.similarity(garlic), vector.similarity(remark)
    assert 0 < low < found.anchor < high
    assert found.context == pytest.approx(found.anchor)
    assert before.anchor == before.block / 2  # of examples without a link
    about = [
        linking(page, (garlic, garlic), block=garlic * 10) for page in relevant
    ]  # of relevant blocks: no say
    assert midpoints(topic, about, apart, analyzer, terms=50).anchor == pytest.approx(found.anchor, rel=0.05)
