from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from focused_crawler.experiment.checks import above_bound, check
from focused_crawler.experiment.measures import Case, Run
from focused_crawler.virtualweb.bounds import Bounds

STEEP = np.array([0, 0, 0, 1, 1, 2, 3, 4, 4, 4])


def run(hits: list[bool], budget: int) -> Run:
    return Run(Case("web", "bees", "a", "lpe"), np.array(hits, dtype=np.bool_), budget, 0.25)


def straight(budget: int, targets: int) -> Bounds:
    """Bounds of a web in which every relevant page can be had at once."""
    best = np.minimum(np.arange(budget + 1), targets)
    return Bounds(targets, best, best, best)


@pytest.mark.parametrize(
    ("hits", "budget", "first"),
    [
        ([False, False, True], 9, None),
        ([False, True], 9, 2),
        ([False, False, True, True], 9, 4),
        ([True], 9, 1),
        ([True], 0, None),
        ([], 9, None),
        ([False] * 20 + [True] * 5, 25, None),
    ],
)
def test_runs_above_the_bound_are_found(hits: list[bool], budget: int, first: int | None) -> None:
    """The first page count that cannot be is told; beyond the bounds' own budget nothing is known."""
    assert above_bound(run(hits, budget), Bounds(4, STEEP, STEEP, STEEP)) == first


def test_a_run_above_its_bound_is_told() -> None:
    """From which page on."""
    one, limit = run([True] * 4, 8), straight(8, 4)
    assert check([one], {one.case.setting: limit}).violations == []
    low = Bounds(4, limit.upper // 2, limit.greedy, limit.one_step)
    found = check([one], {one.case.setting: low})
    assert found.violations == ["web.bees.a.lpe has more relevant pages than possible, from page 1 on"]
    assert found.answers == [
        "Above the upper bound: 1 of 1 run.",
        "Controls: not run (shuffled and random).",
    ]


def test_a_control_that_knows_something_is_told() -> None:
    """Topic by topic, over three seed sets or more; a bench without the controls is not checked.

    It may be below random order by any amount.
    """
    blind, seeing = [True, False, False, False], [True, True, True, False]
    controls = {("bees", "random"): blind, ("bees", "shuffled"): blind, ("cars", "random"): blind}
    runs = [
        replace(run(found, 4), case=Case("web", topic, seed_set, strategy))
        for (topic, strategy), found in {**controls, ("cars", "shuffled"): seeing}.items()
        for seed_set in "abc"
    ]
    bounds = {one.case.setting: straight(4, 4) for one in runs}
    (line,) = check(runs, bounds).violations
    assert line.startswith("web/cars: shuffled has 0.90 of the upper bound's area, random has 0.40;")
    few = [one for one in runs if one.case.seed_set != "c"]
    some = [one for one in runs if one.case.topic == "bees" or one.case.seed_set != "c"]
    assert check(some, bounds).violations == check(few, bounds).violations == []
    assert [check(made, bounds).answers[1] for made in (runs, some, few, runs[9:], [])] == [
        "Controls: no better than random on 1 of 2 topics (shuffled).",
        "Controls: no better than random on 1 of 1 topics (shuffled);"
        " not asked on 1, with fewer than 3 seed sets.",
        "Controls: not asked, fewer than 3 seed sets.",
        "Controls: not run (shuffled and random).",
        "Controls: not run (shuffled and random).",
    ]
    assert check(runs, bounds).answers[0] == "No run is above the upper bound."


def test_each_shuffled_strategy_is_a_control_of_its_own() -> None:
    """Not only the default one; a strategy that is not shuffled is none."""
    hits = {"random": 1, "shuffled": 0, "shuffled:lpe": 3, "lpe": 4, "mine": 4}
    runs = [
        replace(run([n < many for n in range(4)], 4), case=Case("web", "bees", seed_set, strategy))
        for strategy, many in hits.items()
        for seed_set in "abc"
    ]
    found = check(runs, {one.case.setting: straight(4, 4) for one in runs})
    assert [line.partition(" has ")[0] for line in found.violations] == ["web/bees: shuffled:lpe"]
    assert found.answers[1] == "Controls: no better than random on 1 of 2 topics (shuffled, shuffled:lpe)."
