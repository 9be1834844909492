"""Lines, dots and bars of an experiment's plots, in colours that the medium gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from textwrap import fill
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from focused_crawler.experiment.measures import Floats
from focused_crawler.experiment.statistics import Band, Interval
from focused_crawler.report import style as look
from focused_crawler.report.style import Colors

_STEPS = [1, 2, 2.5, 5, 10]
_LABEL_GAP = 0.062  # of an axis' height, between names at the ends of lines


class Line(NamedTuple):
    """A curve and how it looks; one without a name is there to be compared with, not to be read."""

    name: str
    x: Floats
    y: Floats
    color: str = "muted"  # variable of the style sheet
    dashes: tuple[float, ...] = ()
    width: float = 0.9
    band: Band | None = None

    @property
    def last(self) -> float:
        """The value the curve ends with."""
        return float(self.y[-1])


class Dots(NamedTuple):
    """A row of a dot plot: a mean, its interval, and what it is the mean of."""

    name: str
    interval: Interval
    parts: Floats
    color: str


def draw_lines(axes: Axes, colors: Colors, lines: Sequence[Line], x_label: str) -> None:
    """Draw shares over pages; nameless lines lie behind, faint."""
    for line in lines:
        color, is_named = colors[line.color], bool(line.name)
        if line.band is not None and line.band.is_known:
            axes.fill_between(line.x, line.band.low, line.band.high, color=color, alpha=0.13, linewidth=0)
        axes.plot(
            line.x,
            line.y,
            color=color,
            linewidth=line.width,
            linestyle=(0, line.dashes) if line.dashes else "-",
            alpha=1.0 if is_named else 0.3,
            zorder=3 if is_named else 2,
        )
    _share_axis(axes)
    axes.set_xlim(0, max(line.x[-1] for line in lines))
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=_STEPS))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xlabel(x_label)


def label_ends(axes: Axes, colors: Colors, lines: Sequence[Line]) -> None:
    """Write each line's name beside its end, names apart enough to be read."""
    named = sorted((line for line in lines if line.name), key=lambda line: line.last)
    ends = [line.last / axes.get_ylim()[1] for line in named]
    for line, end, height in zip(named, ends, _apart(ends), strict=True):
        color, place = colors[line.color], axes.transAxes
        axes.plot([1, 1.04], [end, height], color=color, linewidth=0.7, transform=place, clip_on=False)
        axes.text(1.05, height, line.name, color=color, fontsize=9, va="center", transform=place)


def draw_dots(axes: Axes, colors: Colors, rows: Sequence[Dots], marks: Sequence[tuple[str, float]]) -> None:
    """Draw one row a strategy, the first on top, under vertical marks with their names."""
    for height, (_, interval, parts, color) in enumerate(reversed(rows)):
        axes.plot(parts, np.full(len(parts), height), "o", color=colors[color], markersize=3.5, alpha=0.3)
        if interval.is_known:
            axes.plot([interval.low, interval.high], [height, height], color=colors[color], linewidth=2.4)
        axes.plot(interval.mean, height, "o", color=colors[color], markersize=8)
    for row, (name, value) in enumerate(marks):
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
    _rows(axes, colors, [row.name for row in rows])
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("share of the upper bound's area")


def draw_bars(axes: Axes, colors: Colors, bars: Sequence[tuple[str, float]], x_label: str) -> None:
    """Draw one bar a strategy, the first on top, each with its value."""
    heights = range(len(bars))
    drawn = axes.barh(heights, [value for _, value in reversed(bars)], color=colors["series-0"], height=0.66)
    labels = [f"{value:.2f}" if value < 10 else f"{value:.0f}" for _, value in reversed(bars)]
    axes.bar_label(drawn, labels, padding=4, color=colors["ink"])
    _rows(axes, colors, [name for name, _ in bars])
    axes.set_xlim(0, 1.12 * max(value for _, value in bars) or 1.0)
    axes.set_xlabel(x_label)


