"""Charts of pages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from lxml import etree

from focused_crawler.report.hover import over_lines, over_rows
from focused_crawler.report.panels import DotRow, Line, Panel, Point
from focused_crawler.report.strokes import LOOKS
from focused_crawler.report.svg import drawn

SIZE = (440.0, 250.0)
LINES = [Line("mine", [0, 50, 100], [0.0, 0.5, 0.8]), Line("<other>", [0, 200], [0.1, 0.2], dashes=(4, 2))]


def chart(panel: Panel, **given: bool) -> etree._Element:
    return etree.fromstring(drawn("Harvest rate", panel, SIZE, **given))


def numbers(root: etree._Element) -> list[str]:
    return [text.text for text in root.iter("text")]


def test_lines_go_from_corner_to_corner_of_shared_axes() -> None:
    """The longest ends at the right edge, another half way; shares are in per cent."""
    root = chart(Panel("", LINES))
    assert root.get("stroke-linejoin") == "round"  # a curve that turns back has no thorn
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
    root = chart(Panel(columns=[(0.0, 0.5, 10), (0.5, 1.0, 40)], x_label="relevance"))
    low, high = (float(column.get("height")) for column in root.findall("rect"))
    assert high == pytest.approx(4 * low, abs=0.5)
    assert "%" not in "".join(numbers(root))


@pytest.mark.parametrize(
    ("data", "ticks"),
    [
        (Panel("", [Line("one", [1], [1.0])]), ["0", "1"]),
        (Panel("", [Line("two", [1, 2], [1.0, 0.5])]), ["0", "1", "2"]),
        (
            Panel("", [Line("shares", [0.0, 0.5, 1.0], [0.0, 0.5, 1.0])]),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"],
        ),
        (Panel(columns=[(0.0, 1.0, 1)]), ["0", "1", "0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Panel(columns=[(0.0, 1.0, 2)]), ["0", "1", "2", "0", "0.2", "0.4", "0.6", "0.8", "1"]),
    ],
)
def test_what_is_counted_has_whole_numbers(data: Panel, ticks: list[str]) -> None:
    """None twice: there is no half of a page."""
    assert [number for number in numbers(chart(data))[:-1] if number and "%" not in number] == ticks


@pytest.mark.parametrize(("found", "ticks"), [([0, 1, 1], ["0", "1"]), ([3], ["0", "1", "2", "3"])])
def test_lines_of_counts_have_no_shares(found: list[int], ticks: list[str]) -> None:
    """However few there are: one relevant page is not all of them. The first number counts, too."""
    data = Panel("", [Line("found", [*range(len(found))], found)], has_counts=True)
    assert numbers(chart(data))[: len(ticks)] == ticks


def test_a_single_page_is_a_dot() -> None:
    """A line needs two points to show, a single one is drawn twice."""
    (line,) = chart(Panel("", [Line("one", [1], [1.0])])).iter("polyline")
    assert (line.get("stroke-linecap"), line.get("points")) == ("round", "430.0,8.0 430.0,8.0")


def test_the_first_page_sets_no_scale() -> None:
    """A relevant start page is 100 per cent of one; the rest of the curve would lie on the floor."""
    data = Panel("", [Line("rate", range(1, 101), [1.0] + [0.05] * 99)], x_label="pages fetched")
    assert "100 %" not in numbers(chart(data))


@pytest.mark.parametrize(
    "data", [Panel("", [Line("none", [], [])]), Panel("", [Line("zero", [0], [0])]), Panel()]
)
def test_nothing_to_draw_is_no_fault(data: Panel) -> None:
    """Before the first page."""
    assert "nan" not in drawn("x", data, SIZE).lower()


def test_rows_have_names_means_intervals_and_what_they_are_of() -> None:
    """The first on top, under the marks; foreign text is no markup."""
    rows = [
        DotRow("<b>", 0.8, (0.7, 0.9), np.array([0.6, 1.0]), "series-0"),
        DotRow("low", 0.2, None, np.array([0.2]), "series-1"),
    ]
    root = chart(Panel("", (), over_rows(["<b>: 0.8", "low: 0.2"]), "area", rows=rows, marks=[("best", 0.9)]))
    assert {"<b>", "low", "area", "best"} <= {*numbers(root)}
    high, low = (dot for dot in root.iter("circle") if dot.get("r") == "4")
    assert float(high.get("cy")) < float(low.get("cy"))
    assert float(high.get("cx")) > float(low.get("cx"))
    (interval,) = (line for line in root.iter("line") if line.get("stroke-width") == "2.4")
    assert float(interval.get("x1")) < float(high.get("cx")) < float(interval.get("x2"))
    assert len([dot for dot in root.iter("circle") if dot.get("fill-opacity")]) == 3
    parts = root.findall("g[@class='hover']/rect")
    assert [part[0].text for part in parts] == ["<b>: 0.8", "low: 0.2"]
    for part, dot in zip(parts, (high, low), strict=True):
        top, height = float(part.get("y")), float(part.get("height"))
        assert top < float(dot.get("cy")) < top + height


def test_bars_are_as_long_as_their_values() -> None:
    """Each with its number at its end, inside the chart."""
    root = chart(Panel("", x_label="ms", bars=[("slow", 4.0), ("quick", 1.0)]))
    slow, quick = root.findall("rect")
    assert float(slow.get("width")) == pytest.approx(4 * float(quick.get("width")), abs=0.5)
    assert {"slow", "quick", "4.00", "1.00", "ms"} <= {*numbers(root)}
    assert float(slow.get("x")) + float(slow.get("width")) < SIZE[0] - 20


def test_a_band_lies_about_its_line() -> None:
    """From the one end to the other and back."""
    ends = np.array([0.2, 0.3]), np.array([0.6, 0.7])
    root = chart(Panel("", [Line("mine", [0, 10], [0.4, 0.5], band=ends)]))
    ys = [float(point.split(",")[1]) for point in root.find("polygon").get("points").split()]
    on = [float(point.split(",")[1]) for point in root.find("polyline").get("points").split()]
    assert ys[0] > on[0] > ys[3]
    assert ys[1] > on[1] > ys[2]


def test_points_have_their_own_size_and_number() -> None:
    """A point at the top has its number below it."""
    points = [Point(0.5, 0.5, 3.0, "7"), Point(1.0, 1.0, 6.0, "9")]
    root = chart(Panel("", points=points, x_label="relevance", most=1.0))
    small, large = root.iter("circle")
    assert (small.get("r"), large.get("r")) == ("3.0", "6.0")
    places = {text.text: float(text.get("y")) for text in root.iter("text")}
    assert places["7"] < float(small.get("cy"))
    assert places["9"] > float(large.get("cy"))


def test_lines_have_the_markers_of_their_legend() -> None:
    """Five each, on the line, not where those of another line are."""
    x = list(range(101))
    lines = [Line(look.marker, x, [0.5] * 101, marker=look.marker) for look in LOOKS if look.marker]
    root = chart(Panel("", lines))
    shapes = [path.get("d") for path in root.iter("path")]
    places = {path.get("transform") for path in root.iter("path")}
    assert {line.shape for line in lines} == {*shapes}
    assert len(places) == len(shapes) == 5 * len(lines)


def test_names_at_the_ends_are_apart_and_inside() -> None:
    """Whatever ends together; an empty curve is at the bottom, a long name is cut."""
    lines = [Line(f"line {n}" * (1 + 9 * (n == 7)), [1, 10], [0.5, 0.001 * n]) for n in range(8)]
    root = chart(Panel("", [*lines, Line("empty", [], [])]), with_names=True)
    names = [text for text in root.iter("text") if text.get("class") == "name"]
    places = sorted(float(name.get("y")) for name in names)
    ways = [line for line in root.iter("polyline") if line.get("class") == "name"]
    assert len(names) == len(ways) == 9  # a style sheet hides both
    assert all(after - before >= 14.8 for before, after in pairwise(places))
    assert places[-1] <= SIZE[1]
    assert all(float(name.get("x")) + 5 * len(name.text) < SIZE[0] for name in names)


def test_long_names_that_differ_at_their_ends_differ_when_cut() -> None:
    """As those of the jobs of one plan, and of the classes of one module."""
    names = [f"my.package.strategies.of_many_words.Variant{number}" for number in range(3)]
    lines = chart(Panel("", [Line(name, [1, 2], [0.5, 0.5]) for name in names]), with_names=True)
    rows = chart(Panel("", bars=[(name, 1.0) for name in names]))
    for root in (lines, rows):
        shown = [text for text in numbers(root) if "Variant" in text]
        assert [text[-1] for text in shown] == (["2", "1", "0"] if root is lines else ["0", "1", "2"])
        assert all(len(text) == 34 and text.startswith("my.package.") for text in shown)


def test_of_lines_that_end_together_the_first_is_named_on_top() -> None:
    """As in the legend."""
    root = chart(Panel("", [Line(name, [1, 2], [0.5, 0.5]) for name in "abc"]), with_names=True)
    heights = {text.text: float(text.get("y")) for text in root.iter("text")}
    assert heights["a"] < heights["b"] < heights["c"]


@pytest.mark.parametrize("letters", [5, 40])
def test_wide_letters_have_twice_the_room(letters: int) -> None:
    """A Chinese letter is as wide as it is high: a name of them is inside, too."""
    name = "天" * letters
    ends = chart(Panel("", [Line(name, [1, 2], [0.5, 0.5])]), with_names=True)
    (written,) = (text for text in ends.iter("text") if text.get("class") == "name")
    assert float(written.get("x")) + 12 * len(written.text) < SIZE[0]
    rows = chart(Panel("", rows=[DotRow(name, 0.5, None, np.array([]), "series-0")]))
    (written,) = (text for text in rows.iter("text") if "天" in text.text)
    assert float(written.get("x")) - 12 * len(written.text) > 0


@pytest.mark.parametrize("letter", ["\0", "\x1b", "\ud800", "\ufffe"])
def test_letters_that_no_page_can_hold_are_left_out(letter: str) -> None:
    """Of names of web files, of an experiment's tables and of a run.json by another hand."""
    name = f"a{letter}b"
    panel = Panel("", [Line(name, [1], [0.5])], over_lines([Line(name, [1], [0.5])], "pages"), name)
    root = etree.fromstring(drawn(name, panel, SIZE, with_names=True))
    assert (root.get("aria-label"), numbers(root)[-1]) == ("ab", "ab")
    assert root.find("g/rect/title").text == "1 pages\nab: 50.0 %"


@pytest.mark.parametrize("has_counts", [True, False])
def test_a_curve_below_nothing_ends(has_counts: bool) -> None:
    """A table by another hand may hold any number: the chart is empty, nobody waits for its axis."""
    assert numbers(chart(Panel("", [Line("bad", [1, 2], [-1.0, -2.0])], has_counts=has_counts)))


def test_a_long_line_is_thinned() -> None:
    """To what a screen can show, with its end."""
    root = chart(Panel("", [Line("long", range(100_001), np.linspace(0, 1, 100_001))]))
    points = root.find("polyline").get("points").split()
    assert len(points) <= 1001
    assert points[-1].startswith("430.0,")


def test_the_name_of_a_chart_turns_nothing_around() -> None:
    """A topic or a crawl may be called by marks that turn what follows them."""
    assert "\u202e" not in drawn("mine\u202e", Panel("", LINES), SIZE)
