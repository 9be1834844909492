"""Estimates of relevant pages: what they promise of any crawl, and how often they hold on made-up ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.crawl.judged import Interval, Judged, LabelSet, estimate
from focused_crawler.crawl.relevant_share import HeldOutCounts
from focused_crawler.report.estimated import about_relevant

WRONG = 0.05
GOOD = HeldOutCounts(27, 3, 3, 57)


def made_up(seed, pages=800, hosts=25, skill=2.0):
    """Return a crawl whose hosts keep to their subjects, more or less, and its truth."""
    chance = np.random.default_rng(seed)
    host = chance.integers(0, hosts, pages)
    of_host = chance.beta(0.4, 0.6, hosts)
    truth = chance.random(pages) < of_host[host]
    odds = skill * (truth - 0.5) + 0.8 * chance.standard_normal(pages) - 0.3
    relevance = 1 / (1 + np.exp(-odds))
    return Judged(relevance, relevance >= 0.5, host), truth


def labelled(truth, number, seed=0, is_random=True, wrong=WRONG):
    """Return labels of random pages by somebody who errs."""
    chance = np.random.default_rng(seed)
    index = chance.permutation(len(truth))[:number]
    said = truth[index] ^ (chance.random(len(index)) < wrong)
    return LabelSet(index, said, np.full(len(index), is_random))


def width(interval):
    return interval.high - interval.low


crawls = st.integers(1, 60).flatmap(
    lambda pages: st.tuples(
        st.lists(st.floats(0, 1), min_size=pages, max_size=pages),
        st.lists(st.booleans(), min_size=pages, max_size=pages),
        st.lists(st.integers(0, 5), min_size=pages, max_size=pages),
        st.lists(st.booleans(), max_size=pages),
        st.booleans(),
    )
)
held_outs = st.none() | st.builds(HeldOutCounts, *[st.floats(0, 60)] * 4)


@settings(max_examples=40, deadline=None)
@given(crawls, held_outs, st.booleans())
def test_an_interval_holds_its_estimate_and_what_is_possible(crawl, held_out, has_hosts):
    """Whatever was crawled, judged and labelled; and the same again."""
    relevance, called, host, answers, is_random = crawl
    judged = Judged(np.array(relevance), np.array(called), np.array(host) if has_hosts else None)
    index = np.arange(len(answers))
    labels = LabelSet(index, np.array(answers, dtype=bool), np.full(len(index), is_random))
    found = estimate(judged, labels, held_out)
    for interval, most in ((found.relevant, len(called)), *((share, 1) for share in shares(found))):
        assert 0 <= interval.low <= interval.value <= interval.high <= most
    assert 0 <= found.to_halve <= len(called) - len(answers)
    assert found.labels == len(answers)
    assert found == estimate(judged, labels, held_out)


def shares(found):
    return found.harvest_rate, found.precision, found.recall


@pytest.mark.parametrize("held_out", [None, GOOD], ids=["words", "examples"])
def test_labels_narrow_what_was_known_before(held_out):
    """In the mean of crawls; the first twenty most."""
    widths = [
        np.mean([width(estimate(judged, labelled(truth, number, seed), held_out).harvest_rate)
                 for seed, (judged, truth) in enumerate(map(made_up, range(6)))])
        for number in (0, 20, 80, 320)
    ]  # fmt: skip
    assert widths[0] > 1.2 * widths[1] > 1.5 * widths[2] > 2 * widths[3]


@pytest.mark.parametrize("number", [0, 20, 100])
def test_intervals_hold_on_crawls_of_another_kind(number):
    """Made up by other rules than the model's, with labels that err: 95 % in the long run, 90 % here."""
    held = []
    for seed in range(40):
        judged, truth = made_up(seed)
        interval = estimate(judged, labelled(truth, number, seed)).harvest_rate
        held.append(interval.low <= truth.mean() <= interval.high)
    assert np.mean(held) >= 0.9


def test_precision_and_recall_are_the_judges():
    """With labels enough both are known, whatever the crawler says of itself."""
    judged, truth = made_up(1, skill=1.0)
    found = estimate(judged, labelled(truth, 600))
    hits = (truth & judged.is_relevant).sum()
    assert found.precision.low <= hits / judged.is_relevant.sum() <= found.precision.high
    assert found.recall.low <= hits / truth.sum() <= found.recall.high
    assert width(found.precision) < 0.12 > width(found.recall)


def test_all_pages_labelled_leave_the_errors_of_labels():
    """They are counted; one in twenty may be wrong, and no label is left to ask for."""
    judged, truth = made_up(2)
    found = estimate(judged, labelled(truth, len(truth)))
    assert found.to_halve == 0
    assert found.relevant.low <= truth.sum() <= found.relevant.high
    assert width(found.relevant) < 5 * (len(truth) * WRONG) ** 0.5


def test_pages_that_were_chosen_stand_for_themselves():
    """Two hundred noes about pages that a queue picked say nothing of the others."""
    judged, truth = made_up(3)
    chosen = np.flatnonzero(~truth)[:200]
    random = labelled(truth, 60)
    index = np.concatenate([random.index, np.setdiff1d(chosen, random.index)])
    said = np.concatenate([random.truth, np.zeros(len(index) - 60, dtype=bool)])
    both = LabelSet(index, said, np.arange(len(index)) < 60)
    taken_for_random = replace(both, is_random=np.ones(len(index), dtype=bool))
    alone, honest, fooled = (
        estimate(judged, given).harvest_rate for given in (random, both, taken_for_random)
    )
    assert honest.low <= truth.mean() <= honest.high
    assert fooled.high < truth.mean()
    assert width(honest) < 1.1 * width(alone)


