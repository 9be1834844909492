"""The study of alarms and estimates watches each crawl as the crawl itself is watched."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import results_of
from benchmarks.studies import left
from benchmarks.studies.crawls import ClassifierCrawler, bench_of, taught, unsteered
from benchmarks.studies.estimate import WATCHED, measure, verdict
from benchmarks.studies.traces import trace
from focused_crawler.experiment.grid import find_subjects
from focused_crawler.experiment.training import prepare
from tests.experiment.hives import pages_about, write_hives


@pytest.fixture
def crawler(tmp_path):
    """Crawls of twenty pages of a small web, about one topic, with a taxonomy."""
    subjects = find_subjects([write_hives(tmp_path)], "bees,cars", None)
    bench = taught(unsteered(bench_of(tmp_path / "bench")), subjects)
    prepare(bench, subjects[0])
    return ClassifierCrawler(bench, subjects[0], 20)


def test_a_taxonomy_crawl_is_watched_by_its_taxonomy(crawler):
    """The monitor is given R(d) of each page in the order fetched; R(d) of 0.5 is a gain."""
    traced = trace(crawler, "a", "soft_focus", ())
    focus = crawler.analyst("soft_focus").focus
    rated = [focus(crawler.web.page(number)).relevance for number in traced.run.visits]
    assert [page.relevance for page in traced.seen] == pytest.approx(rated)
    assert [page.is_gain for page in traced.seen] == [value >= 0.5 for value in rated]
    assert rated != [crawler.known[number] for number in traced.run.visits]


@pytest.mark.parametrize("strategy", ["breadth_first", "soft_focus"])
def test_what_is_left_is_judged_as_what_is_fetched(crawler, strategy):
    """One judge for both, whether the strategy has a taxonomy or none."""
    traced, said = trace(crawler, "c", strategy, ()), verdict(crawler, strategy)
    assert [page.is_gain for page in traced.seen] == said[traced.run.visits].tolist()
    assert 0 < said.sum() < len(crawler.web)


def test_a_judge_of_links_changes_nothing(crawler):
    """Without a taxonomy all strategies have one judge, the topic's classifier."""
    scores, threshold = np.array(list(crawler.known.values())), crawler.analyst("lpe").model.threshold
    for strategy in ("breadth_first", "link_classifier"):
        assert np.array_equal(verdict(crawler, strategy), scores >= threshold)


def test_what_is_worth_saying(tmp_path):
    """Each crawl at each stage, without labels and with; alarms by its judge and by the truth."""
    report = left.measure(
        webs=str(write_hives(tmp_path)), topics="bees", folder=tmp_path / "bench", processes=1
    )
    grids, figures = results_of(left.measure, report)
    assert [grid.name for grid in grids] == ["left", "alarms_by"]
    found = report.rows["left"]
    for kind, strategies in left.STRATEGIES.items():
        for strategy in strategies:
            of_one = found.where(kind=kind, strategy=strategy)
            assert {row["given"] for row in of_one} == set(left.GIVEN)
            assert len(report.rows["alarms_by"].where(kind=kind, strategy=strategy, by="the truth")) == 2
    assert all(row["is_said"] or row["is_right"] is None for row in found)
    assert all(row["is_right"] for row in found if row["is_said"] and row["least"] and row["most"])
    assert all(0 <= value <= 1 for name, value in figures.items() if not np.isnan(value)), figures


def test_all_tables(tmp_path):
    """A row a crawl that is watched, the same number for each strategy; estimates at each stage."""
    report = measure(web=write_hives(tmp_path), topics="bees", folder=tmp_path / "bench", processes=1)
    grids, figures = results_of(measure, report)
    assert [grid.name for grid in grids] == ["methods", "stages", "alarms"]
    alarms = report.rows["alarms"]
    assert [len(alarms.where(strategy=name)) for name in WATCHED] == [2] * len(WATCHED)
    assert 0 <= figures["alarms_false"] <= figures["alarms"]
    assert max(report.rows["guesses"].measure("found").values) <= len(pages_about("bees"))