def _rows(axes: Axes, colors: Colors, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.tick_params(axis="y", labelcolor=colors["ink"])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.grid(axis="x", zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))


def _share_axis(axes: Axes) -> None:
    axes.set_ylim(0, 1.02)
    axes.grid(axis="y", zorder=0)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))


def _apart(heights: Sequence[float]) -> list[float]:
    """Move rising heights as little as gives each its distance: crowds spread about their middle.

    >>> [round(height, 3) for height in _apart([0.1, 0.5, 0.5])]
    [0.1, 0.469, 0.531]
    """
    crowds: list[list[float]] = []  # heights, less what their neighbours below take
    for number, height in enumerate(heights):
        crowds.append([height - number * _LABEL_GAP])
        while len(crowds) > 1 and fmean(crowds[-2]) > fmean(crowds[-1]):
            last = crowds.pop()
            crowds[-1] += last
    middles = [fmean(crowd) for crowd in crowds for _ in crowd]
    highest = 1 - (len(heights) - 1) * _LABEL_GAP
    return [min(max(middle, 0.0), highest) + number * _LABEL_GAP for number, middle in enumerate(middles)]


_LETTERS = 12  # of the note in an inch
_LEGEND = 2.4  # inches of a legend beside all panels


class Panel(NamedTuple):
    """One pair of axes."""

    title: str
    draw: Callable[[Axes, Colors], None]
    lines: Sequence[Line] = ()


class Plot(NamedTuple):
    """A figure of one or more panels."""

    file: str
    title: str
    note: str
    panels: Sequence[Panel]
    columns: int
    inches: tuple[float, float]  # a panel in the file
    pixels: tuple[float, float]  # a panel on a page
    is_shared: bool = False  # one legend is for all panels; else names stand at the ends of each one's lines


def save(plot: Plot, folder: Path) -> Path:
    """Write a figure as PNG."""
    columns = min(plot.columns, len(plot.panels))
    rows = -(-len(plot.panels) // columns)
    width, height = plot.inches
    path = folder / f"{plot.file}.png"
    look.save_png(
        path,
        (width * columns + _LEGEND * plot.is_shared, height * rows + 0.7),
        partial(_draw_sheet, plot, rows, columns),
    )
    return path


def svg(plot: Plot, panel: Panel) -> str:
    """Return one panel of a figure for a page."""
    name = f"{plot.title}: {panel.title}" if panel.title else plot.title

    def draw(figure: Figure, colors: Colors) -> None:
        panel.draw(_axes(figure.add_subplot()), colors)

    return look.svg(name, plot.pixels, draw)


def _draw_sheet(plot: Plot, rows: int, columns: int, figure: Figure, colors: Colors) -> None:
    figure.suptitle(plot.title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=colors["ink"])
    note = fill(plot.note, int(_LETTERS * columns * plot.inches[0]))
    figure.supxlabel(note, x=0.012, ha="left", fontsize=10, color=colors["muted"])
    sheet = figure.subplots(rows, columns, squeeze=False).flat
    for panel in plot.panels:
        axes = _axes(next(sheet))
        axes.set_title(panel.title, loc="left", fontsize=11, pad=8)
        panel.draw(axes, colors)
        if not plot.is_shared:
            label_ends(axes, colors, panel.lines)
    for empty in sheet:
        empty.set_visible(False)
    if plot.is_shared:
        _legend(figure, colors, [line for line in plot.panels[0].lines if line.name])


def _legend(figure: Figure, colors: Colors, lines: Sequence[Line]) -> None:
    samples = [
        Line2D([], [], color=colors[line.color], linestyle=(0, line.dashes or (1, 0)), linewidth=line.width)
        for line in lines
    ]
    names = [line.name for line in lines]
    figure.legend(samples, names, loc="outside right center", frameon=False, handlelength=3.4)


def _axes(axes: Axes) -> Axes:
    axes.spines[["top", "right", "left"]].set_visible(False)
    return axes
