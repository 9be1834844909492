import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from focused_crawler.classify.evaluation import ReportRow, best_f1_threshold

PAGES = st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=20).filter(
    lambda pages: any(truth for _, truth in pages)
)


@given(PAGES)
def test_no_threshold_is_better(pages):
    """Of all thresholds from 0.5 on, none has a higher F1."""
    relevances = np.array([level / 10 for level, _ in pages])
    truth = np.array([truth for _, truth in pages])
    found = best_f1_threshold(relevances, truth)
    best = max(f1_score(truth, relevances >= level / 10, zero_division=0.0) for level in range(5, 11))
    assert found >= 0.5
    assert f1_score(truth, relevances >= found, zero_division=0.0) == pytest.approx(best)


def test_a_row_counts_and_compares():
    """Precision, recall, F1 and calibration of one set of pages."""
    truth = np.array([True, True, False, False])
    relevances = np.array([0.95, 0.35, 0.65, 0.05])
    row = ReportRow.of("all", truth, relevances >= 0.5, relevances)
    assert (row.relevant, row.other, row.precision, row.recall, row.f1) == (2, 2, 0.5, 0.5, 0.5)
    assert row.calibration_error == pytest.approx((0.05 + 0.65 + 0.65 + 0.05) / 4)
