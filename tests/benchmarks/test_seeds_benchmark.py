"""The benchmark of start pages reckons as docs/research/seeds.md says."""

from __future__ import annotations

from benchmarks.harness import Report, results_of
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.seeds import Search, measure
from benchmarks.tables import Rows
from tests.experiment.hives import pages_about, write_hives


def test_start_pages_are_judged_by_ground_truth(tmp_path):
    """Without the topic's own; means are those of the topics."""
    web = write_hives(tmp_path)
    found = Search(*subjects_of(web, "bees")).found(5, 10)
    assert found["seeds"] == found["good"] > 5
    assert found["precision"] == 1.0
    assert found["pages"] == found["relevant"] <= len(pages_about("bees"))
    _, figures = results_of(measure, Report({"topics": Rows([found])}))
    assert figures["seeds_precision"] == 1.0
