"""Charts of pages as SVG, which the style sheet of a page colours. Equal data give equal text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from lxml import etree

from focused_crawler.report.panels import STEPS, Floats, Line, Panel, apart, short
from focused_crawler.report.strokes import LOOKS
from focused_crawler.safety.formats import tidy

RIGHT, TOP, BOTTOM = 10.0, 8.0, 34.0
"""Margins, in units of the viewBox."""
LEFT = 48.0
_TEXT, _LETTER = 12, 6.6  # height of letters, and about how wide one is
_MOST_LETTERS = 34  # of a name; a wide one counts twice
_MOST_SAID = 1000  # letters of what a chart is called
_NAME = 15.0  # from one name at the lines' ends to the next
_THINNED = 1000
"""Points of a line that are drawn: a screen has no more columns."""
_MARKERS = [look.marker for look in LOOKS]
_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Letters that no XML may hold; names of foreign files and folders do."""


def drawn(name: str, panel: Panel, size: tuple[float, float], *, with_names: bool = False) -> str:
    """Return a chart, `name` for who cannot see it; `with_names`: of lines, at their ends."""
    kind = _Rows if panel.rows or panel.bars else _Curves
    chart = kind(name, panel, size, with_names=with_names)
    chart.draw()
    return str(etree.tostring(chart.root, encoding="unicode"))


def round_steps(most: float) -> list[float]:
    """Return some five round numbers from 0 to the most.

    >>> round_steps(1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> round_steps(150)
    [0.0, 50.0, 100.0, 150.0]
    """
    power, least = 1.0, most / 5
    while power * 10 <= least:
        power *= 10
    while power > least:
        power /= 10
    step = next(one * power for one in STEPS if one * power >= least)
    return [round(number * step, 10) for number in range(int(most / step * 1.0000001) + 1)]


class _Chart:
    """Axes with what is written at them; a box of data within margins."""

    def __init__(
        self, name: str, panel: Panel, size: tuple[float, float], margins: tuple[float, float, float, float]
    ) -> None:
        self._panel, (width, height) = panel, size
        left, top, right, bottom = margins
        self._pad = max((point.radius for point in panel.points), default=0.0)  # points may lie at 0
        self._box = left + self._pad, top, width - right, height - bottom - self._pad
        self._right, self._top = 1.0, 1.0  # values at the ends of the axes
        said = {"role": "img", "aria-label": _NO_XML.sub("", tidy(name, _MOST_SAID))}
        look = {"viewBox": f"0 0 {width:g} {height:g}", **said, "stroke-linejoin": "round"}
        self.root = etree.Element("svg", look)

    def _x(self, value: float) -> float:
        left, _, right, _ = self._box
        return left + (right - left) * min(float(value) / self._right, 1.0)

    def _y(self, value: float) -> float:
        _, top, _, bottom = self._box
        return bottom - (bottom - top) * min(float(value) / self._top, 1.0)

    def _draw_across(self, labels: Iterable[tuple[float, str]], *, with_grid: bool = False) -> None:
        left, top, right, bottom = self._box
        for value, label in labels:
            x = self._x(value)
            if with_grid:
                self._add("line", stroke="var(--line)", x1=x, x2=x, y1=top, y2=bottom)
            self._write(x, bottom + self._pad + 14, label, "middle")
        self._write((left + right) / 2, bottom + self._pad + 30, self._panel.x_label, "middle")

    def _draw_marks(self) -> None:
        _, top, _, bottom = self._box
        for number, (name, value) in enumerate(self._panel.marks):
            x = self._x(value)
            look = {"stroke": "var(--ink)", "stroke-dasharray": "4 3"}
            self._add("line", x1=x, x2=x, y1=top, y2=bottom, **look)
            self._write(x, top - 4 - 12 * number, name, "middle", fill="var(--ink)")

    def _draw_hovers(self) -> None:
        """Cover the chart with parts that say their values."""
        group = etree.SubElement(self.root, "g", {"class": "hover"})
        left, top, right, bottom = self._box
        for hover in self._panel.hovers:
            x, y, width, height = left, top, right - left, bottom - top
            if hover.is_row:
                y, height = self._y(hover.high), self._y(hover.low) - self._y(hover.high)
            else:
                x, width = self._x(hover.low), self._x(hover.high) - self._x(hover.low)
            sides = {"x": x, "y": y, "width": width, "height": height}
            part = etree.SubElement(group, "rect", {side: _number(length) for side, length in sides.items()})
            etree.SubElement(part, "title").text = _NO_XML.sub("", hover.text)

    def _add(self, tag: str, **given: object) -> None:
        etree.SubElement(self.root, tag, {name: _number(value) for name, value in given.items()})

    def _write(self, x: float, y: float, text: str, anchor: str, **given: str) -> None:
        place = {"x": _number(x), "y": _number(y), "text-anchor": anchor}
        look = {"fill": "var(--muted)", "font-size": str(_TEXT), "class": "tick"} | given
        etree.SubElement(self.root, "text", place | look).text = _NO_XML.sub("", text)


