"""Panels drawn by matplotlib, as figures: for PNG files and notebooks. Pages have them by `svg`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from focused_crawler.report.html import style_sheet
from focused_crawler.report.panels import STEPS, Colors, Line, Panel, apart, short
from focused_crawler.report.strokes import LOOKS

_LETTERS = 12  # of the note in an inch
_LEGEND = 2.4  # inches of a legend beside all panels
_LABEL_GAP = 0.062  # of an axis' height, between names at the ends of lines
_MARKERS = "".join(look.marker for look in LOOKS)


def figure_of(
    title: str, note: str, panels: Sequence[Panel], size: tuple[float, float, int], *, is_shared: bool
) -> Figure:
    """Return panels as one figure, on light paper.

    `size`: inches of a panel, and how many stand side by side; `is_shared`: one legend is for all of them.
    """
    colors = _light()
    width, height, columns = size
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    inches = (width * columns + _LEGEND * is_shared, height * rows + 0.7)
    with mpl.rc_context(_style(colors)):
        figure = Figure(figsize=inches, layout="constrained", facecolor=colors["paper"])
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=colors["ink"])
        written = fill(note, int(_LETTERS * columns * width))
        figure.supxlabel(written, x=0.012, ha="left", fontsize=10, color=colors["muted"])
        places = figure.subplots(rows, columns, squeeze=False).flat
        for panel in panels:
            axes = next(places)
            axes.set_title(panel.title, loc="left", fontsize=11, pad=8)
            draw(axes, colors, panel)
            if not is_shared:
                _label_ends(axes, colors, panel.lines)
        for empty in places:
            empty.set_visible(False)
        if is_shared:
            named = [line for line in panels[0].lines if line.name]
            samples, names = [_sample(line, colors) for line in named], [line.name for line in named]
            figure.legend(samples, names, loc="outside right center", frameon=False, handlelength=3.4)
    return figure


def draw(axes: Axes, colors: Colors, panel: Panel) -> None:
    """Draw a panel as its kind is drawn, or in its own way."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel(panel.x_label)
    if panel.draw is not None:
        panel.draw(axes, colors)
    elif panel.rows or panel.bars:
        _draw_rows(axes, colors, panel)
    else:
        _draw_curves(axes, colors, panel)
    for number, (name, value) in enumerate(panel.marks):
        _mark(axes, colors, name, value, number)


def _draw_curves(axes: Axes, colors: Colors, panel: Panel) -> None:
    """Draw columns, or lines over dots."""
    if panel.columns:
        low, high, numbers = np.reshape(panel.columns, (-1, 3)).T
        axes.bar((low + high) / 2, numbers, width=0.86 * (high - low), color=colors["series-0"], zorder=3)
    if panel.dots:
        look: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0, "alpha": 0.4, "zorder": 2}
        axes.plot(*np.transpose(panel.dots), "o", color=colors["series-1"], **look)
    for line in reversed(panel.lines):
        _draw_line(axes, colors, line)
    for x, y, radius, text in panel.points:
        axes.plot([x], [y], "o", color=colors["series-0"], markersize=2 * radius, zorder=5)
        axes.annotate(text, (x, y), textcoords="offset points", xytext=(0, radius + 4), ha="center")
    axes.grid(axis="y", zorder=0)
    axes.set_xlim(0, panel.right)
    axes.set_ylim(0, 1.02 * panel.top if panel.is_share else panel.top)
    if panel.is_share:
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))
    else:
        _count(axes.yaxis)
    if panel.counts_across:
        _count(axes.xaxis)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))


def _draw_line(axes: Axes, colors: Colors, line: Line) -> None:
    """Draw a line; nameless ones lie behind, faint."""
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


def _draw_rows(axes: Axes, colors: Colors, panel: Panel) -> None:
    """Draw a row of dots each, or a bar with its value, the first on top."""
    for height, (_, mean, interval, parts, color) in enumerate(reversed(panel.rows)):
        axes.plot(parts, np.full(len(parts), height), "o", color=colors[color], markersize=3.5, alpha=0.3)
        if interval is not None:
            axes.plot(interval, [height, height], color=colors[color], linewidth=2.4)
        axes.plot(mean, height, "o", color=colors[color], markersize=8)
    values = [value for _, value in reversed(panel.bars)]
    if values:
        drawn = axes.barh(range(len(values)), values, color=colors["series-0"], height=0.66)
        labels = [f"{value:.2f}" if value < 10 else f"{value:.0f}" for value in values]
        axes.bar_label(drawn, labels, padding=4, color=colors["ink"])
    names = [row[0] for row in panel.rows or panel.bars]
    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.tick_params(axis="y", labelcolor=colors["ink"])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlim(0, 1.12 * max(values) or 1.0 if values else 1.02)
    axes.grid(axis="x", zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=STEPS))


def _sample(line: Line, colors: Colors) -> Line2D:
    """Return a piece of a line for a legend."""
    dashes = (0, line.dashes or (1, 0))
    return Line2D([], [], color=colors[line.color], linestyle=dashes, linewidth=line.width)


def _label_ends(axes: Axes, colors: Colors, lines: Sequence[Line]) -> None:
    """Write each line's name beside its end, names apart enough to be read."""
    named = sorted((line for line in lines if line.name), key=lambda line: line.last)
    ends = [line.last / axes.get_ylim()[1] for line in named]
    for line, end, height in zip(named, ends, apart(ends, _LABEL_GAP), strict=True):
        color, place = colors[line.color], axes.transAxes
        axes.plot([1, 1.04], [end, height], color=color, linewidth=0.7, transform=place, clip_on=False)
        axes.text(1.05, height, line.name, color=color, fontsize=9, va="center", transform=place)


def _mark(axes: Axes, colors: Colors, name: str, value: float, row: int) -> None:
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


def _count(axis: Axis) -> None:
    """Let an axis show whole numbers."""
    axis.set_major_locator(MaxNLocator(5, steps=STEPS, integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(short))


def _style(colors: Colors) -> dict[Any, Any]:
    """Return a style that no setting of the user's changes."""
    ink, muted, line = colors["ink"], colors["muted"], colors["line"]
    return {
        **mpl.rcParamsDefault,
        "backend": "agg",
        "text.parse_math": False,
        "font.size": 10,
        "text.color": ink,
        "axes.facecolor": "none",
        "axes.titlecolor": ink,
        "axes.labelcolor": muted,
        "axes.edgecolor": line,
        "axes.axisbelow": True,
        "grid.color": line,
        "grid.linewidth": 1,
        "xtick.color": line,
        "ytick.color": line,
        "xtick.labelcolor": muted,
        "ytick.labelcolor": muted,
        "ytick.major.size": 0,
    }


def _light() -> Mapping[str, str]:
    """Read the colours for a light screen: the style sheet's first."""
    found = re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style_sheet())
    return dict(reversed(found))
