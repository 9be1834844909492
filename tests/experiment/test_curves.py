from __future__ import annotations

import numpy as np
import pytest

from focused_crawler.experiment.curves import MeanCurves, harvest, recall, scale_of
from focused_crawler.experiment.measures import RunTable, harvest_rate, target_recall
from tests.experiment.random_runs import random_runs, settings

EVERYWHERE = settings(["w"], ["x", "y", "z"], "ab")


@pytest.fixture(scope="module")
def table() -> RunTable:
    return RunTable.of(*random_runs(EVERYWHERE, ["cbp", "lpe"]))


@pytest.mark.parametrize(("quantity", "measure"), [(harvest, harvest_rate), (recall, target_recall)])
def test_curves_end_with_the_final_figures(table, quantity, measure) -> None:
    """What a plot shows at its right edge is what the tables say."""
    progress = MeanCurves(table, table.settings)
    ends = [progress.of_strategy(strategy, quantity).mean[-1] for strategy in table.strategies]
    assert ends == pytest.approx(list(table.values(measure).means().values()))


def test_no_curve_is_above_the_upper_bound(table) -> None:
    """Means of what lies below lie below."""
    progress = MeanCurves(table, table.settings)
    upper = progress.of_bound("upper", recall)
    for strategy in table.strategies:
        assert (progress.of_strategy(strategy, recall).mean <= upper + 1e-12).all()


def test_bands_lie_around_their_means(table) -> None:
    """At every point of the axis."""
    band = MeanCurves(table, table.settings).of_strategy("lpe", recall)
    assert (band.low <= band.mean + 1e-12).all()
    assert (band.mean <= band.high + 1e-12).all()


def test_the_share_of_what_can_be_found_begins_where_something_can(table) -> None:
    """Nothing is divided by an upper bound of 0."""
    later = MeanCurves(table, table.settings).after_first_targets()
    first = max(int(np.argmax(table.bounds[setting].upper > 0)) for setting in table.settings)
    assert later.scale.points[0] * 60 == pytest.approx(first, abs=2)
    shares = later.share_of_upper("lpe").mean
    assert ((shares >= 0) & (shares <= 1 + 1e-12)).all()


@pytest.mark.parametrize(
    ("budget", "label", "last"),
    [(120, "pages fetched / |T|", 2), (90, "pages fetched / |T|", 1.5), (30, "pages fetched / budget", 1)],
)
def test_pages_are_told_in_targets_where_budgets_reach_them(budget, label, last) -> None:
    """60 targets: with a budget below that, shares of the budget are what topics have in common."""
    runs, bounds = random_runs(EVERYWHERE, ["lpe"], targets=60, budget=budget)
    scale = scale_of(RunTable.of(runs, bounds), EVERYWHERE)
    assert scale.label == label
    assert scale.points[-1] == pytest.approx(last)
    assert scale.pages(60, budget)[-1] == budget
    assert scale.pages(60, budget)[0] >= 1


def test_topics_of_different_size_share_an_axis() -> None:
    """After |T| pages is after 60 pages here, after 12 there."""
    scale = scale_of(RunTable.of(*random_runs(EVERYWHERE, ["lpe"])), EVERYWHERE)
    middle = len(scale.points) // 2 - 1
    assert [int(scale.pages(targets, 2 * targets)[middle]) for targets in (12, 60)] == [12, 60]
