from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.report.summary import harvest_curve, moving_average, recall_curve

OUTCOMES = st.lists(st.booleans(), max_size=1200)


@given(OUTCOMES, st.integers(2, 500))
def test_a_harvest_curve_shows_true_rates(outcomes, max_points):
    """Thinning leaves out points and bends none; the last page is always there."""
    curve = harvest_curve(outcomes, max_points)
    assert len(curve.pages) <= max_points
    assert curve.pages[-1:] == (() if not outcomes else (len(outcomes),))
    for pages, value in zip(curve.pages, curve.values, strict=True):
        assert value == pytest.approx(sum(outcomes[:pages]) / pages)


@given(OUTCOMES.filter(any))
def test_a_recall_curve_rises_to_the_final_recall(outcomes):
    """Recall never falls, and ends at found / targets."""
    curve = recall_curve(outcomes, targets=2000)
    assert list(curve.values) == sorted(curve.values)
    assert curve.values[-1] == pytest.approx(sum(outcomes) / 2000)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(1, 50))
def test_a_moving_average_looks_back_so_many_pages(values, window):
    """Each point is the plain mean of the last pages."""
    curve = moving_average(values, window)
    for pages, value in zip(curve.pages, curve.values, strict=True):
        last = values[max(pages - window, 0) : pages]
        assert value == pytest.approx(sum(last) / len(last), abs=1e-9)


def test_a_crawl_without_pages_has_empty_curves():
    """Nothing fetched is drawn as nothing."""
    assert harvest_curve([]) == recall_curve([], 3) == moving_average([], 5) == ((), ())
