"""The benchmark of the lists reckons as docs/research/lists.md says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import Report, results_of
from benchmarks.studies.lists import area, by_topic, measure
from benchmarks.tables import Rows


@pytest.mark.parametrize(
    ("hits", "share"), [([1, 1, 1, 1], 1.0), ([0, 0, 0, 0], 0.0), ([1], 0.4), ([0, 0, 0, 1], 0.1), ([], 0.0)]
)
def test_area_is_that_under_the_curve(hits, share):
    """Of what was found by page n, as a share of n; what was not fetched is not found."""
    assert area(np.array(hits, dtype=bool), 4) == pytest.approx(share)


def test_topics_count_alike():
    """However many seed sets they have; a topic is better if its mean is."""
    rows = Rows()
    for topic, name, both in (("a", "a", 0.9), ("a", "b", 0.4), ("b", "a", 0.45)):
        setting = {"strategy": "lpe", "topic": topic, "seed_set": name, "rate": 0.5, "pages": 9, "seeds": 1}
        rows.append({**setting, "way": "first", "area": 0.5})
        second = {"area": both, "new": both / 10, "better": both > 0.5, "equal": False}
        rows.append({**setting, "way": "both", **second})
    grids, figures = results_of(measure, Report({"crawls": rows, "topics": by_topic(rows)}))
    assert figures["area_lpe_both"] == pytest.approx((0.65 + 0.45) / 2)
    assert figures["new_relevant_lpe_both"] == pytest.approx((0.065 + 0.045) / 2)
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    assert {"1 of 2", "1 of 3"} <= set(cells)
