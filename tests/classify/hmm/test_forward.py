"""Levels of a page along its path: Eq. 5 and 6 of Batsakis et al. 2009."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from focused_crawler.classify.hmm.forward import Forward
from focused_crawler.classify.hmm.model import markov_chain

GOLDEN = markov_chain(
    [0.2, 0.3, 0.5],
    [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.1, 0.6, 0.3]],
    [[1, 0, 0], [0, 0.7, 0.3], [0, 0.2, 0.8]],
)


def levels(forward, clusters):
    found = forward.unpack(None)
    for cluster in clusters:
        found = forward.follow(found, cluster)
    return found


@pytest.mark.parametrize(
    ("clusters", "is_normalised", "expected", "priority"),
    [
        ([2], False, (0, 0.126, 0.2), 0.0956),
        ([2], True, (0, 0.126 / 0.326, 0.2 / 0.326), 0.29325),
        ([2, 1], False, (0, 0.10164, 0.01704), 0.06269),
        ([2, 1], True, (0, 0.10164 / 0.11868, 0.01704 / 0.11868), 0.52821),
    ],
)
def test_golden_values(clusters, is_normalised, expected, priority):
    """Worked out by hand, as Eq. 5 stands and normalised."""
    forward = Forward(GOLDEN, is_normalised=is_normalised)
    found = levels(forward, clusters)
    assert found == pytest.approx(expected)
    assert forward.priority(found) == pytest.approx(priority, abs=6e-6)


def shares(rows, columns):
    """Rows of probabilities, none of them 0."""
    whole = arrays.arrays(np.float64, (rows, columns), elements=st.floats(0.01, 1))
    return whole.map(lambda counts: counts / counts.sum(axis=1, keepdims=True))


@st.composite
def chains(draw):
    count, clusters = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    start, transitions = draw(shares(1, count))[0], draw(shares(count, count))
    return start, transitions, draw(shares(count, clusters))


@given(chains(), st.data())
def test_step_by_step_is_what_hmmlearn_finds_for_the_whole_path(chain, data):
    """Its forward probabilities; the first page of Eq. 5 is one step from pi, hmmlearn's has pi itself."""
    start, transitions, emissions = chain
    path = data.draw(st.lists(st.integers(0, emissions.shape[1] - 1), min_size=1, max_size=12))
    whole = markov_chain(start @ transitions, transitions, emissions)
    stepwise = markov_chain(start, transitions, emissions)
    for length in range(1, len(path) + 1):
        part = np.array(path[:length])[:, np.newaxis]
        likelihood = np.exp(whole.score(part))
        last = whole.predict_proba(part)[-1]
        assert levels(Forward(stepwise, is_normalised=True), path[:length]) == pytest.approx(last)
        assert levels(Forward(stepwise), path[:length]) == pytest.approx(last * likelihood)


@given(chains(), st.lists(st.none() | st.integers(0, 0), max_size=8), st.booleans())
def test_priority_is_a_probability(chain, path, is_normalised):
    """On whatever path; and a URL carries the levels as they are."""
    forward = Forward(markov_chain(*chain), is_normalised=is_normalised)
    found = levels(forward, path)
    assert 0 <= forward.priority(found) <= 1
    assert 0 <= forward.further(found) <= 1
    assert forward.unpack(forward.pack(found)) == found


def test_a_page_that_tells_nothing_is_one_step_further():
    """Without a known term no cluster is seen, so only the transitions count."""
    forward = Forward(GOLDEN)
    assert levels(forward, [None]) == pytest.approx((0.33, 0.42, 0.25))
    assert levels(forward, [None]) == forward.ahead(forward.unpack(None))


def test_a_seed_begins_with_pi():
    """And so does what another model noted."""
    forward = Forward(GOLDEN)
    assert forward.unpack(None) == forward.unpack(b"other") == (0.2, 0.3, 0.5)


@pytest.mark.parametrize("level", [math.nan, math.inf, -1.0, 1e300])
def test_levels_that_are_none(level):
    """Whoever can write to a frontier may have put them there."""
    forward = Forward(GOLDEN)
    assert forward.unpack(forward.pack((0.1, level, 0.2))) == forward.unpack(None)


def test_a_path_of_a_thousand_pages_ends_in_nothing():
    """As printed, each page has less than the one before it, then 0; no error, and 0 is carried on."""
    forward = Forward(GOLDEN)
    found, priorities = forward.unpack(None), []
    for step in range(1000):
        found = forward.follow(forward.unpack(forward.pack(found)), 1 + step % 2)
        priorities.append((forward.priority(found), forward.further(found)))
    shrinking = priorities[::2]  # pages of one cluster
    first_zero = next(at for at, (priority, _) in enumerate(shrinking) if priority < 1e-300)
    assert first_zero > 200
    assert all(one > other for one, other in pairwise(shrinking[:first_zero]))
    assert priorities[-1] == (0, 0)
    assert sum(levels(Forward(GOLDEN, is_normalised=True), [1, 2] * 500)) == pytest.approx(1)


def test_what_cannot_be_leaves_nothing():
    """A cluster that no possible level has: no probability is left, and none is made up."""
    forward = Forward(markov_chain([1, 0], [[1, 0], [0, 1]], [[1, 0], [0, 1]]))
    assert forward.priority(levels(forward, [1])) == 0
