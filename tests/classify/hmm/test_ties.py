"""The rule for ties: within epsilon P(L0, t+2) decides, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from focused_crawler.classify.hmm.forward import Forward
from focused_crawler.classify.hmm.model import markov_chain
from focused_crawler.classify.hmm.ties import REMEMBERED, TieOrder

EPSILON = 0.001
PROBABILITY = st.integers(1, 999_999).map(lambda millionths: millionths / 1e6)
NEAR = st.integers(400_000, 404_000).map(lambda millionths: millionths / 1e6)  # ties, and ties of ties


def numbers(pages, epsilon=EPSILON):
    """Return the numbers of pages that come one after the other."""
    order, given_out = TieOrder(epsilon), []
    for page in pages:
        order.add(*page)
        given_out.append(order.number(*page))
    return given_out


def comes_before(page, other):
    is_near = abs(page[0] - other[0]) < EPSILON
    return (page[1], page[0]) > (other[1], other[0]) if is_near else page[0] > other[0]


def circles(pages):
    """Return for each page the circle that it lies on: a before b, b before c, c before a; most lie alone."""
    rule = np.array([[comes_before(page, other) for other in pages] for page in pages])
    return connected_components(rule, connection="strong")[1]


@pytest.mark.parametrize("start", [0.4, 1e-9, 0.3997, 0.9993])
def test_where_steps_would_end_makes_no_difference(start):
    """Wherever two pages lie, in whichever order they come."""
    pages = [(start, 0.3), (start + 0.0005, 0.2)]
    first, second = numbers(pages)
    assert first == start > second
    second, first = numbers(pages[::-1])
    assert second == start + 0.0005 < first


@given(st.lists(st.tuples(NEAR | PROBABILITY, PROBABILITY), min_size=2, max_size=30, unique=True))
def test_all_pairs_follow_the_rule_but_on_circles(pages):
    """No order can be right for all of a circle's pairs; all others are, whatever comes first."""
    given_out, circle = numbers(pages), circles(pages)
    assert all(0 <= number <= 1 for number in given_out)
    for page, number, at in zip(pages, given_out, circle, strict=True):
        for other, lower, other_at in zip(pages, given_out, circle, strict=True):
            if at != other_at and comes_before(page, other):
                assert number > lower


def test_pairs_of_real_paths():
    """Of sixty models' paths; fixed steps of epsilon order a fifth of the near pairs against the rule."""
    near = against_steps = against = 0
    rng = np.random.default_rng(1)
    for _ in range(60):
        start, transitions, emissions = (
            rng.dirichlet(np.full(n, 0.7), rows) for n, rows in ((4, 1), (4, 4), (6, 4))
        )
        forward = Forward(markov_chain(start[0], transitions, emissions), is_normalised=True)
        pages = []
        for length in rng.integers(1, 6, 60):
            levels = forward.unpack(None)
            for cluster in rng.integers(0, 6, length):
                levels = forward.follow(levels, int(cluster))
            pages.append((forward.priority(levels), forward.further(levels)))
        pages = list(dict.fromkeys(pages))
        given_out = numbers(pages)
        steps = [(one // EPSILON, two) for one, two in pages]
        for at, page in enumerate(pages):
            for beside, other in enumerate(pages):
                if abs(page[0] - other[0]) < EPSILON and page[1] > other[1]:
                    near += 1
                    against_steps += steps[at] < steps[beside]
                    against += given_out[at] < given_out[beside]
    assert near > 1000
    assert against_steps > near / 6
    assert against < near / 20  # all on circles, by the law above


def test_without_ties_a_number_is_the_probability():
    """As it is with epsilon 0; and asking for a number gives none away."""
    pages = [(0.3, 0.1), (0.2, 0.9), (0.5, 0.0)]
    assert numbers(pages) == [0.3, 0.2, 0.5]
    assert numbers([(0.3, 0.1), (0.3001, 0.0)], epsilon=0.0) == [0.3, 0.3001]
    order = TieOrder(EPSILON)
    order.number(0.3, 0.1)
    assert order.number(0.3001, 0.0) == 0.3001


def test_what_was_given_is_taken_up():
    """In the next run of a crawl, whose frontier holds the numbers."""
    pages = [(0.3, 0.1), (0.3005, 0.05), (0.3001, 0.07)]
    order, later = TieOrder(EPSILON), TieOrder(EPSILON)
    for page in pages[:2]:
        order.add(*page)
    later.restore(order.to_bytes())
    later.add(*pages[2])
    assert [later.number(*page) for page in pages] == numbers(pages)


def test_so_many_are_remembered():
    """The last ones at least; a crawl of any length needs no more."""
    order = TieOrder(1e-9)
    rng = np.random.default_rng(0)
    for one, two in rng.random((50, 2)).tolist() * (REMEMBERED // 25):
        order.add(one, two)
    for number in range(REMEMBERED + 100):
        order.add(number / (2 * REMEMBERED), 0.5)
    assert REMEMBERED // 2 <= len(order.to_bytes()) // 24 <= REMEMBERED
    assert order.number(0.5, 0.5) == 0.5
