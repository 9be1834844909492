"""What a chart says where a pointer rests on it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from lxml import etree

from focused_crawler.report import charts
from focused_crawler.report.charts import line_of
from focused_crawler.report.hover import MOST_PARTS, over_columns, over_lines, over_rows
from focused_crawler.report.panels import Line
from focused_crawler.report.strokes import strokes_of
from focused_crawler.report.summary import Curve


def test_each_part_has_the_values_of_all_lines_there():
    """The highest first; one that has ended is not there any more; one without a name is none."""
    lines = [Line("low", [1, 2, 3, 4], [0.1] * 4), Line("high", [1, 2], [0.9, 0.8]), Line("", [1], [0.0])]
    found = over_lines(lines, "pages")
    assert found[1].text == "2 pages\nhigh: 80.0 %\nlow: 10.0 %"
    assert found[-1].text == "4 pages\nlow: 10.0 %"


def test_parts_cover_the_chart_without_gaps():
    """However many points there are, there are few parts; the last ends with the lines."""
    found = over_lines([Line("a", np.arange(1, 100_001), np.zeros(100_000))], "pages")
    assert len(found) == MOST_PARTS
    assert [part.high for part in found[:-1]] == [part.low for part in found[1:]]
    assert (found[0].low, found[-1].high) == (0.0, 100_000.0)


def test_columns_and_rows_say_what_they_are():
    """Rows stand as they are drawn, the first on top."""
    assert over_columns([(0.0, 0.05, 1)], "page")[0].text == "0.00 to 0.05: 1 page"
    assert [(row.low, row.high) for row in over_rows(["a", "b"])] == [(0.5, 1.5), (-0.5, 0.5)]


def test_a_drawn_part_lies_where_its_value_is():
    """Left of the middle what comes in the first half; the text is one of the crawl's, and stays text."""
    strokes = strokes_of(["lpe", "<b>\x1b"])
    lines = [
        line_of(name, Curve((1, 50, 100), (1.0, 0.5, 0.2)), stroke)
        for name, stroke in zip(["lpe", "<b>\x1b"], strokes, strict=True)
    ]
    plot = charts.curves("a", "", lines)
    root = etree.fromstring(plot.svg(plot.panels[0]))
    parts = root.findall(".//{*}g[@class='hover']/{*}rect")
    assert [part[0].text.split("\n")[0] for part in parts] == [f"{n} pages fetched" for n in (1, 50, 100)]
    assert "<b>: 50.0 %" in parts[1][0].text
    sides = [(float(part.get("x")), float(part.get("width"))) for part in parts]
    assert all(abs(x + width - after) < 0.2 for (x, width), (after, _) in pairwise(sides))
    assert sides[0][0] < 220 < sides[-1][0] + sides[-1][1] <= 440
