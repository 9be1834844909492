"""A slow start: few URLs at a time until there is something to choose from."""

from __future__ import annotations

PAGES_A_SLOT = 8
"""One more URL may be out for each so many that have ended.

What is out was chosen without what the pages out tell. On the real web, 4 workers with 16 slots each from the
first second on find a quarter less in |T| pages than one does; with this, as much.
"""

SECONDS_A_SLOT = 1.0
"""And one for each so many seconds: a first page that never comes must not hold up all others."""


class SlowStart:
    """How many URLs may be out, by what has ended so far: here, and everywhere before we came."""

    def __init__(self) -> None:
        self._ended = 0
        self._began: float | None = None

    def ended(self, urls: int = 1) -> None:
        """Take note that so many URLs have ended."""
        self._ended += urls

    def most_out(self, now: float) -> int:
        """Return how many may be out; `now` is of a clock that only grows."""
        if self._began is None:
            self._began = now
        return 1 + self._ended // PAGES_A_SLOT + int((now - self._began) / SECONDS_A_SLOT)
