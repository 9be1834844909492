"""What plots are made of: lines with their bands, dots, bars and axes, in colours that the medium gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from focused_crawler.report.strokes import LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D

# ruff: noqa: PLC0415 - matplotlib comes with the extra "plots"; without it `plain` draws.

Colors = Mapping[str, str]
"""Variable of the style sheet without its dashes -> colour."""

Floats = NDArray[np.float64]

_STEPS = [1, 2, 2.5, 5, 10]
_LABEL_GAP = 0.062  # of an axis' height, between names at the ends of lines
_MARKERS = "".join(look.marker for look in LOOKS)


class Line(NamedTuple):
    """A curve and its style; one without a name is there to be compared with, not to be read."""

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    color: str = "muted"  # variable of the style sheet
    dashes: tuple[float, ...] = ()  # lengths on, off, ...; none: solid
    width: float = 0.9
    band: tuple[Floats, Floats] | None = None  # lower and upper end
    marker: str = ""  # matplotlib's letter; none: no markers

    @property
    def last(self) -> float:
        """The value the curve ends with; 0 where it has none."""
        return float(self.y[-1]) if len(self.y) else 0.0


class Dots(NamedTuple):
    """A row of a dot plot: a mean, its interval if it is known, and what it is the mean of."""

    name: str
    mean: float
    interval: tuple[float, float] | None
    parts: Floats
    color: str


def draw_lines(axes: Axes, colors: Colors, lines: Sequence[Line]) -> None:
    """Draw lines from the left edge to the right; nameless ones lie behind, faint."""
    for line in lines:
        color, is_named = colors[line.color], bool(line.name)
        if line.band is not None:
            axes.fill_between(line.x, *line.band, color=color, alpha=0.13, linewidth=0)
        axes.plot(
            line.x,
            line.y,
            color=color,
            linewidth=line.width,
            linestyle=(0, line.dashes) if line.dashes else "-",
            alpha=1.0 if is_named else 0.3,
            zorder=3 if is_named else 2,
            marker=line.marker or None,
            markersize=5,
            markevery=((1 + _MARKERS.find(line.marker)) / 30, 0.2),  # in parts of the axes' diagonal
        )
    axes.set_xlim(0, max((line.x[-1] for line in lines if len(line.x)), default=1))


def draw_shares(axes: Axes, colors: Colors, lines: Sequence[Line], x_label: str) -> None:
    """Draw lines of shares over numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    draw_lines(axes, colors, lines)
    share_axis(axes)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=_STEPS))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xlabel(x_label)


def sample(line: Line, colors: Colors) -> Line2D:
    """Return a piece of a line for a legend."""
    from matplotlib.lines import Line2D

    dashes = (0, line.dashes or (1, 0))
    return Line2D([], [], color=colors[line.color], linestyle=dashes, linewidth=line.width)


def label_ends(axes: Axes, colors: Colors, lines: Sequence[Line]) -> None:
    """Write each line's name beside its end, names apart enough to be read."""
    named = sorted((line for line in lines if line.name), key=lambda line: line.last)
    ends = [line.last / axes.get_ylim()[1] for line in named]
    for line, end, height in zip(named, ends, _apart(ends), strict=True):
        color, place = colors[line.color], axes.transAxes
        axes.plot([1, 1.04], [end, height], color=color, linewidth=0.7, transform=place, clip_on=False)
        axes.text(1.05, height, line.name, color=color, fontsize=9, va="center", transform=place)


def draw_dots(
    axes: Axes, colors: Colors, rows: Sequence[Dots], marks: Sequence[tuple[str, float]], x_label: str
) -> None:
    """Draw a row of dots each, the first on top, under vertical marks with their names."""
    for height, (_, mean, interval, parts, color) in enumerate(reversed(rows)):
        axes.plot(parts, np.full(len(parts), height), "o", color=colors[color], markersize=3.5, alpha=0.3)
        if interval is not None:
            axes.plot(interval, [height, height], color=colors[color], linewidth=2.4)
        axes.plot(mean, height, "o", color=colors[color], markersize=8)
    for number, (name, value) in enumerate(marks):
        mark(axes, colors, name, value, number)
    _rows(axes, colors, [row.name for row in rows])
    axes.set_xlim(0, 1.02)
    axes.set_xlabel(x_label)


