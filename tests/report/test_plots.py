from __future__ import annotations

from focused_crawler.report.drawing import Line
from focused_crawler.report.plots import Panel


def test_a_legend_has_the_order_of_the_ends() -> None:
    """The highest first, as the lines themselves stand; one without a name has no place in it."""
    ends = {"low": 1.0, "high": 9.0, "": 5.0, "middle": 4.0}
    lines = [Line(name, [0, 1], [9.9 - end, end]) for name, end in ends.items()]
    assert [line.name for line in Panel("", lambda axes, colors: None, lines).legend] == [
        "high",
        "middle",
        "low",
    ]
