"""Panels of the studies' plots: curves over pages, and bars side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from benchmarks.studies.crawls import Floats
from focused_crawler.report.drawing import Colors, Line, draw_shares
from focused_crawler.report.plots import Panel, Plot
from focused_crawler.report.summary import moving_average

DOTTED, DASHED = (1.2, 2.2), (5.0, 2.5)


class Bars(NamedTuple):
    """What a crawler has of each kind."""

    name: str
    color: str
    heights: Floats


def save_all(plots: Iterable[Plot], folder: Path) -> None:
    """Write plots as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        plot.save(folder)


def averages(values: Floats, window: int, length: int) -> Floats:
    """Return the moving average after each page, NaN where there are no pages any more."""
    curve = np.full(length, np.nan)
    curve[: len(values)] = moving_average(values.tolist(), window, len(values)).values
    return curve


def curve(name: str, values: Floats, color: str, dashes: tuple[float, ...] = (), width: float = 1.8) -> Line:
    """Return a line whose first value is that after one page."""
    return Line(name, np.arange(1, len(values) + 1), values, color, dashes, width)


def lines_panel(
    title: str, lines: Sequence[Line], x_label: str = "pages fetched", last: int = 0, mark: int = 0
) -> Panel:
    """Draw lines up to a page, the last of all by default, with a vertical line at another."""

    def drawn(axes: Axes, colors: Colors) -> None:
        draw_shares(axes, colors, [line for line in lines if len(line.x)], x_label)
        if last:
            axes.set_xlim(0, last)
        if 0 < mark < axes.get_xlim()[1]:
            axes.axvline(mark, color=colors["muted"], linewidth=0.8, zorder=1)

    return Panel(title, drawn, lines)


def bars_panel(title: str, groups: Sequence[Bars], kinds: Sequence[str], x_label: str) -> Panel:
    """Draw groups of bars side by side, kind by kind."""
    samples = [Line(group.name, np.array([]), np.array([]), group.color, (), 7.0) for group in groups]
    width = 0.84 / len(groups)

    def drawn(axes: Axes, colors: Colors) -> None:
        places = np.arange(len(kinds))
        for number, group in enumerate(groups):
            shift = (number - (len(groups) - 1) / 2) * width
            axes.bar(places + shift, group.heights, width, color=colors[group.color], zorder=2)
        axes.set_xticks(places, kinds, fontsize=8)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="y", zorder=0)
        axes.set_xlabel(x_label)

    return Panel(title, drawn, samples)
