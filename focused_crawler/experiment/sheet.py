"""Plots of one or more panels: as a PNG file, or panel by panel for the report's page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from focused_crawler.experiment.drawing import Line, label_ends
from focused_crawler.report import look
from focused_crawler.report.look import Colors

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
