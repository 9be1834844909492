"""Whether a fleet crawl is over, and why it ended."""

from __future__ import annotations

from focused_crawler.fleet.status import FleetStatus

_BUDGETS = frozenset({"pages_budget", "relevant_budget"})


def is_over(status: FleetStatus) -> bool:
    """Tell whether the fleet has nothing left to do; False where that cannot be known now.

    An empty frontier from which nothing ever came is one whose seeds are still to be put in.
    """
    if status.totals is not None and status.totals.spent():
        return True
    return status.frontier is not None and not status.frontier.has_more and _has_brought(status)


def why_ended(status: FleetStatus, last: str | None) -> str:
    """Return the reason; `last`: that of the run which ended last, None where none wrote one.

    A run may have ended before others put more into the frontier, or by a smaller budget than that of now.
    """
    spent = status.totals.spent() if status.totals is not None else None
    if spent or is_over(status):
        return spent or "finished"
    is_left = status.frontier is not None and status.frontier.has_more
    if last in _BUDGETS or (last == "finished" and is_left):
        return "shutdown"
    return last or "shutdown"


def _has_brought(status: FleetStatus) -> bool:
    frontier, totals = status.frontier, status.totals
    if frontier is not None and frontier.done + frontier.failed + frontier.dropped > 0:
        return True
    return totals is not None and totals.pages + totals.failures > 0