def mark(axes: Axes, colors: Colors, name: str, value: float, row: int = 0) -> None:
    """Draw a vertical line with its name on top; names of different rows do not overlap."""
    axes.axvline(value, color=colors["ink"], linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate(
        name,
        xy=(value, 1),
        xytext=(0, 3 + 12 * row),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="center",
        color=colors["ink"],
        fontsize="small",
    )


def draw_cloud(axes: Axes, colors: Colors, x: ArrayLike, y: ArrayLike) -> None:
    """Draw points as the round ends of lines without length: one path, a third of the size of markers."""
    ends = np.repeat(np.asarray(x, dtype=float), 3)
    ends[2::3] = np.nan
    heights = np.repeat(np.asarray(y, dtype=float), 3)
    color = colors["series-1"]
    axes.plot(ends, heights, color=color, linewidth=3, alpha=0.4, solid_capstyle="round", zorder=2)


def draw_bars(axes: Axes, colors: Colors, bars: Sequence[tuple[str, float]], x_label: str) -> None:
    """Draw one horizontal bar each, the first on top, each with its value."""
    heights = range(len(bars))
    drawn = axes.barh(heights, [value for _, value in reversed(bars)], color=colors["series-0"], height=0.66)
    labels = [f"{value:.2f}" if value < 10 else f"{value:.0f}" for _, value in reversed(bars)]
    axes.bar_label(drawn, labels, padding=4, color=colors["ink"])
    _rows(axes, colors, [name for name, _ in bars])
    axes.set_xlim(0, 1.12 * max(value for _, value in bars) or 1.0)
    axes.set_xlabel(x_label)


def draw_columns(
    axes: Axes, colors: Colors, columns: Sequence[tuple[float, float, int]], x_label: str
) -> None:
    """Draw counts of what lies between two numbers of [0, 1]: low, high, count."""
    low, high, numbers = np.reshape(columns, (-1, 3)).T
    axes.bar((low + high) / 2, numbers, width=0.86 * (high - low), color=colors["series-0"], zorder=3)
    axes.set_xlim(0, 1)
    axes.grid(axis="y", zorder=0)
    count_axis(axes.yaxis, 4)
    axes.set_xlabel(x_label)


def share_axis(axes: Axes, top: float = 1.0) -> None:
    """Let the vertical axis show shares, in per cent."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    axes.set_ylim(0, 1.02 * top)
    axes.grid(axis="y", zorder=0)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))


def count_axis(axis: Axis, ticks: int = 5) -> None:
    """Let an axis show whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(ticks, steps=_STEPS, integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(short))


def short(number: float, _position: int | None = None) -> str:
    """Return a number as axes have it.

    >>> short(9_000), short(25_000)
    ('9,000', '25k')
    """
    return f"{number / 1000:g}k" if number >= 10_000 else f"{number:,.0f}"


def _rows(axes: Axes, colors: Colors, names: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.tick_params(axis="y", labelcolor=colors["ink"])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.grid(axis="x", zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))


def _apart(heights: Sequence[float]) -> list[float]:
    """Move rising heights as little as gives each its distance: crowds spread about their middle.

    >>> [round(height, 3) for height in _apart([0.1, 0.5, 0.5])]
    [0.1, 0.469, 0.531]
    """
    from scipy.optimize import isotonic_regression  # loads slowly

    if not heights:
        return []
    gaps = _LABEL_GAP * np.arange(len(heights))  # what their neighbours below take
    middles = isotonic_regression(np.asarray(heights) - gaps).x
    return [float(height) for height in np.clip(middles, 0.0, 1 - gaps[-1]) + gaps]
