"""An experiment read back from its tables says what its report says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from focused_crawler.experiment.measures import Case, Run, RunTable, area
from focused_crawler.experiment.outcome import is_experiment, read_outcome
from focused_crawler.experiment.ranking import comparisons, ranked
from focused_crawler.experiment.report import write_tables
from focused_crawler.safety.errors import CrawlError
from focused_crawler.virtualweb.bounds import Bounds


def made(folder: Path) -> RunTable:
    """Three strategies on three topics of one web, from two seed sets."""
    numbers = np.random.default_rng(3)
    upper = np.minimum(np.arange(101), 50)
    runs, bounds = [], {}
    for topic in ("a", "b", "c"):
        for seed_set in ("1", "2"):
            for share, strategy in ((0.6, "lpe"), (0.3, "breadth_first"), (0.5, "mine")):
                case = Case("web", topic, seed_set, strategy)
                runs.append(Run(case, numbers.random(100) < share, 100, 0.1, "budget"))
            bounds[case.setting] = Bounds(50, upper, upper, upper)
    write_tables(folder, runs, bounds, dict.fromkeys(bounds, "the web's ground truth"))
    (folder / "experiment.json").write_text("{}")
    return RunTable.of(runs, bounds)


def test_it_is_what_its_report_says(tmp_path: Path) -> None:
    """Ranking, intervals and comparisons; curves end at the mean target recall."""
    table = made(tmp_path)
    outcome = read_outcome(tmp_path)
    assert (outcome.topics, outcome.settings, outcome.left_out) == (3, 6, 0)
    assert outcome.judges == ("the web's ground truth",)
    for one, other in zip(outcome.strategies, ranked(table), strict=True):
        assert one.name == other.name
        assert one.area == pytest.approx(other.interval, abs=1e-5)
    assert [(one.strategy, one.baseline, one.wins) for one in outcome.comparisons] == [
        (one.strategy, one.baseline, one.wins) for one in comparisons(table)
    ]
    recall = table.values(lambda run, bounds: run.hits.sum() / bounds.targets).means()
    for one in outcome.strategies:
        assert len(one.curve) == 100
        assert one.curve[-1] == pytest.approx(recall[one.name], abs=1e-5)
    assert table.values(area()).ranking() == [one.name for one in outcome.strategies]


def test_settings_without_all_strategies_are_left_out(tmp_path: Path) -> None:
    """As in the report."""
    made(tmp_path)
    path = tmp_path / "summary.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    outcome = read_outcome(tmp_path)
    assert (outcome.settings, outcome.left_out) == (5, 1)


def test_what_is_no_experiment_is_said(tmp_path: Path) -> None:
    """With the command that makes one; broken tables, too."""
    assert not is_experiment(tmp_path)
    with pytest.raises(CrawlError, match="holds no experiment that has ended; scrapy experiment makes one"):
        read_outcome(tmp_path)
    made(tmp_path)
    (tmp_path / "summary.csv").write_text("web,topic\nx,y\n")
    with pytest.raises(CrawlError, match="its tables cannot be read"):
        read_outcome(tmp_path)
