"""Curves as points of an SVG that a style sheet colours: lines differ by dashes and names, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from focused_crawler.report.drawing import Line
from focused_crawler.report.hover import over_lines
from focused_crawler.report.strokes import Stroke, strokes_of

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 180, 12, 34
"""Margins, in units of the viewBox; names stand at the right."""
_LABEL_GAP = 15.0
_STEPS = (1, 2, 2.5, 5, 10)


class DrawnLine(NamedTuple):
    """A curve."""

    name: str
    points: str  # "x,y x,y"
    x: float  # of its end
    y: float
    label_y: float  # where its name is written
    last: float  # its last value
    stroke: Stroke

    @property
    def dashes(self) -> str:
        """Return them as an SVG has them; empty: solid."""
        return " ".join(f"{length:g}" for length in self.stroke.look.dashes)


class DrawnHover(NamedTuple):
    """A part of the chart that says its values where a pointer rests on it."""

    x: float
    width: float
    text: str


class Tick(NamedTuple):
    """A mark of an axis."""

    at: float
    label: str


class LineChart(NamedTuple):
    """Everything that a template draws."""

    lines: list[DrawnLine]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    hovers: list[DrawnHover]

    @classmethod
    def of(
        cls,
        curves: Sequence[tuple[str, Sequence[float], Sequence[float]]],
        strategies: Sequence[str],
        x_label: str,
    ) -> Self:
        """Draw shares (name, x, y) over x, from 0 to the highest of both, each in its strategy's colour."""
        most_x = max((x[-1] for _, x, _ in curves if len(x)), default=1.0) or 1.0
        highest = max((max(y) for _, _, y in curves if len(y)), default=1.0)
        most_y = 1.0 if highest > 0.6 else max(0.05, 1.15 * highest)

        def across(value: float) -> float:
            return LEFT + (WIDTH - LEFT - RIGHT) * value / most_x

        def up(value: float) -> float:
            return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value / most_y, 1.0)

        ends = [up(y[-1]) if len(y) else up(0) for _, _, y in curves]
        lines = [
            DrawnLine(
                name,
                " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x, y, strict=True)),
                across(x[-1]) if len(x) else across(0),
                end,
                label,
                y[-1] if len(y) else 0.0,
                stroke,
            )
            for (name, x, y), end, label, stroke in zip(
                curves, ends, _apart(ends), strokes_of(strategies), strict=True
            )
        ]
        x_ticks = [
            Tick(across(value), f"{value:,.{0 if float(value).is_integer() else 1}f}")
            for value in round_steps(most_x)
        ]
        y_ticks = [Tick(up(value), f"{100 * value:.0f} %") for value in round_steps(most_y)]
        hovers = [
            DrawnHover(across(low), across(high) - across(low), text)
            for low, high, text, _ in over_lines([Line(*curve) for curve in curves], x_label)
        ]
        return cls(lines, x_ticks, y_ticks, hovers)


def round_steps(most: float, ticks: int = 5) -> list[float]:
    """Return round numbers from 0 to the most.

    >>> round_steps(1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> round_steps(150)
    [0.0, 50.0, 100.0, 150.0]
    """
    power = 1.0
    while power * 10 <= most / ticks:
        power *= 10
    while power > most / ticks:
        power /= 10
    step = next(one * power for one in _STEPS if one * power >= most / ticks)
    return [round(number * step, 10) for number in range(int(most / step * 1.0000001) + 1)]


def _apart(heights: Sequence[float]) -> list[float]:
    """Move heights as far apart as names need, downwards and then, at the bottom, upwards.

    >>> _apart([100.0, 100.0, 20.0])
    [100.0, 115.0, 20.0]
    """
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    placed: dict[int, float] = {}
    at = -_LABEL_GAP
    for number in order:
        at = max(heights[number], at + _LABEL_GAP)
        placed[number] = at
    limit = float(HEIGHT - 4)
    for number in reversed(order):
        placed[number] = min(placed[number], limit)
        limit = placed[number] - _LABEL_GAP
    return [placed[number] for number in range(len(heights))]
