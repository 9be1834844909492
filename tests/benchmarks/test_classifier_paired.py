"""F1 and the paired bootstrap of the classifier benchmark are what a hand or a library finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score

from benchmarks.studies.text_sets import macro_f1, paired_difference, topic_f1
from benchmarks.studies.weighting import best_threshold

DECISIONS = st.tuples(st.integers(1, 30), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(*[arrays(np.bool_, shape)] * 3)
)


def test_f1_by_hand():
    """Two of three found and one taken by mistake; the other topic has neither."""
    truth = np.array([[1, 0], [1, 0], [1, 0], [0, 0]], dtype=bool)
    decided = np.array([[1, 0], [1, 0], [0, 0], [1, 0]], dtype=bool)
    assert topic_f1(truth, decided) == pytest.approx([2 / 3, 0])
    assert macro_f1(truth, decided) == pytest.approx(1 / 3)


@given(DECISIONS)
def test_macro_f1_is_that_of_scikit_learn(three):
    """Also where a topic has no document."""
    truth, decided, _ = three
    expected = np.mean([f1_score(*pair, zero_division=0) for pair in zip(truth.T, decided.T, strict=True)])
    assert macro_f1(truth, decided) == pytest.approx(expected)


@given(DECISIONS)
def test_the_other_way_round_the_difference_has_the_other_sign(three):
    """Mean and both intervals are mirrored."""
    truth, first, second = three
    one = paired_difference(truth, first, second, draws=50)
    other = paired_difference(truth, second, first, draws=50)
    mirrored = [-other.mean, -other.high, -other.low, -other.high_topics, -other.low_topics]
    assert list(one) == pytest.approx(mirrored)


@given(DECISIONS)
def test_one_classifier_does_not_differ_from_itself(three):
    """Whatever documents are drawn."""
    truth, decided, _ = three
    assert set(paired_difference(truth, decided, decided, draws=20)) == {0.0}


def test_the_interval_is_as_wide_as_chance():
    """Of 400 documents of one topic, one classifier misses a tenth, give or take 1.5 %."""
    truth = np.ones((400, 1), dtype=bool)
    decided = truth.copy()
    decided[:40] = False
    found = paired_difference(truth, truth, decided)
    assert found.mean == pytest.approx(18 / 19 - 1)
    assert found.low == pytest.approx(found.mean - 0.016, abs=0.003)
    assert found.high == pytest.approx(found.mean + 0.016, abs=0.003)
    assert found.low_topics == found.low  # there is one topic only to draw


def test_topics_that_disagree_make_the_wider_interval_wider():
    """One topic gains what the other loses: which topics there are matters more than which documents."""
    truth = np.ones((400, 2), dtype=bool)
    first, second = truth.copy(), truth.copy()
    first[:40, 0] = False
    second[40:80, 1] = False
    found = paired_difference(truth, first, second)
    assert found.mean == pytest.approx(0)
    assert found.low_topics < 2 * found.low < 0 < 2 * found.high < found.high_topics


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=30))
def test_no_threshold_has_a_higher_f1(pairs):
    """Every other place to cut gives as much at most; equal scores are not parted."""
    scores = np.array([float(score) for score, _ in pairs])
    truth = np.array([is_relevant for _, is_relevant in pairs])

    def f1(threshold):
        return macro_f1(truth[:, np.newaxis], (scores >= threshold)[:, np.newaxis])

    best = f1(best_threshold(scores, truth))
    assert best >= max(f1(score) for score in scores) - 1e-12
