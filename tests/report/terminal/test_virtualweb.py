from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from focused_crawler.report.terminal.virtualweb import tables
from focused_crawler.virtualweb.stats import LinkStats, RecordStats


def printed(statuses: dict[int, int]) -> list[str]:
    """Return what is told of the statuses of a web, a line each."""
    records = RecordStats(sum(statuses.values()), 1, 0, statuses, {})
    out = StringIO()
    console = Console(file=out, width=80, color_system=None)
    console.print(*tables("small", records, LinkStats(0, 0, 0, 0.0, 0.0, 0.0), ()))
    words = out.getvalue().partition("statuses")[2].partition("content types")[0]
    return [line.strip() for line in words.splitlines() if line.strip()]


def test_the_most_frequent_come_first() -> None:
    """Then by name."""
    assert printed({404: 7, 200: 20, 302: 7, 500: 1}) == ["200 20", "302 7", "404 7", "500 1"]


@pytest.mark.parametrize(("number", "rest"), [(8, []), (9, ["and 1 more"]), (11, ["and 3 more"])])
def test_of_many_the_rest_is_counted(number: int, rest: list[str]) -> None:
    """Eight are named."""
    shown = printed({400 + status: 100 - status for status in range(number)})
    assert shown == [f"{400 + status} {100 - status}" for status in range(8)] + rest
