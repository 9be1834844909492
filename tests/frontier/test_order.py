"""Priorities and ties."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.frontier.order import TieBreaker, clip

KEYS = st.integers(-(2**63), 2**63 - 1)


@given(st.floats())
def test_clip_ends_in_range(priority):
    """Whatever a strategy returns, a priority is from 0 to 1; what is in range is not changed."""
    assert 0.0 <= clip(priority) <= 1.0
    assert clip(clip(priority)) == clip(priority)
    assert not 0 <= priority <= 1 or clip(priority) == priority


@given(KEYS, st.integers(0, 9))
def test_ties_fit_and_repeat(key, seed):
    """A tie has 47 bits and is the same in every run with that seed."""
    assert 0 <= TieBreaker(seed)(key) == TieBreaker(seed)(key) < 2**47


def test_ties_hardly_ever_meet():
    """A hundred thousand neighbouring keys have as many ties."""
    tie = TieBreaker(1)
    assert len({tie(key) for key in range(100_000)}) == 100_000
