"""Held-out examples by what was said of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.evaluation import THRESHOLDS, at_thresholds, reliability
from focused_crawler.classify.held_out import HeldOutPage

PAGES = st.lists(
    st.builds(
        HeldOutPage,
        url=st.just("https://a.example/"),
        is_relevant=st.booleans(),
        relevance=st.floats(0, 1),
        share=st.floats(0.01, 1),
        is_background=st.booleans(),
    ),
    min_size=1,
)


@given(PAGES)
def test_every_page_is_in_one_bin(pages):
    """The bins hold all pages and what they stand for, and what was said of them lies within."""
    bins = reliability(pages)
    assert sum(held.pages for held in bins) == len(pages)
    assert sum(held.share for held in bins) == pytest.approx(sum(page.share for page in pages))
    assert [held.low for held in bins] == sorted({held.low for held in bins})
    for held in bins:
        assert held.low - 1e-9 <= held.said <= held.high + 1e-9
        assert -1e-9 <= held.true <= 1 + 1e-9


def test_distances_from_the_diagonal_are_the_calibration_error(trained):
    """The plot shows the very figure of the table."""
    report = trained[1]
    error = sum(held.share * abs(held.said - held.true) for held in reliability(report.held_out))
    assert error == pytest.approx(report.overall.calibration_error)


def test_thresholds_trade_precision_for_recall(trained):
    """The higher, the fewer pages are taken; the row of the report's own threshold is its own."""
    report = trained[1]
    rows = at_thresholds(report.held_out)
    assert [float(row.name) for row in rows] == list(THRESHOLDS)
    recalls = [row.recall for row in rows]
    assert recalls == sorted(recalls, reverse=True)
    at_half = next(row for row in rows if row.name == "0.5")
    assert (at_half.precision, at_half.recall) == (report.overall.precision, report.overall.recall)
