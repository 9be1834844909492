"""The benchmark of the lists reckons as docs/lists.md says."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from benchmarks.lists import Row, _area, figures, summary


@pytest.mark.parametrize(
    ("hits", "area"), [([1, 1, 1, 1], 1.0), ([0, 0, 0, 0], 0.0), ([1], 0.4), ([0, 0, 0, 1], 0.1), ([], 0.0)]
)
def test_area_is_that_under_the_curve(hits, area):
    """Of what was found by page n, as a share of n; what was not fetched is not found."""
    assert _area(np.array(hits, dtype=bool), 4) == pytest.approx(area)


def test_topics_count_alike():
    """However many seed sets they have; a topic is better if its mean is."""
    ways = ("first", "seeds", "priors", "both")
    same = dict.fromkeys(ways, 0.5)
    rows = [
        Row("lpe", topic, name, 9, 1, same | {"both": both}, same, dict.fromkeys(ways, both / 10))
        for topic, name, both in (("a", "a", 0.9), ("a", "b", 0.4), ("b", "a", 0.45))
    ]
    assert figures(rows)["area_lpe_both"] == pytest.approx((0.65 + 0.45) / 2)
    assert figures(rows)["new_relevant_lpe_both"] == pytest.approx((0.065 + 0.045) / 2)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(summary(rows))
    text = console.export_text()
    assert "1 of 2" in text
    assert "1 of 3" in text
