from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.experiment.measures import Case, Run
from focused_crawler.experiment.report import RESULTS, STEPS, SUMMARY, steps, write_tables
from focused_crawler.virtualweb.bounds import Bounds


def run(hits: list[bool], budget: int) -> Run:
    return Run(Case("web", "bees", "a", "lpe"), np.array(hits, dtype=np.bool_), budget, 0.25, "finished")


def straight(budget: int, targets: int) -> Bounds:
    """Bounds of a web in which every relevant page can be had at once."""
    best = np.minimum(np.arange(budget + 1), targets)
    return Bounds(targets, best, best, best)


hits = st.lists(st.booleans(), max_size=60)


@given(hits, st.integers(0, 50))
def test_every_run_has_a_hundred_rows(found: list[bool], left: int) -> None:
    """They count what was fetched by then, and the last one all of it, dry or not."""
    one = run(found, max(1, len(found) + left))
    rows = list(steps(one, targets=60))
    assert len(rows) == STEPS
    assert rows[-1][4:6] == (len(found), sum(found))
    for step, (*_, pages, relevant, rate, recall) in enumerate(rows, start=1):
        assert pages == min(-(-step * one.budget // 100), len(found))
        assert relevant == sum(found[:pages])
        assert (float(rate) * pages, float(recall) * 60) == pytest.approx((relevant, relevant), abs=1e-4)


@given(hits)
def test_rows_can_be_added_up_by_pages_or_by_steps(found: list[bool]) -> None:
    """The rows of a dry end come again: they add nothing over pages, and keep R(n) over steps."""
    rows = list(steps(run(found, 100), targets=60))
    pages, relevant = [row[4] for row in rows], [row[5] for row in rows]
    assert all(after >= before for before, after in pairwise(pages))
    assert sum(relevant) == run(found, 100).relevant(100).sum()


def test_files_have_a_row_a_step_and_a_row_a_run(tmp_path: Path) -> None:
    """With the columns that docs/how-to/experiments.md names."""
    one = run([True, False, True, False], 8)
    setting = one.case.setting
    write_tables(tmp_path, [one], {setting: straight(8, 4)}, {setting: "the truth"})
    results = list(csv.DictReader((tmp_path / "results.csv").read_text().splitlines()))
    assert tuple(results[0]) == RESULTS
    assert len(results) == STEPS
    assert list(results[-1].values()) == ["web", "bees", "a", "lpe", "4", "2", "0.500000", "0.500000"]
    (summary,) = csv.DictReader((tmp_path / "summary.csv").read_text().splitlines())
    assert tuple(summary) == SUMMARY
    assert (summary["budget"], summary["targets"], summary["pages"], summary["relevant"]) == (
        "8",
        "4",
        "4",
        "2",
    )
    # R = 1, 1, 2, 2, 2, ... over 1, 2, 3, 4, 4, ...
    assert float(summary["area_upper_half"]) == pytest.approx(2 / 3)
    assert float(summary["area_upper_1"]) == pytest.approx(6 / 10)
    assert float(summary["area_upper_2"]) == pytest.approx(14 / 26)
    assert (summary["ms_per_page"], summary["reason"]) == ("62.500", "finished")
    assert summary["judged_by"] == "the truth"
