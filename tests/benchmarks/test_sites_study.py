"""The study of an order that wants sites tells sites from pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.crawls import prepared, subjects_of
from benchmarks.studies.sites import crawls
from focused_crawler.experiment.grid import choose_seed_sets


@pytest.mark.slow
def test_a_discount_finds_hosts_sooner_and_pages_later(demo_web: Path, tmp_path: Path) -> None:
    subjects = choose_seed_sets(subjects_of(demo_web, "finance"), "a")
    bench = prepared(tmp_path, subjects, 1)
    pages_alone, sites = crawls(bench, (subjects[0], "a"), (0.0, 1.0))
    assert sites["hosts"] >= pages_alone["hosts"]
    assert sites["area"] < pages_alone["area"]
    assert (pages_alone["change"], sites["change"]) == (0.0, sites["area"] - pages_alone["area"])
