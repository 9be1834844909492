"""Time in which a crawl could not work: it was stopped, its computer slept, or its clock was set ahead."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_TURN = 30.0
"""Seconds between two looks at the clock that a crawl may have worked; it is asked for a URL every five."""
_LEAST = 1.0  # seconds; clocks are set by less all the time


class Pauses:
    """Compares the clock that leases go by with the time that the process can have worked."""

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        """`ticks`: seconds of a clock that nobody sets."""
        self._ticks = ticks
        self._last: tuple[float, float] | None = None

    def since_last(self, now: float) -> float:
        """Return the seconds since the last call that were lost by a pause, `now` being the clock's time."""
        ticks = self._ticks()
        before, self._last = self._last, (now, ticks)
        if before is None:
            return 0.0
        lost = now - before[0] - min(ticks - before[1], LONGEST_TURN)
        return lost if lost > _LEAST else 0.0
