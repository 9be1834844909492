from __future__ import annotations

from dataclasses import replace

import pytest

from focused_crawler.fleet.status import FleetStatus, FleetTotals, FrontierView, is_over, why_ended

NEW = FrontierView(0, 0, 0, 0, 0, 0, 0, False, (0,) * 10)
STATUS = FleetStatus(1.0, "asthma", "1", "lpe", "postgresql://db")
LEFT = replace(NEW, pending=5, has_more=True)


@pytest.mark.parametrize(
    ("frontier", "totals", "expected"),
    [
        (None, None, False),
        (NEW, None, False),
        (NEW, FleetTotals(), False),
        (replace(NEW, done=1), None, True),
        (replace(NEW, failed=1), FleetTotals(), True),
        (replace(NEW, dropped=1), FleetTotals(), True),
        (NEW, FleetTotals(pages=1), True),
        (NEW, FleetTotals(failures=1), True),
        (LEFT, FleetTotals(pages=1), False),
        (LEFT, FleetTotals(pages=3, fetches=3, page_budget=3), True),
        (None, FleetTotals(pages=3, fetches=3, page_budget=3), True),
    ],
)
def test_over(frontier: FrontierView | None, totals: FleetTotals | None, expected: bool) -> None:
    """An empty frontier is an end only if something was in it: else its seeds are still to come."""
    assert is_over(replace(STATUS, frontier=frontier, totals=totals)) is expected


@pytest.mark.parametrize(
    ("last", "pages", "left", "expected"),
    [
        ("pages_budget", 10, True, "pages_budget"),
        ("pages_budget", 9, True, "shutdown"),
        ("relevant_budget", 9, True, "shutdown"),
        ("finished", 9, True, "shutdown"),
        ("finished", 9, False, "finished"),
        ("shutdown", 9, False, "finished"),
        ("stagnation", 9, True, "stagnation"),
        (None, 9, True, "shutdown"),
        (None, 10, True, "pages_budget"),
    ],
)
def test_why(last: str | None, pages: int, left: bool, expected: str) -> None:
    """What the totals and the frontier say of the whole counts more than what one worker wrote."""
    status = replace(
        STATUS, frontier=LEFT if left else NEW, totals=FleetTotals(pages=pages, fetches=pages, page_budget=10)
    )
    assert why_ended(status, last) == expected
