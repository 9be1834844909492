"""Old and new model on the same labels."""

import numpy as np
import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.paired import Paired
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import Trained, train

SETTINGS = ClassifierSettings()


def model_of(relevant, other, topic, analyzer, folder, settings=SETTINGS):
    train(topic, relevant, other, settings, analyzer)[0].save(folder)
    return TopicModel.load(folder)


@pytest.fixture
def new(topic, relevant, other, analyzer):
    return Trained(*train(topic, relevant, other, SETTINGS, analyzer), relevant, other)


def test_who_learnt_the_same_is_the_same(new, topic, relevant, other, analyzer, tmp_path):
    """Each page is judged by what has not seen it, so that knowing its label is of no use."""
    old = model_of(relevant, other, topic, analyzer, tmp_path)
    found = Paired.of(old, new, topic, analyzer)
    assert (found.unseen, found.only_old, found.only_new) == (0, 0, 0)
    assert found.f1.old == found.f1.new == pytest.approx(new.report.rows[-1].f1, abs=0.05)
    assert found.f1.low < found.f1.difference == 0 < found.f1.high  # other pages may tell them apart
    assert found.verdict == "the new one judges them as the old one does"


def test_wrong_labels_are_found_out(new, topic, relevant, other, analyzer, tmp_path):
    """A model that learnt many pages upside down is worse, beyond chance."""
    half, third = len(relevant) // 2, len(other) // 3
    old = model_of(
        [*relevant[:3], *other[:third]], [*relevant[3:half], *other[third:]], topic, analyzer, tmp_path
    )
    found = Paired.of(old, new, topic, analyzer)
    assert found.unseen == len(relevant) - half
    assert found.relevant + found.other == len(relevant) + len(other)


def test_a_model_of_words_is_asked_as_it_is(new, topic, analyzer):
    """Nothing is new to it, and nothing known."""
    old = TopicModel.cold(topic, analyzer)
    found = Paired.of(old, new, topic, analyzer)
    assert found.unseen == found.relevant + found.other


def test_too_few_to_be_made_again_leaves_what_is_new(new, topic, relevant, other, analyzer, tmp_path):
    """One page of a kind is not enough for folds: only what the old model has not seen is compared."""
    old = model_of(relevant[:2], other[:2], topic, analyzer, tmp_path)
    fewer = Trained(*train(topic, relevant[1:], other, SETTINGS, analyzer), relevant[1:], other)
    found = Paired.of(old, fewer, topic, analyzer)
    assert found.unseen == found.relevant + found.other == len(relevant) + len(other) - 4


def test_pseudo_examples_compare_with_nothing(topic, relevant, other, analyzer, new):
    """Nobody labelled them."""
    assert Paired.of(TopicModel.cold(topic, analyzer), new._replace(report=None), topic, analyzer) is None


def test_figures_and_intervals():
    """By hand: of 40 relevant pages 20 and 40 are found, of 100 others 10 and none; a tenth is relevant."""
    truth = np.array([True] * 40 + [False] * 100)
    by_old = np.array([*[True] * 20, *[False] * 20, *[True] * 10, *[False] * 90])
    found = Paired._measured(truth, by_old, truth, 14, 0.1)
    assert found.recall[:2] == (0.5, 1.0)
    assert found.precision.old == pytest.approx(0.05 / (0.05 + 0.9 * 0.1))
    assert found.f1.old == pytest.approx(2 * 0.05 / (0.05 + 0.09 + 0.1))
    assert found.f1.new == found.precision.new == 1.0
    assert (found.relevant, found.other, found.only_old, found.only_new) == (40, 100, 0, 30)
    assert found.is_better
    assert found.is_certain
    assert found.recall.old_low < 0.5 < found.recall.old_high <= 1
    assert 0 < found.f1.low < found.f1.difference < found.f1.high <= 1
    assert found == Paired._measured(truth, by_old, truth, 14, 0.1)


def test_what_was_not_seen_may_come():
    """No mistake among few pages does not mean that there is none; three pages do not say who is better."""
    truth = np.array([True] * 4 + [False] * 10)
    by_old = np.array([True, True, False, False, True, *[False] * 9])
    found = Paired._measured(truth, by_old, truth, 14, 0.1)
    assert found.is_better
    assert not found.is_certain
    for one in (found.f1, found.precision, found.recall):
        assert 0.1 < one.new_low < 0.9 < one.new == one.new_high == 1.0


@pytest.mark.parametrize(("recall", "fallout"), [(0.8, 0.01), (0.8, 0.05), (0.95, 0.02)])
def test_equal_judges_are_seldom_called_certain(recall, fallout):
    """One pair in ten at most; and the interval of either's precision holds the true one in nine of ten."""
    numbers = np.random.default_rng(6)
    truth = np.array([True] * 30 + [False] * 60)
    true = 0.1 * recall / (0.1 * recall + 0.9 * fallout)
    certain = within = 0
    for _ in range(200):
        drawn = [np.where(truth, numbers.random(90) < recall, numbers.random(90) < fallout) for _ in range(2)]
        found = Paired._measured(truth, *drawn, 90, 0.1)
        certain += found.is_certain
        within += found.precision.new_low <= true <= found.precision.new_high
    assert certain <= 20
    assert within >= 180


@pytest.mark.parametrize("seed", range(3))
def test_intervals_hold(seed):
    """Of two judges whose true difference is known: in nine of ten draws of labels, it lies within."""
    numbers = np.random.default_rng(seed)
    truth = np.array([True] * 60 + [False] * 120)
    recalls, fallout, share = (0.6, 0.8), 0.05, 0.1

    def f1(recall):
        return 2 * share * recall / (share * recall + (1 - share) * fallout + share)

    within = 0
    for _ in range(60):
        drawn = [np.where(truth, numbers.random(180) < one, numbers.random(180) < fallout) for one in recalls]
        found = Paired._measured(truth, *drawn, 180, share).f1
        within += found.low <= f1(recalls[1]) - f1(recalls[0]) <= found.high
    assert within >= 50
