from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from focused_crawler.classify.evaluation import ConfusionMatrix

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1)


@given(PAIRS)
def test_figures_agree_with_scikit_learn(pairs):
    """Another library computes the same numbers from the same decisions."""
    decided, truth = zip(*pairs, strict=True)
    matrix = ConfusionMatrix.from_pairs(pairs)
    assert matrix.accuracy == pytest.approx(accuracy_score(truth, decided))
    assert matrix.precision == pytest.approx(precision_score(truth, decided, zero_division=0))
    assert matrix.recall == pytest.approx(recall_score(truth, decided, zero_division=0))
    assert matrix.f1 == pytest.approx(f1_score(truth, decided, zero_division=0))


@given(PAIRS)
def test_f1_lies_between_precision_and_recall(pairs):
    """A mean is never outside what it averages."""
    matrix = ConfusionMatrix.from_pairs(pairs)
    low, high = sorted([matrix.precision, matrix.recall])
    assert low - 1e-12 <= matrix.f1 <= high + 1e-12


def test_nothing_decided_gives_zeros():
    """An empty matrix divides nothing by nothing and says 0."""
    empty = ConfusionMatrix()
    assert [empty.precision, empty.recall, empty.accuracy, empty.f1] == [0.0] * 4
