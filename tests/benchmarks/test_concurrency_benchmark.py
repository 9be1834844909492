"""The benchmark of concurrency really has pages in flight, and its figures say what the issue asks for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness import Report, results_of
from benchmarks.studies.concurrency import measure
from benchmarks.studies.concurrency import pair as side_by_side
from benchmarks.tables import Rows

ROOT = Path(__file__).resolve().parents[2]


def pair(topic, seed_set, one, many, strategy="lpe"):
    """Two crawls of ten pages."""
    crawls = [
        {"pages": 10, "harvest": harvest, "in_flight": flight}
        for harvest, flight in ((one, 1.0), (many, 16.0))
    ]
    about = {"web": "demo", "topic": topic, "seed_set": seed_set, "strategy": strategy}
    return about | side_by_side(*crawls)


def figures(pairs):
    return results_of(measure, Report({"pairs": Rows(pairs)}))[1]


@pytest.mark.slow
def test_a_small_run_gives_all_figures(demo_web, tmp_path):
    """One topic, trained and crawled: both crawls spend the budget, and one of them with many in flight."""
    path = tmp_path / "figures.json"
    command = [
        sys.executable,
        str(ROOT / "benchmarks/study.py"),
        "concurrency",
        str(demo_web),
        "--json",
        str(path),
    ]
    command += ["--topics", "football", "--seed-sets", "b", "--pages", "40", "--processes", "1"]
    command += ["--strategies", "best_first_content_anchor"]
    command += ["--latency", "1"]  # or a busy machine has a page back before it asks for the next one
    shown = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    found = json.loads(path.read_text())["figures"]
    assert 0 < found["harvest_16"] <= 1
    assert 0 < found["harvest_1"] <= 1
    assert found["ratio_16"] == pytest.approx(found["harvest_16"] / found["harvest_1"])
    assert found["in_flight"] > 2  # one at a time makes 1
    assert found["pairs"] == 1
    assert all(word in shown for word in ("football", "best_first_content_anchor", "ratio"))


def test_topics_count_alike_however_many_seed_sets_they_have():
    """The mean is one over topics, of the mean over each topic's seed sets."""
    pairs = [pair("a", "1", 0.5, 0.5), pair("a", "2", 0.5, 0.5), pair("b", "1", 0.5, 0.4)]
    assert figures(pairs)["ratio_16"] == pytest.approx(0.9)
    assert figures(pairs)["difference"] == pytest.approx(-0.05)


def test_strategies_of_a_setting_count_alike():
    """Two strategies in one setting make one value of it, not two."""
    pairs = [pair("a", "1", 0.5, 0.5), pair("a", "1", 0.5, 0.4, "cbp"), pair("b", "1", 0.5, 0.5)]
    assert figures(pairs)["ratio_16"] == pytest.approx(0.95)
    assert figures(pairs)["ratio_16_cbp"] == pytest.approx(0.8)


def test_a_crawl_that_finds_nothing_has_no_ratio():
    """It counts in the difference alone, and is not said to be apart."""
    pairs = [pair("a", "1", 0.0, 0.1), pair("b", "1", 0.5, 0.5)]
    assert pairs[0]["ratio"] is None
    found = figures(pairs)
    assert found["ratio_16"] == 1
    assert found["difference"] == pytest.approx(0.05)
    assert found["pairs_apart"] == 0


@pytest.mark.parametrize(("many", "is_apart"), [(0.48, True), (0.49, False), (0.51, False), (0.52, True)])
def test_more_than_three_percent_is_apart(many, is_apart):
    """Better by more is apart as well as worse by more."""
    assert pair("a", "1", 0.5, many)["apart"] is is_apart


def test_one_topic_gives_no_interval():
    """Nothing is made up where there is one topic only, and the file is JSON still."""
    found = figures([pair("a", "1", 0.5, 0.5)])
    assert "ratio_16" in found
    assert "ratio_16_low" not in found
    json.dumps(found, allow_nan=False)
