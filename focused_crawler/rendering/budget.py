"""A share of the pages may be rendered: those that promise most, where more would need it."""

from __future__ import annotations

from collections import deque

ADVANCE = 20
"""Pages that may be rendered beyond the share, so that a crawl can begin with some, or meet some in a row."""

WINDOW = 200
"""Pages by which it is told how many need rendering, and what they promise."""


class RenderBudget:
    """Counts pages, and grants renderings."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = float(ADVANCE) if share else 0.0
        self._recent: deque[float | None] = deque(maxlen=WINDOW)  # promises; None: needs no rendering

    def pass_over(self) -> None:
        """Count a page that needs no rendering."""
        self._count(None)

    def grants(self, promise: float) -> bool:
        """Count a page that needs rendering, and tell whether it may have it."""
        self._count(promise)
        if self._left < 1 or promise < self._least():
            return False
        self._left -= 1
        return True

    def _count(self, promise: float | None) -> None:
        self._recent.append(promise)
        self._left = min(self._left + self._share, ADVANCE)

    def _least(self) -> float:
        """Return the promise from which on a page may be rendered: a quantile of the last ones."""
        wishes = sorted(promise for promise in self._recent if promise is not None)
        affordable = self._share * len(self._recent)
        return wishes[-max(1, int(affordable))] if affordable < len(wishes) and self._is_short else 0.0

    @property
    def _is_short(self) -> bool:
        return self._left < ADVANCE / 2
