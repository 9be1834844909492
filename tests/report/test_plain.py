"""Charts of a first install, which has no matplotlib."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from focused_crawler.report import plots
from focused_crawler.report.charts import curves, histogram, relevance_over_time
from focused_crawler.report.drawing import Line
from focused_crawler.report.hover import over_rows
from focused_crawler.report.plain import Data, drawn
from focused_crawler.report.plots import Plot

SIZE = (440.0, 250.0)
LINES = [Line("mine", [0, 50, 100], [0.0, 0.5, 0.8]), Line("<other>", [0, 200], [0.1, 0.2], dashes=(4, 2))]


def chart(data: Data) -> etree._Element:
    return etree.fromstring(drawn("Harvest rate", data, SIZE))


def numbers(root: etree._Element) -> list[str]:
    return [text.text for text in root.iter("text")]


def test_lines_go_from_corner_to_corner_of_shared_axes() -> None:
    """The longest ends at the right edge, another half way; shares are in per cent."""
    root = chart(Data(LINES, x_label="pages fetched"))
    last, first = (
        [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        for line in root.iter("polyline")
    )
    assert (first[0], last[-1][0]) == ((48.0, 216.0), 430.0)
    assert first[-1][0] == pytest.approx((48 + 430) / 2, abs=0.1)
    assert first[-1][1] == pytest.approx(216 - 208 * 0.8, abs=0.1)
    assert {"0 %", "100 %", "0", "200", "pages fetched"} <= {*numbers(root)}


def test_counts_are_columns_below_their_number() -> None:
    """Each as high as its number, the highest below the top."""
    root = chart(Data(columns=[(0.0, 0.5, 10), (0.5, 1.0, 40)], x_label="relevance"))
    low, high = (float(column.get("height")) for column in root.findall("rect"))
    assert high == pytest.approx(4 * low, abs=0.5)
    assert "%" not in "".join(numbers(root))


@pytest.mark.parametrize(
    ("data", "ticks"),
    [
        (Data([Line("one", [1], [1.0])]), ["0", "1"]),
        (Data([Line("two", [1, 2], [1.0, 0.5])]), ["0", "1", "2"]),
        (Data([Line("shares", [0.0, 0.5, 1.0], [0.0, 0.5, 1.0])]), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Data(columns=[(0.0, 1.0, 1)]), ["0", "1", "0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Data(columns=[(0.0, 1.0, 2)]), ["0", "1", "2", "0", "0.2", "0.4", "0.6", "0.8", "1"]),
    ],
)
def test_what_is_counted_has_whole_numbers(data: Data, ticks: list[str]) -> None:
    """None twice: there is no half of a page."""
    assert [number for number in numbers(chart(data)) if number and "%" not in number] == ticks


@pytest.mark.parametrize(("found", "ticks"), [([0, 1, 1], ["0", "1"]), ([3], ["0", "1", "2", "3"])])
def test_lines_of_counts_have_no_shares(found: list[int], ticks: list[str]) -> None:
    """However few there are: one relevant page is not all of them. The first number counts, too."""
    data = Data([Line("found", [*range(len(found))], found)], has_counts=True)
    assert numbers(chart(data))[: len(ticks)] == ticks


def test_a_single_page_is_a_dot() -> None:
    """A line needs two points to show."""
    (line,) = chart(Data([Line("one", [1], [1.0])])).iter("polyline")
    assert line.get("stroke-linecap") == "round"


def test_the_first_page_sets_no_scale() -> None:
    """A relevant start page is 100 per cent of one; the rest of the curve would lie on the floor."""
    data = Data([Line("rate", range(1, 101), [1.0] + [0.05] * 99)], x_label="pages fetched")
    assert "100 %" not in numbers(chart(data))


@pytest.mark.parametrize("data", [Data([Line("none", [], [])]), Data([Line("zero", [0], [0])]), Data()])
def test_nothing_to_draw_is_no_fault(data: Data) -> None:
    """Before the first page."""
    assert "nan" not in drawn("x", data, SIZE).lower()


def test_rows_are_told_in_words_and_foreign_text_is_no_markup() -> None:
    """A dot plot is the list of what its rows say."""
    assert drawn("<a>", Data(hovers=over_rows(["<b>: 0.5"])), SIZE) == (
        '<ul aria-label="&lt;a&gt;"><li>&lt;b&gt;: 0.5</li></ul>'
    )


def test_a_long_line_is_thinned() -> None:
    """To what a screen can show, with its end."""
    root = chart(Data([Line("long", range(100_001), np.linspace(0, 1, 100_001))]))
    points = root.find("polyline").get("points").split()
    assert len(points) <= 1001
    assert points[-1].startswith("430.0,")


@pytest.mark.parametrize(
    "plot",
    [
        curves("Harvest rate", "", LINES),
        relevance_over_time([0.1, 0.9, 0.4]),
        histogram([0.1, 0.9, 0.4]),
    ],
    ids=lambda plot: plot.title,
)
def test_a_report_without_matplotlib_has_its_plots(plot: Plot, monkeypatch: pytest.MonkeyPatch) -> None:
    """With values where a pointer rests."""
    monkeypatch.setattr(plots, "is_here", lambda _extra: False)
    root = etree.fromstring(plot.svg(plot.panels[0]))
    assert (root.tag, root.get("aria-label")) == ("svg", plot.title)
    assert len(root.findall("g[@class='hover']/rect/title")) > 1
