"""How many URLs a worker may have out while a crawl is young; and a clock that never goes back."""

from __future__ import annotations

import time

PAGES_A_SLOT = 8
"""One more URL may be out for each so many that have ended.

What is out was chosen without knowledge of the pages out. On the real web, 4 workers with 16 slots each from
the first second on find a quarter less in |T| pages than one does; with this, as much.
"""

SECONDS_A_SLOT = 1.0
"""And one for each so many seconds: a first page that never comes must not hold up all others."""

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # the first counts a laptop's sleep, too


def ticks() -> float:
    """Return seconds on a clock that never stops, nor goes back."""
    return time.clock_gettime(_CLOCK)


class SlowStart:
    """How many URLs may be out here: a worker's share of what all of them may have out.

    All of them begin as one does, with one slot; those for time and for what had ended before are shared.
    """

    def __init__(self) -> None:
        self.ended_before = 0  # URLs, everywhere before we came
        self.workers = 1  # that live
        self._ended = 0  # URLs, here
        self._began: float | None = None

    def ended(self) -> None:
        """Record that a URL has ended here."""
        self._ended += 1

    def most_out(self, now: float) -> int:
        """Return how many may be out, at least one; `now` is of a clock that only grows."""
        if self._began is None:
            self._began = now
        shared = 1 + self.ended_before / PAGES_A_SLOT + (now - self._began) / SECONDS_A_SLOT
        return max(1, int(self._ended / PAGES_A_SLOT + shared / self.workers))
