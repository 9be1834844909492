from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.crawl.judged import Interval
from focused_crawler.crawl.steering.estimate import EDGES, Tally, band_of, chances, estimate

counts = st.integers(0, 500)


@st.composite
def tallies(draw: st.DrawFn) -> list[Tally]:
    """Counts as a crawl has them: the later half is a part of all, relevant ones of those tried."""
    found = []
    for host, band in draw(st.sets(st.tuples(st.integers(0, 5), st.integers(0, len(EDGES))), max_size=12)):
        tried = draw(counts)
        late = draw(st.integers(0, tried))
        late_relevant = draw(st.integers(0, late))
        relevant = late_relevant + draw(st.integers(0, tried - late))
        found.append(Tally(host, band, tried, relevant, late, late_relevant, draw(counts)))
    return found


@given(tallies())
def test_an_estimate_is_a_sound_number_of_pages(found):
    """Whatever was counted: ordered, finite, not negative, and in the middle no more than what waits."""
    result = estimate(found)
    if result is None:
        assert not any(tally.tried for tally in found)
        return
    assert 0 <= result.low <= result.middle <= result.high < math.inf
    assert result.middle <= sum(tally.pending for tally in found) + 1e-6


FEW_BANDS = [Tally(2, 3, 380, 113, 0, 0, 1), Tally(2, 2, 294, 0, 0, 0, 0)]


def test_a_curve_of_few_bands_comes_to_rest() -> None:
    """Newton's whole steps go to and fro there, and where they end hangs on the last digit."""
    bands, tried, relevant = np.array(FEW_BANDS, dtype=float)[:, 1:4].T
    chance = chances(bands, tried, relevant)
    assert chance == pytest.approx([113 / 380, 0.0], abs=0.02)


@given(tallies(), st.randoms(use_true_random=False))
@example(FEW_BANDS, random.Random(4))
def test_order_and_names_of_hosts_do_not_matter(found, random):
    """Tallies may come in any order, and hosts have any numbers."""
    other = [tally._replace(host=1000 - 7 * tally.host) for tally in found]
    random.shuffle(other)
    first, second = estimate(found), estimate(other)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert second == pytest.approx(first)


@given(tallies(), st.lists(st.floats(0, 1000), min_size=3, max_size=3))
def test_the_judge_is_corrected(found, ends):
    """As many more, or fewer, are left as are relevant of the pages fetched; each end by its own."""
    called, (least, value, most) = max(sum(tally.relevant for tally in found), 1), sorted(ends)
    plain, result = estimate(found), estimate(found, Interval(value, least, most))
    if plain is None:
        assert result is None
        return
    assert result.middle == pytest.approx(plain.middle * value / called)
    wide = estimate(found, Interval(value, least / 2, 2 * most))
    assert wide.low <= result.low <= result.high <= wide.high
    assert estimate(found, Interval(called, called, called)) == pytest.approx(plain)


def test_nothing_that_waits_is_nothing_left():
    """An empty frontier: none, though a few may be there that were never seen."""
    low, middle, _ = estimate([Tally(1, 5, 100, 50, 50, 20)])
    assert (low, middle) == (0, 0)


def test_nothing_tried_is_nothing_known():
    """Before the first page there is no estimate."""
    assert estimate([]) is None
    assert estimate([Tally(1, 5, pending=10)]) is None


def test_more_is_expected_of_better_scores_and_better_hosts():
    """The same number of URLs: in a band that gave more, or on a host that gave more than its band."""

    def middle(host: int, band: int) -> float:
        tried = [Tally(1, 9, 200, 160, 100, 80), Tally(1, 3, 200, 10, 100, 5), Tally(2, 9, 200, 20, 100, 10)]
        return estimate([*tried, Tally(host, band, pending=100)]).middle

    assert middle(1, 9) > 2 * middle(1, 3)
    assert middle(1, 9) > 2 * middle(2, 9)


def test_bands_never_tried_get_a_chance():
    """Between what is known of the bands above and nothing."""
    tried = [Tally(host, 9, 100, 50, 50, 25) for host in range(4)]
    left = [Tally(host, 4, pending=100) for host in range(4)]
    assert 1 < estimate([*tried, *left]).middle < 200


def made_up_crawl(seed: int) -> tuple[list[Tally], int]:
    """Make tallies of a crawl, and the number of relevant pages that it left: 20 times 500 URLs are
    found, and the best 200 of all fetched. A chance is the score's, times a factor of the host."""
    draw = random.Random(seed)
    waiting: list[tuple[float, int, bool]] = []
    found: dict[tuple[int, int], list[int]] = {}
    for wave in range(20):
        for _ in range(500):
            score, host = draw.betavariate(0.5, 1.5), draw.randrange(50)
            waiting.append((score, host, draw.random() < score * (0.2 + 0.015 * host)))
        waiting.sort()
        for score, host, is_relevant in waiting[-200:]:
            count = found.setdefault((host, band_of(score)), [0] * 5)
            is_late = wave >= 10
            for place, number in enumerate((1, is_relevant, is_late, is_late and is_relevant)):
                count[place] += number
        del waiting[-200:]
    for score, host, _ in waiting:
        found.setdefault((host, band_of(score)), [0] * 5)[4] += 1
    return [Tally(*key, *count) for key, count in found.items()], sum(hit for *_, hit in waiting)


@pytest.mark.parametrize("seed", range(3))
def test_a_known_number_is_found(seed):
    """Within a factor of four, though scores fall to where none was tried, and inside the interval."""
    found, truth = made_up_crawl(seed)
    low, middle, high = estimate(found)
    assert 0.25 < middle / truth < 4
    assert low < truth < high
