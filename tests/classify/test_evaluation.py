import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from focused_crawler.classify.evaluation import ReportRow, cost_threshold, f1_threshold

RELEVANCES = st.lists(st.integers(1, 9), min_size=1, max_size=20)


@given(RELEVANCES)
def test_no_threshold_promises_a_better_f1(levels):
    """Of all thresholds none is better where pages are as often relevant as they are said to be."""
    relevances = np.array(levels) / 10
    found = f1_threshold(relevances, np.ones(len(levels)))
    truth = np.tile([True, False], len(levels))  # each page counts as both kinds, by its relevance
    counts = np.stack([relevances, 1 - relevances], axis=1).ravel()

    def f1(threshold):
        return f1_score(truth, np.repeat(relevances >= threshold, 2), sample_weight=counts)

    assert f1(found) == pytest.approx(max(map(f1, relevances)))


@given(st.floats(0.01, 100), st.floats(0.001, 0.999))
def test_the_cost_threshold_is_where_both_mistakes_cost_the_same(cost, relevance):
    """Taking a page costs less than leaving it exactly where its relevance reaches the threshold."""
    taking, leaving = cost * (1 - relevance), relevance
    if taking != pytest.approx(leaving):
        assert (relevance >= cost_threshold(cost)) == (taking < leaving)


def test_a_row_counts_and_compares():
    """Precision, recall, F1 and calibration of one set of pages."""
    truth = np.array([True, True, False, False])
    relevances = np.array([0.95, 0.35, 0.65, 0.05])
    row = ReportRow.of("all", truth, relevances >= 0.5, relevances)
    assert (row.relevant, row.other, row.precision, row.recall, row.f1) == (2, 2, 0.5, 0.5, 0.5)
    assert row.calibration_error == pytest.approx((0.05 + 0.65 + 0.65 + 0.05) / 4)


def test_a_page_may_stand_for_many():
    """Weights count pages: the mistake on an other page that stands for nine costs precision."""
    truth = np.array([True, False, False])
    relevances = np.array([0.9, 0.6, 0.2])
    row = ReportRow.of("all", truth, relevances >= 0.5, relevances, np.array([1.0, 9.0, 90.0]))
    assert (row.relevant, row.other) == (1, 2)
    assert (row.precision, row.recall, row.f1) == pytest.approx((0.1, 1.0, 2 / 11))
    assert row.calibration_error == pytest.approx((1 * 0.1 + 9 * 0.6 + 90 * 0.2) / 100)