def test_labels_that_the_judge_has_learnt():
    """It judges their pages more as they are labelled than it does the others, which says nothing of these.

    So each counts for the share of all pages, and the intervals hold as they do with other labels.
    """
    held, widths, of_training = [], [], HeldOutCounts(36, 18, 14, 52)
    for seed in range(40):
        judged, truth = made_up(seed, skill=1.0)
        labels = labelled(truth, 120, seed)
        odds = np.log(judged.relevance / (1 - judged.relevance))
        odds[labels.index] += np.where(labels.truth, 1.0, -1.0)
        fitted = Judged(1 / (1 + np.exp(-odds)), odds >= 0, judged.host)
        learnt = replace(labels, is_learnt=np.ones(120, dtype=bool))
        interval, narrower = (estimate(fitted, given, of_training).harvest_rate for given in (learnt, labels))
        held.append(interval.low <= truth.mean() <= interval.high)
        widths.append(width(interval) / width(narrower))
    assert np.mean(held) >= 0.9
    assert 1.1 < np.mean(widths) < 1.6


def test_only_labels_that_count_are_counted():
    """Of pages that the judge has learnt from, those that chance chose from all pages alike."""
    judged, truth = made_up(1)
    labels, number = labelled(truth, 120, 1), np.arange(120)
    partly = replace(labels, is_learnt=number < 80, is_random=number % 2 == 0)
    found = estimate(judged, partly, GOOD)
    assert (found.labels, found.learnt, found.basis) == (40 + 40, 40, "labels")
    assert "by 80 pages that people looked at (40 others count no more: the judge learnt" in said_of(found)
    learnt = replace(labels, is_learnt=number >= 0, is_random=number < 0)
    found, alone = estimate(judged, learnt, GOOD), estimate(judged, held_out=GOOD)
    assert (found.labels, found.learnt, found.basis) == (0, 120, "examples")
    assert found.relevant == alone.relevant
    assert "was trained from (120 pages that people looked at among them)" in said_of(found)
    assert "looked at" not in said_of(alone)


def said_of(found):
    return about_relevant(800, found)


def test_labels_to_halve_do_so():
    """About, in the mean of crawls."""
    ratios = []
    for seed in range(8):
        judged, truth = made_up(seed, pages=4000)
        first = estimate(judged, labelled(truth, 40, seed))
        more = estimate(judged, labelled(truth, 40 + first.to_halve, seed))
        ratios.append(width(more.harvest_rate) / width(first.harvest_rate))
    assert 0.35 < np.mean(ratios) < 0.65


def test_hosts_tell_of_their_other_pages():
    """Where sites keep to their subjects, labels say more with hosts than without."""
    wide, narrow = [], []
    for seed in range(5):
        judged, truth = made_up(seed, skill=0.5)
        labels = labelled(truth, 100, seed)
        wide.append(width(estimate(replace(judged, host=None), labels).harvest_rate))
        narrow.append(width(estimate(judged, labels).harvest_rate))
    assert np.mean(narrow) < 0.9 * np.mean(wide)


def test_examples_count_where_labels_are_missing():
    """A judge that held out examples caught out is believed less."""
    judged, _ = made_up(4)
    sharp, dull = (estimate(judged, None, HeldOutCounts(27, 3, wrong, 60 - wrong)) for wrong in (0, 45))
    assert sharp.basis == dull.basis == "examples"
    assert dull.precision.value < sharp.precision.value


def test_no_pages():
    """Nothing is relevant, and no share is known."""
    found = estimate(Judged(np.empty(0), np.empty(0, dtype=bool)))
    assert found.relevant == Interval(0, 0, 0)
    assert set(shares(found)) == {Interval(0.5, 0, 1)}
    assert (found.basis, found.to_halve) == ("words", 0)


@pytest.mark.parametrize("called", [True, False], ids=["all", "none"])
@pytest.mark.parametrize("answer", [True, False, None], ids=["yes", "no", "unlabelled"])
def test_one_sided_judges_and_people(called, answer):
    """All or none called relevant, all labels yes or no: intervals stay open, and as they should lean."""
    relevance = np.linspace(0.5, 1, 200) if called else np.linspace(0, 0.49, 200)
    labels = None if answer is None else labelled(np.full(200, answer), 60, wrong=0.0)
    found = estimate(Judged(relevance, np.full(200, called)), labels)
    assert 0 < width(found.harvest_rate) < 1
    if answer is not None:
        assert (found.harvest_rate.value > 0.8) == answer
        assert (found.harvest_rate.value < 0.2) != answer
    if called:
        assert found.recall == Interval(1, 1, 1)
    else:
        assert found.precision == Interval(0.5, 0, 1)


def test_counts_of_a_model():
    """A model says its precision for a web where one page in ten is relevant."""
    recall, alarms = 0.8, 9 / 60
    precision = 0.1 * recall / (0.1 * recall + 0.9 * alarms)
    model = SimpleNamespace(
        settings=SimpleNamespace(relevant_share=0.1),
        metrics={"precision": precision, "recall": recall},
        examples={"relevant": 30, "other": 60, "background": 100},
    )
    assert HeldOutCounts.of(model) == pytest.approx((24, 6, 9, 51))
    model.metrics = {}  # nobody labelled what it was trained from
    assert HeldOutCounts.of(model) is None
