from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.experiment.measures import RunTable, Values, area
from focused_crawler.experiment.statistics import TIE, Resampling, compare, holm, intervals, wins
from tests.experiment.random_runs import TOPICS, random_runs, settings

EIGHT = tuple(settings(["w"], TOPICS, "abcde"))


def values_of(rows: dict[str, list[float]], seed_sets: str = "a") -> Values:
    """One value a topic, the same for each of its seed sets."""
    topics = [f"t{number}" for number in range(len(next(iter(rows.values()))))]
    array = np.repeat(np.array(list(rows.values())), len(seed_sets), axis=1)
    return Values(tuple(rows), tuple(settings(["w"], topics, seed_sets)), array)


def test_weights_are_those_of_means() -> None:
    """Each topic weighs the same, whatever its seed sets; every draw is a mean too."""
    uneven = [*settings(["v"], ["x"], "abcd"), *settings(["w"], ["x"], "a")]
    resampling = Resampling.of(uneven)
    assert resampling.mean.tolist() == [1 / 8] * 4 + [1 / 2]
    assert np.allclose(resampling.draws.sum(axis=1), 1)
    assert np.allclose(resampling.draws.mean(axis=0), resampling.mean, atol=0.02)


def test_draws_resample_topics_then_seed_sets() -> None:
    """In 2^2 draws of topics one is missing in half of them; then all its seed sets are."""
    draws = Resampling.of(settings(["w"], ["x", "y"], "ab")).draws
    first = draws[:, :2].sum(axis=1)
    assert sorted(set(first.tolist())) == [0, 0.5, 1]
    assert (first == 0).mean() == pytest.approx(0.25, abs=0.02)
    assert (draws[first == 0.5][:, 0] == 0.25).mean() == pytest.approx(0.5, abs=0.02)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Of 400 experiments with 8 topics and 5 seed sets about 95 % have the true mean in their interval."""
    chance = np.random.default_rng(7)
    topics = np.repeat(chance.normal(0, 0.15, (8, 400)), 5, axis=0)
    band = Resampling.of(EIGHT).band(topics + chance.normal(0, 0.1, (40, 400)))
    assert 0.92 <= ((band.low <= 0) & (band.high >= 0)).mean() <= 0.99


def test_p_values_are_small_as_seldom_as_they_say() -> None:
    """Where there is no difference, about 5 % of p values are below 0.05, and next to none below 0.001."""
    chance = np.random.default_rng(8)
    resampling = Resampling.of(EIGHT)
    differences = np.repeat(chance.normal(0, 0.1, (400, 8)), 5, axis=1) + chance.normal(0, 0.05, (400, 40))
    p_values = np.array([resampling.p_value(row) for row in differences])
    assert 0.02 <= (p_values < 0.05).mean() <= 0.09
    assert (p_values < 0.001).mean() <= 0.01


def test_an_interval_lies_around_its_mean_and_within_its_topics() -> None:
    """It is made of means of topics: nothing outside of them can be in it."""
    found = intervals(values_of({"lpe": [0.2, 0.5, 0.6, 0.9]}))["lpe"]
    assert found.mean == pytest.approx(0.55)
    assert 0.2 <= found.low < found.mean < found.high <= 0.9


def test_the_same_experiment_has_the_same_intervals() -> None:
    """Nothing of chance is left: reports can be compared."""
    values = RunTable.of(*random_runs(EIGHT, ["cbp", "lpe"])).values(area())
    assert intervals(values) == intervals(values)


def test_one_topic_has_no_interval() -> None:
    """Five seed sets of one topic say nothing of other topics."""
    one = Values(("a", "b"), EIGHT[:5], np.random.default_rng(1).random((2, 5)))
    assert not intervals(one)["a"].is_known
    comparison = compare(one, "a")[0]
    assert math.isnan(comparison.p)
    assert math.isnan(comparison.p_holm)
    assert comparison.wins + comparison.ties + comparison.losses == 1


def test_pairs_take_out_what_is_hard_for_all() -> None:
    """Topics differ by 0.8, the strategies by 0.05 on each of them: their difference is certain."""
    values = values_of({"a": [0.1, 0.3, 0.5, 0.9], "b": [0.15, 0.35, 0.55, 0.95]})
    own, comparison = intervals(values)["b"], compare(values, "a")[0]
    assert own.high - own.low > 0.3
    assert comparison.difference.high - comparison.difference.low < 1e-9
    assert comparison.p < 0.001
    assert comparison[-3:] == (4, 0, 0)


@pytest.mark.parametrize(
    ("differences", "outcomes"),
    [
        ([0.02, -0.02, 0.0, 0.009, -0.009], (1, 3, 1)),
        ([TIE, TIE / 2, -TIE], (1, 1, 1)),
        ([0.0, 0.0], (0, 2, 0)),
    ],
)
def test_less_than_a_hundredth_is_a_tie(differences, outcomes) -> None:
    """Topics are won and lost by differences that someone could notice."""
    assert compare(values_of({"a": [0.0] * len(differences), "b": differences}), "a")[0][-3:] == outcomes


def test_equal_strategies_do_not_differ() -> None:
    """p is 1, not undefined."""
    comparison = compare(values_of({"a": [0.1, 0.7], "b": [0.1, 0.7]}), "a")[0]
    assert (comparison.p, comparison.difference.mean, comparison.ties) == (1.0, 0.0, 2)


shares = st.floats(0, 1, width=16)


@given(st.lists(st.tuples(shares, shares), min_size=2, max_size=6))
def test_a_loss_is_a_win_read_from_the_other_side(pairs) -> None:
    """Turned around, a comparison has the same numbers with the other sign."""
    first, second = map(list, zip(*pairs, strict=True))
    values = values_of({"a": first, "b": second})
    (there,), (back,) = compare(values, "a"), compare(values, "b")
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert there.p == pytest.approx(back.p)
    assert there.difference.mean == pytest.approx(-back.difference.mean)
    assert there.difference.low == pytest.approx(-back.difference.high, abs=1e-9)
    assert wins(values)["b", "a"] == there[-3:]
    assert wins(values)["a", "b"] == back[-3:]


def test_losses_are_listed_like_wins() -> None:
    """Every strategy is compared with every baseline once, whoever is better."""
    values = values_of({"a": [0.5, 0.6], "b": [0.1, 0.3], "c": [0.8, 0.7]})
    pairs = [(one.strategy, one.baseline) for one in compare(values, "b", "a")]
    assert pairs == [("c", "b"), ("a", "b"), ("c", "a")]
    assert [one.losses for one in compare(values, "c")] == [2, 2]


def test_all_comparisons_are_corrected_together() -> None:
    """More baselines mean more chances to be wrong, and larger p values."""
    values = RunTable.of(*random_runs(EIGHT, ["a", "b", "c", "d"])).values(area())
    both = compare(values, "a", "b")
    assert [one.p_holm for one in both] == holm([one.p for one in both])
    one_only = {one.strategy: one.p_holm for one in compare(values, "a")}
    assert all(one.p_holm >= one_only[one.strategy] for one in both if one.baseline == "a")


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # the table of Holm's procedure, by hand
        ([0.001, 0.01, 0.02, 0.4], [0.004, 0.03, 0.04, 0.4]),
        ([0.6, 0.7], [1.0, 1.0]),
    ],
)
def test_holm_by_hand(p_values, corrected) -> None:
    """The smallest of n by n, the next by n - 1, ...; never below one that was smaller."""
    assert holm(p_values) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_order_and_never_helps(p_values) -> None:
    """Corrected values lie between p and Bonferroni's, in the order of p."""
    corrected = holm(p_values)
    for p, new in zip(p_values, corrected, strict=True):
        assert p <= new <= min(1.0, len(p_values) * p) + 1e-12
    ranks = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(corrected)[ranks]) >= 0).all()
