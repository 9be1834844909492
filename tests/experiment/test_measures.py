from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.experiment.measures import (
    FINISHED,
    PAGES_SPENT,
    Case,
    Run,
    RunTable,
    Setting,
    WebTopic,
    area,
    harvest_rate,
    is_dry,
    milliseconds_per_page,
    oracle,
    target_recall,
    topics_of,
)
from focused_crawler.safety.errors import CrawlError
from focused_crawler.virtualweb.bounds import Bounds
from tests.experiment.random_runs import random_runs, settings

HERE = Setting("web", "topic", "a")
# Four targets behind one page: 0, 1, 2, 3, 4 are possible; the oracle that sees one step loses a page more.
BOUNDS = Bounds(
    targets=4,
    upper=np.array([0, 0, 1, 2, 3, 4, 4, 4, 4]),
    greedy=np.array([0, 0, 1, 2, 3, 4, 4, 4, 4]),
    one_step=np.array([0, 0, 0, 1, 2, 3, 4, 4, 4]),
)


def run(*hits: int, budget: int = 8, strategy: str = "lpe", setting: Setting = HERE, reason: str = "") -> Run:
    return Run(Case(*setting, strategy), np.array(hits, dtype=np.bool_), budget, 0.02, reason)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (area(0.5), 1 / 1),  # R = 0 1
        (area(), 4 / 6),  # R = 0 1 1 2
        (area(2.0), 12 / 22),  # R = 0 1 1 2 2 2 2 2: it ran dry after five pages
        (area(1.0, "one_step"), 4 / 3),
        (oracle("one_step"), 3 / 6),
        (oracle("greedy"), 1.0),
        (harvest_rate, 2 / 5),
        (target_recall, 2 / 4),
        (milliseconds_per_page, 4.0),
    ],
)
def test_a_run_in_numbers(measure, value) -> None:
    """Counted by hand."""
    assert measure(run(0, 1, 0, 1, 0), BOUNDS) == pytest.approx(value)


def test_a_budget_that_ends_early_ends_the_area() -> None:
    """Three of eight pages allowed: up to there, for the run and for its bound."""
    bounds = Bounds(4, BOUNDS.upper[:4], BOUNDS.greedy[:4], BOUNDS.one_step[:4])
    assert area(2.0)(run(0, 1, 1, budget=3), bounds) == 1.0


def test_a_run_without_pages_counts_nothing() -> None:
    """All seeds failed: no division by zero, and it is dry."""
    nothing = run(reason=FINISHED)
    figures = [measure(nothing, BOUNDS) for measure in (area(), harvest_rate, target_recall)]
    assert figures == [0.0, 0.0, 0.0]
    assert is_dry(nothing)
    assert not is_dry(run(*[0] * 8, reason=PAGES_SPENT))


def test_a_run_whose_budget_is_spent_is_not_dry() -> None:
    """Sitemaps are fetches of the budget, and no pages."""
    assert not is_dry(run(0, 1, 0, reason=PAGES_SPENT))


@given(st.lists(st.booleans(), max_size=8))
def test_areas_are_shares_of_what_is_possible(wishes) -> None:
    """Whatever a crawl finds that the bound allows: a share in [0, 1]."""
    hits: list[bool] = []
    for n, wish in enumerate(wishes, start=1):
        hits.append(wish and sum(hits) < BOUNDS.upper[n])
    assert all(0 <= area(targets)(run(*hits), BOUNDS) <= 1 for targets in (0.5, 1.0, 2.0))


def test_seed_sets_are_averaged_before_topics() -> None:
    """A topic with three seed sets weighs as much as one with one."""
    everywhere = [*settings(["w"], ["x"], "abc"), *settings(["w"], ["y"], "a")]
    runs = [run(*([1] * 8 if setting.topic == "x" else [0] * 8), setting=setting) for setting in everywhere]
    values = RunTable.of(runs, dict.fromkeys(everywhere, BOUNDS)).values(harvest_rate)
    assert [row.tolist() for row in values.by_topic().values()] == [[1.0, 0.0]]
    assert list(values.means().values()) == [0.5]


def test_topics_of_two_webs_are_two_topics() -> None:
    """The same name on another web is another task."""
    runs, bounds = random_runs(settings(["v", "w"], ["x"], "ab"), ["lpe"])
    assert topics_of(RunTable.of(runs, bounds).settings) == (WebTopic("v", "x"), WebTopic("w", "x"))


def test_the_ranking_is_that_of_means() -> None:
    """Best first; equal ones by name."""
    runs = [run(*hits, strategy=name) for name, hits in [("b", [0, 1]), ("c", [0, 1]), ("a", [0, 0])]]
    assert RunTable.of(runs, {HERE: BOUNDS}).values(area()).ranking() == ["b", "c", "a"]


def test_a_setting_that_one_strategy_lacks_counts_for_none() -> None:
    """It is left out, and it is said which strategy was not run there."""
    runs, bounds = random_runs(settings(["w"], ["x", "y"], "ab"), ["cbp", "lpe", "hmm"])
    without = [one for one in runs if one.case != Case("w", "y", "b", "lpe")]
    table = RunTable.of(without, bounds)
    assert table.left_out == {Setting("w", "y", "b"): "lpe not run"}
    assert table.settings == tuple(settings(["w"], ["x"], "ab") + settings(["w"], ["y"], "a"))
    assert table.values(area()).array.shape == (3, 3)


def test_a_setting_in_which_nothing_can_be_found_is_left_out() -> None:
    """A share of nothing would be 0 for all and lower every mean."""
    runs, bounds = random_runs(settings(["w"], ["x"], "ab"), ["cbp"])
    empty = np.zeros_like(bounds[runs[0].case.setting].upper)
    table = RunTable.of(runs, bounds | {runs[0].case.setting: Bounds(60, empty, empty, empty)})
    assert list(table.left_out) == [runs[0].case.setting]
    assert "no crawl can reach a relevant page" in table.left_out[runs[0].case.setting]


@pytest.mark.parametrize(
    ("strategies", "message"), [([], "there are no runs"), (["cbp"], r"w\.x\.a: its bounds are not known")]
)
def test_nothing_to_compare_ends_in_one_line(strategies, message) -> None:
    """It says what is missing and that the same command makes it."""
    runs, _ = random_runs(settings(["w"], ["x"], "a"), strategies)
    with pytest.raises(CrawlError, match=message) as caught:
        RunTable.of(runs, {})
    assert "the same scrapy experiment command again" in str(caught.value)
