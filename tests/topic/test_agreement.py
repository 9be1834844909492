from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from focused_crawler.topic.agreement import agree, alpha, cohen_kappa


def answers(*given):
    """Page 1, 2, 3, ...; None: undecided, ...: left empty."""
    return {page: answer for page, answer in enumerate(given, 1) if answer is not ...}


def test_kappa_is_cohens():
    """50 pages, both yes 20, both no 15, five and ten apart: 0.4 (the usual textbook case)."""
    first = answers(*[True] * 20, *[True] * 5, *[False] * 10, *[False] * 15)
    second = answers(*[True] * 20, *[False] * 5, *[True] * 10, *[False] * 15)
    pair = agree("a", "b", {"a": first, "b": second})
    assert pair == ("a", "b", 50, 35, pytest.approx(0.4))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_kappa_is_scikit_learns(pairs):
    """Of any answers that are not all the same."""
    kappa = cohen_kappa(pairs)
    if len({answer for pair in pairs for answer in pair}) < 2:
        assert kappa is None
    else:
        assert kappa == pytest.approx(float(cohen_kappa_score(*zip(*pairs, strict=True))))


def test_pairs_are_compared_where_both_decided():
    """Undecided and empty cells say nothing."""
    first, second = answers(True, None, False, True, ...), answers(True, True, None, ..., False)
    assert agree("a", "b", {"a": first, "b": second})[2:] == (1, 1, None)


def test_no_kappa_where_both_always_say_the_same():
    """Chance alone would have them agree: there is nothing to divide by."""
    same = answers(True, True)
    assert agree("a", "b", {"a": same, "b": same}).kappa is None
    assert alpha([same, same]) is None


def test_alpha_is_krippendorffs():
    """His example of two observers, ten units and two values (Computing Krippendorff's alpha, 2011)."""
    first = answers(*map(bool, [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]))
    second = answers(*map(bool, [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]))
    assert alpha([first, second]) == pytest.approx(0.095, abs=5e-4)


def test_alpha_takes_judges_with_gaps():
    """It counts what at least two of them decided; one who judged by himself changes nothing."""
    first, second = answers(True, False, True, False), answers(True, False, False, False)
    alone = {9: True, 10: None}
    assert alpha([first, second, alone]) == pytest.approx(alpha([first, second]))
    assert alpha([first, alone]) is None
    assert alpha([{}, {}]) is None


judge = st.dictionaries(st.integers(1, 12), st.sampled_from([True, False, None]), max_size=12)


@given(st.lists(judge, min_size=2, max_size=4))
def test_agreement_is_at_most_one(judges):
    """Whoever left out what; and the order of judges says nothing."""
    names = {str(number): answers for number, answers in enumerate(judges)}
    pair = agree("0", "1", names)
    assert pair.kappa is None or -1 <= pair.kappa <= 1 + 1e-9
    found = alpha(judges)
    assert found is None or found <= 1 + 1e-9
    assert found == (None if found is None else pytest.approx(alpha(judges[::-1])))