class _Curves(_Chart):
    """Lines over dots, or columns."""

    def __init__(self, name: str, panel: Panel, size: tuple[float, float], *, with_names: bool) -> None:
        named = [line for line in reversed(panel.lines) if line.name]  # of equal ends the first is on top
        self._named = sorted(named, key=lambda line: line.last)
        self._with_names = with_names and bool(self._named)
        longest = max((_letters(_shown(line.name)) for line in self._named), default=0)
        right = longest * _LETTER + 24 if self._with_names else RIGHT
        super().__init__(name, panel, size, (LEFT, TOP + _NAME * len(panel.marks), right, BOTTOM))
        self._right, self._top = panel.right, panel.top

    def draw(self) -> None:
        """Draw grid and numbers, then what they are the axes of, the first line on top."""
        panel, (left, _, right, _) = self._panel, self._box
        for value in _ticks(self._top, is_whole=not panel.is_share):
            y = self._y(value)
            self._add("line", stroke="var(--line)", x1=left, x2=right, y1=y, y2=y)
            label = f"{100 * value:.4g} %" if panel.is_share else short(value)
            self._write(left - self._pad - 6, y + 4, label, "end")
        is_whole = panel.counts_across
        ticks = _ticks(self._right, is_whole=is_whole)
        self._draw_across((value, short(value) if is_whole else f"{value:g}") for value in ticks)
        self._draw_columns()
        if panel.dots:
            path = "".join(f"M{self._x(x):.1f},{self._y(y):.1f}h0" for x, y in panel.dots)
            look = {"stroke-width": 3, "stroke-linecap": "round", "stroke-opacity": ".4"}
            self._add("path", d=path, stroke="var(--series-1)", **look)
        for line in reversed(panel.lines):
            self._draw_line(line)
        for x, y, radius, text in panel.points:
            self._add("circle", fill="var(--series-0)", cx=self._x(x), cy=self._y(y), r=radius)
            below = self._y(y) + radius + 12 if self._y(y) - radius < TOP + 14 else self._y(y) - radius - 4
            self._write(self._x(x), below, text, "middle")
        if self._with_names:
            self._draw_names()
        self._draw_marks()
        self._draw_hovers()

    def _draw_columns(self) -> None:
        for low, high, number in self._panel.columns:
            x, y, gap = self._x(low), self._y(number), 0.07 * (self._x(high) - self._x(low))
            width = self._x(high) - x - 2 * gap
            self._add("rect", fill="var(--series-0)", x=x + gap, y=y, width=width, height=self._box[3] - y)

    def _draw_line(self, line: Line) -> None:
        hue = f"var(--{line.color})"
        if line.band is not None:
            low, high = (self._points(line.x, side) for side in line.band)
            around = " ".join([*low, *reversed(high)])
            self._add("polygon", fill=hue, points=around, **{"fill-opacity": ".13"})
        points = self._points(line.x, line.y)
        look = {"stroke-width": f"{line.width:g}", "stroke-opacity": "1" if line.name else ".3"}
        way = " ".join(points)
        if len(points) == 1:  # there and back: of a line without length its round ends show
            way, look = f"{way} {way}", look | {"stroke-width": "4", "stroke-linecap": "round"}
        if line.dashes:
            look["stroke-dasharray"] = " ".join(f"{length * line.width:g}" for length in line.dashes)
        self._add("polyline", fill="none", stroke=hue, points=way, **look)
        if line.marker and points:  # one at each fifth of the way, where other markers leave room
            every = len(points) / 5
            first = every * (1 + _MARKERS.index(line.marker)) / len(_MARKERS)
            for place in sorted({min(int(first + step * every), len(points) - 1) for step in range(5)}):
                self._add("path", d=line.shape, fill=hue, transform=f"translate({points[place]})")

    def _draw_names(self) -> None:
        """Write each line's name beside its end, names far enough apart to be read."""
        _, top, right, bottom = self._box
        ends = [(bottom - self._y(line.last)) / (bottom - top) for line in self._named]
        for line, end, place in zip(self._named, ends, apart(ends, _NAME / (bottom - top)), strict=True):
            y, written = (bottom - (bottom - top) * height for height in (end, place))
            hue, last = f"var(--{line.color})", self._x(line.x[-1]) if len(line.x) else right
            way = f"{last:.1f},{y:.1f} {right:.1f},{y:.1f} {right + 8:.1f},{written:.1f}"
            self._add(
                "polyline", fill="none", stroke=hue, points=way, **{"stroke-opacity": ".5", "class": "name"}
            )
            self._write(right + 12, written + 4, _shown(line.name), "start", fill=hue, **{"class": "name"})

    def _points(self, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats) -> list[str]:
        step = -(-len(xs) // _THINNED) or 1
        chosen = [*range(0, len(xs) - 1, step), len(xs) - 1] if len(xs) else []
        return [f"{self._x(xs[at]):.1f},{self._y(ys[at]):.1f}" for at in chosen]


class _Rows(_Chart):
    """Rows of dots, or bars, with their names at the left."""

    def __init__(self, name: str, panel: Panel, size: tuple[float, float], *, with_names: bool) -> None:
        self._names = [_shown(row[0]) for row in (panel.rows or panel.bars)]
        left = max(map(_letters, self._names)) * _LETTER + 12
        right = RIGHT if panel.rows else 4 * _LETTER + RIGHT
        super().__init__(name, panel, size, (left, TOP + 12 * len(panel.marks), right, BOTTOM))
        self._right = 1.0 if panel.rows else max(value for _, value in panel.bars) or 1.0

    def draw(self) -> None:
        """Draw numbers below, names at the left and a row each."""
        panel, left = self._panel, self._box[0]
        self._draw_across(((value, f"{value:g}") for value in round_steps(self._right)), with_grid=True)
        for number, name in enumerate(self._names):
            self._write(left - 8, self._y(self._height(number)) + 4, name, "end", fill="var(--ink)")
        for number, (_, mean, interval, parts, color) in enumerate(panel.rows):
            y, hue = self._y(self._height(number)), f"var(--{color})"
            for part in parts:
                self._add("circle", fill=hue, cx=self._x(part), cy=y, r=1.8, **{"fill-opacity": ".3"})
            if interval is not None:
                low, high = map(self._x, interval)
                self._add("line", stroke=hue, x1=low, x2=high, y1=y, y2=y, **{"stroke-width": 2.4})
            self._add("circle", fill=hue, cx=self._x(mean), cy=y, r=4)
        for number, (_, value) in enumerate(panel.bars):
            y, half = self._y(self._height(number)), 7.0
            width = self._x(value) - left
            self._add("rect", fill="var(--series-0)", x=left, y=y - half, width=width, height=2 * half)
            label = f"{value:.2f}" if value < 10 else f"{value:.0f}"
            self._write(self._x(value) + 4, y + 4, label, "start", fill="var(--ink)")
        self._draw_marks()
        self._draw_hovers()

    def _height(self, number: float) -> float:
        """Return where the middle of a row is; rows are counted from below, as hovers have them."""
        return len(self._names) - 1 - number

    def _y(self, value: float) -> float:
        _, top, _, bottom = self._box
        return bottom - (bottom - top) * (value + 0.5) / len(self._names)


def _shown(name: str) -> str:
    """Return a name, a long one without its middle: many differ in their last letters alone."""
    whole = tidy(name)
    if _letters(whole) <= _MOST_LETTERS:
        return whole
    cut = (f"{whole[: half + 1]}…{whole[-half:]}" for half in range(_MOST_LETTERS // 2 - 1, 0, -1))
    return next(text for text in cut if _letters(text) <= _MOST_LETTERS)


def _letters(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _ticks(most: float, *, is_whole: bool) -> list[float]:
    return [value for value in round_steps(most) if not is_whole or value.is_integer()]


def _number(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
