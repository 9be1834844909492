from __future__ import annotations

import asyncio
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.steps import BOUNDS, STEPS, Histogram, Steps

DURATIONS = st.lists(st.floats(0, 100) | st.sampled_from(BOUNDS))


@given(DURATIONS)
def test_a_bucket_counts_all_that_took_so_long_or_less(durations):
    """And the last one counts all."""
    histogram = Histogram()
    for seconds in durations:
        histogram.observe(seconds)
    for bound, count in histogram.cumulative():
        assert count == sum(seconds <= bound for seconds in durations)
    assert histogram.count == len(durations)
    assert histogram.seconds == pytest.approx(sum(durations))


def test_a_step_that_fails_is_timed_too():
    """A download that runs into its timeout is what one wants to see."""
    steps = Steps()
    with pytest.raises(OSError, match="gone"), steps.timing("download"):
        raise OSError("gone")
    assert dict(steps)["download"].count == 1


def test_a_step_nobody_knew_is_there_when_it_is_timed():
    """After those that are there from the beginning."""
    steps = Steps()
    with steps.timing("render"):
        pass
    assert [name for name, _ in steps] == [*STEPS, "render"]


@pytest.mark.asyncio
async def test_many_of_a_step_may_run_at_once():
    """Each has its own time."""
    steps = Steps()

    async def wait(seconds: float) -> None:
        with steps.timing("download"):
            await asyncio.sleep(seconds)

    began = perf_counter()
    await asyncio.gather(wait(0.01), wait(0.03))
    assert 0.035 < dict(steps)["download"].seconds <= 2 * (perf_counter() - began)


def test_taking_the_time_costs_microseconds():
    """Nothing that a page would notice; the bound is generous, for a busy machine."""
    steps = Steps()
    rounds = []
    for _ in range(20):
        began = perf_counter()
        for _ in range(100):
            with steps.timing("parse"):
                pass
        rounds.append((perf_counter() - began) / 100)
    assert min(rounds) < 5e-6
