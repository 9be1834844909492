"""What a chart shows, whoever draws it: `svg` for pages, `drawing` for files and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.report.strokes import SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Colors = Mapping[str, str]
"""Variable of the style sheet without its dashes -> colour."""

Floats = NDArray[np.float64]

STEPS = (1, 2, 2.5, 5, 10)
"""Numbers of an axis are so far from each other, times a power of ten."""


class Line(NamedTuple):
    """A curve and its style; one without a name is there to be compared with, not to be read."""

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    color: str = "muted"  # variable of the style sheet
    dashes: tuple[float, ...] = ()  # lengths on, off, ...; none: solid
    width: float = 0.9
    band: tuple[Floats, Floats] | None = None  # lower and upper end
    marker: str = ""  # a key of strokes.SHAPES; none: no markers

    @property
    def last(self) -> float:
        """The value the curve ends with; 0 where it has none."""
        return float(self.y[-1]) if len(self.y) else 0.0

    @property
    def shape(self) -> str:
        """The path of its marker in an SVG; empty without one."""
        return SHAPES[self.marker]


class DotRow(NamedTuple):
    """A row of a dot plot: a mean, its interval if it is known, and what it is the mean of."""

    name: str
    mean: float
    interval: tuple[float, float] | None
    parts: Floats
    color: str


class Point(NamedTuple):
    """A dot of its own size, with what is written beside it."""

    x: float
    y: float
    radius: float = 4.0  # units of the viewBox
    text: str = ""


class Hover(NamedTuple):
    """A part of a chart, from `low` to `high` of its axis, and its text; a line of it for each value."""

    low: float
    high: float
    text: str
    is_row: bool = False  # of the vertical axis


class Panel(NamedTuple):
    """One pair of axes, both from 0 on: of curves and dots, of columns, of rows or of bars."""

    title: str = ""
    lines: Sequence[Line] = ()  # the first is drawn last
    hovers: Sequence[Hover] = ()  # what is said where a pointer rests; on pages only
    x_label: str = "pages fetched"
    dots: Sequence[tuple[float, float]] = ()  # a cloud behind the lines
    points: Sequence[Point] = ()
    columns: Sequence[tuple[float, float, int]] = ()  # from, to, number
    rows: Sequence[DotRow] = ()  # the first on top, of shares
    bars: Sequence[tuple[str, float]] = ()  # the first on top
    marks: Sequence[tuple[str, float]] = ()  # names of vertical lines, and where they stand
    has_counts: bool = False  # its lines; else they are of shares
    most: float = 0.0  # where the vertical axis ends; 0: by what is drawn
    last: float = 0.0  # and the horizontal one
    draw: Callable[[Axes, Colors], None] | None = None  # figures that are drawn in another way

    @property
    def legend(self) -> list[Line]:
        """Return the lines that have a name, the highest end first."""
        return sorted((line for line in self.lines if line.name), key=lambda line: -line.last)

    @property
    def is_share(self) -> bool:
        """Return whether the vertical axis is of shares, which it shows in per cent."""
        return not (self.columns or self.has_counts)

    @property
    def top(self) -> float:
        """Return where the vertical axis ends; of shares at 1, unless all are small.

        The first share does not count: that of one page is all or nothing, and may lie above.
        """
        if self.most:
            return self.most
        heights = [0.0, *(y for _, y in self.dots), *(point.y for point in self.points)]
        heights += [float(number) for _, _, number in self.columns]
        first = int(self.is_share)
        heights += [float(max(line.y[first:])) for line in self.lines if len(line.y) > first]
        highest = max(heights) or 1.0
        if not self.is_share:
            return 1.05 * highest
        return 1.0 if highest > 0.6 else min(1.0, 1.15 * highest)

    @property
    def right(self) -> float:
        """Return where the horizontal axis ends."""
        if self.last:
            return self.last
        ends = [float(line.x[-1]) for line in self.lines if len(line.x)]
        ends += [*(x for x, _ in self.dots), *(point.x for point in self.points)]
        ends += [*(high for _, high, _ in self.columns)]
        return max(ends, default=1.0) or 1.0

    @property
    def counts_across(self) -> bool:
        """Return whether the horizontal axis is of whole numbers."""
        across = [np.asarray(line.x, dtype=float) for line in self.lines]
        across.append(np.asarray([x for x, _ in self.dots], dtype=float))
        across.append(np.asarray([point.x for point in self.points], dtype=float))
        return not self.columns and all(bool((x % 1 == 0).all()) for x in across)


def short(number: float, _position: int | None = None) -> str:
    """Return a number as axes have it.

    >>> short(9_000), short(25_000)
    ('9,000', '25k')
    """
    return f"{number / 1000:g}k" if number >= 10_000 else f"{number:,.0f}"


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Move rising heights of [0, 1] as little as gives each its distance: crowds spread about their middle.

    >>> [round(height, 3) for height in apart([0.1, 0.5, 0.5], 0.062)]
    [0.1, 0.469, 0.531]
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - loads slowly

    if not heights:
        return []
    gaps = gap * np.arange(len(heights))  # what their neighbours below take
    middles = isotonic_regression(np.asarray(heights) - gaps).x
    return [float(height) for height in np.clip(middles, 0.0, max(0.0, 1 - gaps[-1])) + gaps]
