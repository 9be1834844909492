"""What a crawl may spend."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a crawl over all its runs; 0 means none.

    >>> Budget(pages=10).spent(pages=10, relevant=3, seconds=1.0)
    'pages_budget'
    """

    pages: int = 0
    relevant: int = 0
    seconds: float = 0.0

    def spent(self, pages: int, relevant: int, seconds: float) -> str | None:
        """Return the reason to stop, None while there is something left to spend."""
        if self.pages and pages >= self.pages:
            return "pages_budget"
        if self.relevant and relevant >= self.relevant:
            return "relevant_budget"
        if self.seconds and seconds >= self.seconds:
            return "time_budget"
        return None

    def has_room(self, pages: int, in_flight: int) -> bool:
        """Tell whether one more page may be asked for, when all in flight may turn out to be pages."""
        return not self.pages or pages + in_flight < self.pages
