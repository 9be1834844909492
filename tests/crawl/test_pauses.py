"""Time that a crawl could not use."""

from __future__ import annotations

import pytest

from focused_crawler.crawl.pauses import LONGEST_TURN, Pauses

STOP = 3600.0


@pytest.mark.parametrize(
    ("clock", "ticks", "lost"),
    [
        (5.0, 5.0, 0.0),  # nothing happened
        (STOP, STOP, STOP - LONGEST_TURN),  # stopped: both clocks went on
        (STOP, 5.0, STOP - 5.0),  # it slept, or its clock was set ahead
        (-STOP, 5.0, 0.0),  # set back: the frontier's clock sees to it
        (5.9, 5.0, 0.0),  # a clock that is corrected
        (LONGEST_TURN, LONGEST_TURN, 0.0),  # busy
    ],
)
def test_what_was_lost(clock: float, ticks: float, lost: float) -> None:
    """Is what the clock went on by, beyond what the process can have worked."""
    moments = iter([100.0, 100.0 + ticks, 100.0 + ticks])
    pauses = Pauses(lambda: next(moments))
    assert pauses.since_last(1e9) == 0.0
    assert pauses.since_last(1e9 + clock) == pytest.approx(lost)
    assert pauses.since_last(1e9 + clock) == 0.0  # it is counted once
