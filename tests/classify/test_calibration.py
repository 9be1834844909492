import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.svm import LinearSVC

from focused_crawler.classify.calibration import (
    Bend,
    PlattScaling,
    expected_calibration_error,
    fit_platt,
    for_share,
    shares,
    sigmoid,
)

SCORES = st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=30)


def noisy(count=400, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.random(count) < 0.4
    return rng.normal(loc=np.where(truth, 1.0, -1.0), scale=1.5), truth


@given(SCORES, st.integers(1, 3))
def test_relevance_is_in_the_unit_interval_and_rises_with_the_score(scores, relevant):
    """Whatever the scores and labels, no higher score is less relevant."""
    scores = np.array(scores)
    scaling = fit_platt(scores, np.arange(len(scores)) < relevant)
    relevances = [scaling(score) for score in np.sort(scores)]
    assert all(0.0 <= value <= 1.0 for value in relevances)
    assert relevances == pytest.approx(sorted(relevances), rel=1e-12)  # but for the last digit


def test_it_is_platt_scaling():
    """Relevances are those of scikit-learn's sigmoid calibration."""
    scores, truth = noisy()
    machine = LinearSVC().fit(scores[:, np.newaxis], truth)
    margins = machine.decision_function(scores[:, np.newaxis])
    theirs = CalibratedClassifierCV(FrozenEstimator(machine), method="sigmoid", ensemble=False)
    theirs.fit(scores[:, np.newaxis], truth)
    expected = theirs.predict_proba(scores[:, np.newaxis])[:, 1]
    scaling = fit_platt(margins, truth)
    assert [scaling(margin) for margin in margins] == pytest.approx(expected, abs=1e-3)


def test_scaling_calibrates():
    """Held-out scores of any scale become relevances that come true as often as they say."""
    scores, truth = noisy()
    scaling = fit_platt(50 * scores[:200] + 7, truth[:200])
    relevances = np.array([scaling(score) for score in 50 * scores[200:] + 7])
    assert expected_calibration_error(relevances, truth[200:]) < 0.08


def test_separated_scores_have_a_finite_slope():
    """Perfect scores of a few examples do not make the crawl certain of everything."""
    scaling = fit_platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    assert 0.5 < scaling(1.0) < 0.99


@pytest.mark.parametrize("scores", [[1.0, 1.0, 1.0, 1.0], [2.0, 1.0, -1.0, -2.0]])
def test_useless_scores_make_every_page_alike(scores):
    """Scores that say nothing, or the contrary, are not followed."""
    scaling = fit_platt(np.array(scores), np.array([False, False, True, True]))
    assert scaling(-9.0) == scaling(9.0) == pytest.approx(0.5)


def test_weights_count_pages():
    """A page of weight three is three pages."""
    scores, truth = noisy(60)
    counts = np.where(np.arange(60) % 2, 3, 1)
    weighted = fit_platt(scores, truth, counts.astype(float))
    many = fit_platt(np.repeat(scores, counts), np.repeat(truth, counts))
    relevances = np.array([weighted(score) for score in scores])
    assert relevances == pytest.approx([many(score) for score in scores], abs=0.02)
    error = expected_calibration_error(np.repeat(relevances, counts), np.repeat(truth, counts))
    assert expected_calibration_error(relevances, truth, counts) == pytest.approx(error)


@given(st.floats(-5, 5), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_relevances_follow_the_share_of_relevant_pages(score, learnt, expected):
    """Only the odds change, by the ratio of the shares' odds, and the way back leads back."""
    scaling = PlattScaling(1.3, -0.4)
    moved = for_share(scaling, learnt, expected)
    ratio = expected / (1 - expected) / (learnt / (1 - learnt))
    assert odds(moved(score)) == pytest.approx(odds(scaling(score)) * ratio)
    assert for_share(moved, expected, learnt)(score) == pytest.approx(scaling(score))


def odds(share):
    return share / (1 - share)


@given(st.floats(-4, 4), st.floats(1, 3), st.floats(0.8, 1))
def test_a_bend_leaves_the_order_and_the_sides(score, below, most):
    """What is not relevant becomes less likely by a power of its odds, what is, surer than `most` never."""
    bend = Bend(below, most)
    plain, bent = PlattScaling(1.3, -0.4), PlattScaling(1.3, -0.4, bend)
    if plain(score) < 0.5:
        assert odds(bent(score)) == pytest.approx(odds(plain(score)) ** below)
    else:
        assert 0.5 <= bent(score) <= min(plain(score), most) + 1e-12
    assert bend.log_odds(bent(score)) == pytest.approx(1.3 * score - 0.4, abs=1e-6)


def test_shares_are_those_of_the_web():
    """Relevant pages stand for their share together, each by its weight, and the others for the rest."""
    truth = np.array([True, True, False, False, False])
    found = shares(truth, np.array([1.0, 1.0, 1.0, 0.3, 0.3]), 0.1)
    assert found == pytest.approx([0.05, 0.05, 0.9 / 1.6, 0.27 / 1.6, 0.27 / 1.6])


@pytest.mark.parametrize(("value", "expected"), [(-1e9, 0.0), (0.0, 0.5), (1e9, 1.0)])
def test_sigmoid_does_not_overflow(value, expected):
    """Any score has a relevance."""
    assert sigmoid(value) == expected


@pytest.mark.parametrize(
    ("relevances", "truth", "error"),
    [
        ([0.0, 1.0], [False, True], 0.0),
        ([1.0, 0.0], [False, True], 1.0),
        ([0.75, 0.75, 0.75, 0.75], [True, True, True, False], 0.0),
        ([0.25, 0.85], [True, True], 0.45),
    ],
)
def test_expected_calibration_error(relevances, truth, error):
    """The mean gap between what was said and what came true, over bins."""
    assert expected_calibration_error(np.array(relevances), np.array(truth)) == pytest.approx(error)
