from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.report.sampling.precision import Count, precision
from focused_crawler.report.sampling.sample import draw, read_population

LARGE = 10**9  # pages of which a sample is next to nothing
SAMPLES = 1500


@pytest.mark.parametrize(
    ("relevant", "judged", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_one_stratum_has_wilsons_interval(relevant, judged, low, high):
    """As in Newcombe (1998), table 1, and in any textbook."""
    found = precision([Count(relevant, judged, LARGE)])
    assert found == pytest.approx((relevant / judged, low, high), abs=5e-5)


def test_strata_that_agree_are_as_good_as_one():
    """The interval of Yan and Su becomes Wilson's."""
    one = precision([Count(90, 100, LARGE)])
    assert precision([Count(18, 20, LARGE)] * 5) == pytest.approx(tuple(one), abs=1e-6)


def test_strata_weigh_what_they_have_in_the_crawl():
    """Not what was drawn of them."""
    assert precision([Count(10, 10, 3000), Count(0, 10, 1000)]).value == 0.75


def test_strata_that_differ_narrow_the_interval():
    """What is known of the parts is known of the whole."""
    parts = [Count(0, 20, LARGE), Count(1, 20, LARGE), Count(10, 20, LARGE), Count(19, 20, LARGE)]
    one = precision([Count(30, 80, 4 * LARGE)])
    several = precision(parts)
    assert several.value == one.value
    assert several.high - several.low < 0.7 * (one.high - one.low)


def test_agreement_in_every_stratum_is_no_certainty():
    """A normal interval would have no width here."""
    found = precision([Count(20, 20, LARGE), Count(0, 20, LARGE)])
    assert found.low < 0.5 < found.high


counts = st.integers(1, 40).flatmap(
    lambda judged: st.builds(Count, st.integers(0, judged), st.just(judged), st.integers(judged, 5000))
)


@given(st.lists(counts, min_size=1, max_size=8))
def test_an_interval_holds_its_estimate(strata):
    """Within 0 and 1, give or take a rounding."""
    value, low, high = precision(strata)
    assert -1e-12 <= low <= value <= high <= 1 + 1e-12


@given(st.lists(st.integers(0, 30).map(lambda yes: Count(yes, 30, 30)), min_size=1, max_size=5))
def test_nothing_is_uncertain_when_all_is_judged(strata):
    """The crawl is finite."""
    value, low, high = precision(strata)
    assert low == value == high


CRAWLS = {
    "one stratum, most pages relevant": ([0.9], [2000], [100]),
    "one stratum, nearly all": ([0.98], [2000], [100]),
    "bands alike": ([0.9] * 5, [2000] * 5, [20] * 5),
    "bands rising": ([0.5, 0.7, 0.85, 0.95, 0.99], [2000] * 5, [20] * 5),
    "all pages of a crawl, in bands": ([0.0, 0.02, 0.1, 0.6, 0.97], [2000] * 5, [20] * 5),
    "half of all pages drawn": ([0.5, 0.7, 0.85, 0.95, 1.0], [40] * 5, [20] * 5),
    "hosts": ([0.9, 0.3, 0.99, 0.8, 0.6], [4000, 1500, 900, 500, 500], [54, 20, 12, 7, 7]),
}


@pytest.mark.parametrize("name", CRAWLS)
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    """In 92 to 98 of 100 samples of a made-up crawl: 1,500 of them drawn anew, each with its own interval."""
    shares, pages, draws = CRAWLS[name]
    relevant = [round(share * size) for share, size in zip(shares, pages, strict=True)]
    truth = sum(relevant) / sum(pages)
    chance = np.random.default_rng(7)
    others = [size - good for size, good in zip(pages, relevant, strict=True)]
    drawn = chance.hypergeometric(relevant, others, draws, size=(SAMPLES, len(pages)))

    @cache
    def estimate(counts):
        return precision([Count(*row) for row in zip(counts, draws, pages, strict=True)])

    found = [estimate(tuple(row)) for row in drawn.tolist()]
    covered = sum(low <= truth <= high for _, low, high in found) / SAMPLES
    assert 0.92 <= covered <= 0.98
    assert np.mean([value for value, _, _ in found]) == pytest.approx(truth, abs=0.004)


@pytest.mark.parametrize("crawl_database", ["sqlite"], indirect=True)
def test_samples_of_a_recorded_crawl_keep_the_promise(record, database):
    """From the pages in the database to the interval: of 200 samples by bands some 190 hold the truth."""
    chance = np.random.default_rng(3)
    scores = chance.uniform(0.5, 1, 600)
    good = set()
    for number, score in enumerate(scores):
        record(f"http://a.org/{number}", float(score))
        if chance.random() < score**0.5:
            good.add(number + 1)
    population, truth = read_population(database), len(good) / len(scores)
    held = 0
    for seed in range(200):
        sample = draw(database, population, 60, by="relevance", seed=seed)
        judged = [
            Count(
                sum(page.position in good for page in sample.pages if page.part == part),
                part.drawn,
                part.pages,
            )
            for part in sample.parts
        ]
        _, low, high = precision(judged)
        held += low <= truth <= high
    assert 180 <= held <= 199
