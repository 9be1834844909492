"""Charts as SVG by hand, for a first install, which has no matplotlib: the same data, in fewer strokes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from lxml import etree

from focused_crawler.report.drawing import Line, short
from focused_crawler.report.hover import Hover
from focused_crawler.report.line_chart import round_steps

LEFT, RIGHT, TOP, BOTTOM = 48.0, 10.0, 8.0, 34.0
"""Margins, in units of the viewBox."""
_TEXT = 12
_THINNED = 1000
"""Points of a line that are drawn: a screen has no more columns."""


class Data(NamedTuple):
    """What a panel shows; one with rows alone is a list of their texts."""

    lines: Sequence[Line] = ()
    dots: Sequence[tuple[float, float]] = ()
    columns: Sequence[tuple[float, float, int]] = ()  # from, to, number
    hovers: Sequence[Hover] = ()
    x_label: str = ""
    has_counts: bool = False  # lines are of whole numbers; else of shares


def drawn(name: str, data: Data, size: tuple[float, float]) -> str:
    """Return a chart of a page of the style sheet. Equal data give equal text."""
    if not (data.lines or data.dots or data.columns):
        return _listed(name, [hover.text for hover in data.hovers])
    chart = _Chart(name, data, size)
    chart.draw_axes()
    chart.draw_data()
    chart.draw_hovers()
    return str(etree.tostring(chart.root, encoding="unicode"))


def _listed(name: str, texts: Iterable[str]) -> str:
    root = etree.Element("ul", {"aria-label": name})
    for text in texts:
        etree.SubElement(root, "li").text = text
    return str(etree.tostring(root, encoding="unicode", method="html"))


class _Chart:
    """One pair of axes, from 0 on."""

    def __init__(self, name: str, data: Data, size: tuple[float, float]) -> None:
        self._data, (width, height) = data, size
        self.root = etree.Element(
            "svg", {"viewBox": f"0 0 {width:g} {height:g}", "role": "img", "aria-label": name}
        )
        ends = [float(line.x[-1]) for line in data.lines if len(line.x)]
        most_x = max([*ends, *(x for x, _ in data.dots), *(high for _, high, _ in data.columns)], default=1.0)
        heights = [*(y for _, y in data.dots), *(float(number) for _, _, number in data.columns)]
        self._is_share = not (data.columns or data.has_counts)
        first = int(self._is_share)  # a share of one page is all or nothing: it may lie above
        heights += [float(max(line.y[first:])) for line in data.lines if len(line.y) > first]
        highest = max(heights, default=1.0) or 1.0
        xs = (float(x) for x in [*chain(*(line.x for line in data.lines)), *(x for x, _ in data.dots)])
        self._counts_x = not data.columns and all(x.is_integer() for x in xs)
        self._most = most_x or 1.0, 1.0 if self._is_share and highest > 0.6 else 1.05 * highest
        self._box = LEFT, TOP, width - RIGHT, height - BOTTOM

    def _x(self, value: float) -> float:
        left, _, right, _ = self._box
        return left + (right - left) * min(float(value) / self._most[0], 1.0)

    def _y(self, value: float) -> float:
        _, top, _, bottom = self._box
        return bottom - (bottom - top) * min(float(value) / self._most[1], 1.0)

    def draw_axes(self) -> None:
        """Draw grid, numbers and the name of what goes to the right."""
        left, _, right, bottom = self._box
        for value in _ticks(self._most[1], is_whole=not self._is_share):
            y = self._y(value)
            self._add("line", stroke="var(--line)", x1=left, x2=right, y1=y, y2=y)
            label = f"{100 * value:.0f} %" if self._is_share else short(value)
            self._write(left - 6, y + 4, label, "end")
        for value in _ticks(self._most[0], is_whole=self._counts_x):
            label = short(value) if self._counts_x else f"{value:g}"
            self._write(self._x(value), bottom + 14, label, "middle")
        self._write((left + right) / 2, bottom + 30, self._data.x_label, "middle")

    def draw_data(self) -> None:
        """Draw columns, dots, and above them lines, the first on top."""
        for low, high, number in self._data.columns:
            x, y, gap = self._x(low), self._y(number), 0.07 * (self._x(high) - self._x(low))
            width = self._x(high) - x - 2 * gap
            self._add("rect", fill="var(--series-0)", x=x + gap, y=y, width=width, height=self._box[3] - y)
        if self._data.dots:
            path = "".join(f"M{self._x(x):.1f},{self._y(y):.1f}h0" for x, y in self._data.dots)
            look = {"stroke-width": 4, "stroke-linecap": "round", "stroke-opacity": ".4"}
            self._add("path", d=path, stroke="var(--series-1)", **look)
        for line in reversed(self._data.lines):
            step = -(-len(line.x) // _THINNED) or 1
            chosen = [*range(0, len(line.x), step), len(line.x) - 1] if len(line.x) else []
            points = " ".join(f"{self._x(line.x[at]):.1f},{self._y(line.y[at]):.1f}" for at in chosen)
            look = {"stroke-width": f"{line.width:g}", "stroke-opacity": "1" if line.name else ".3"}
            if len(line.x) == 1:
                look |= {"stroke-width": "4", "stroke-linecap": "round"}  # else nothing shows
            if line.dashes:
                look["stroke-dasharray"] = " ".join(f"{length * line.width:g}" for length in line.dashes)
            self._add("polyline", fill="none", stroke=f"var(--{line.color})", points=points, **look)

    def draw_hovers(self) -> None:
        """Cover the chart with parts that say their values."""
        group = etree.SubElement(self.root, "g", {"class": "hover"})
        _, top, _, bottom = self._box
        for hover in self._data.hovers:
            x = self._x(hover.low)
            sides = {"x": x, "y": top, "width": self._x(hover.high) - x, "height": bottom - top}
            part = etree.SubElement(group, "rect", {side: _number(length) for side, length in sides.items()})
            etree.SubElement(part, "title").text = hover.text

    def _add(self, tag: str, **given: object) -> None:
        etree.SubElement(self.root, tag, {name: _number(value) for name, value in given.items()})

    def _write(self, x: float, y: float, text: str, anchor: str) -> None:
        place = {"x": _number(x), "y": _number(y), "text-anchor": anchor}
        look = {"fill": "var(--muted)", "font-size": str(_TEXT)}
        etree.SubElement(self.root, "text", place | look).text = text


def _ticks(most: float, *, is_whole: bool) -> list[float]:
    return [value for value in round_steps(most) if not is_whole or value.is_integer()]


def _number(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
