"""Time that never runs backwards."""

from __future__ import annotations

import math


class Clock:
    """Turns the caller's time into time that only grows: when his clock jumps back, no wait gets longer."""

    def __init__(self, latest: float = 0.0) -> None:
        self.latest = latest
        self._ahead = 0.0

    def tick(self, now: float) -> float:
        """Take note of the caller's time; return ours, never less than before."""
        if math.isfinite(now):
            if now + self._ahead < self.latest:
                self._ahead = self.latest - now
            self.latest = max(self.latest, now + self._ahead)
        return self.latest

    def inside(self, moment: float) -> float:
        """Return the caller's moment in our time."""
        return moment + self._ahead

    def outside(self, moment: float) -> float:
        """Return our moment in the caller's time: the first at which it has come."""
        seen = moment - self._ahead
        while seen + self._ahead < moment:
            seen = math.nextafter(seen, math.inf)
        return seen
