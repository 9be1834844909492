"""Time that never runs backwards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.frontier.host import Clock

TIMES = st.floats(0, 2e9)


@given(st.lists(TIMES, min_size=1))
def test_never_backwards(times):
    """Whatever the caller's clock does, ours stands or goes on."""
    clock = Clock()
    seen = [clock.tick(now) for now in times]
    assert seen == sorted(seen)


@given(st.lists(TIMES, min_size=1), st.floats(0, 1e6))
def test_a_wait_is_told_in_the_callers_time(times, wait):
    """The moment told to the caller is one at which the wait is over."""
    clock = Clock()
    for now in times:
        clock.tick(now)
    end = clock.latest + wait
    assert clock.tick(clock.outside(end)) >= end


def test_a_clock_that_is_no_number():
    """Infinity and no-number do not stop time for ever."""
    clock = Clock(5.0)
    assert clock.tick(float("inf")) == clock.tick(float("nan")) == 5.0
    assert clock.tick(6.0) == 6.0
