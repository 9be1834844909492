"""Plots as SVG for an HTML page: drawn by matplotlib, coloured and lettered by the page's style sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from focused_crawler.classify.evaluation import Bin
from focused_crawler.report.style import STAND_INS, Colors, svg
from focused_crawler.report.summary import Band, Curve, moving_average

MAX_DOTS = 1500
BINS = 20
_SIZE = (440, 250)  # units of the viewBox; one unit is about one CSS pixel on a phone
_STEPS = [1, 2, 2.5, 5, 10]


class Stroke(NamedTuple):
    """How one crawl's curve looks; two differ in dashes and marker too, for readers who see no colours."""

    series: int  # number of the colour
    dashes: tuple[float, ...]  # lengths on, off, ...; none: solid
    marker: str  # matplotlib's letter; none: no markers

    @property
    def color(self) -> str:
        """The stand-in for its colour."""
        return STAND_INS[f"series-{self.series}"]


OWN = Stroke(0, (), "")
_OTHERS = (
    Stroke(1, (7, 3), "o"),
    Stroke(2, (2, 2), "s"),
    Stroke(3, (9, 3, 2, 3), "^"),
    Stroke(4, (12, 4), "D"),
    Stroke(5, (4, 2, 1.5, 2, 1.5, 2), "v"),
    Stroke(6, (1.5, 3), "P"),
    Stroke(7, (9, 5), "X"),
)


class Series(NamedTuple):
    """A curve with its name."""

    name: str
    curve: Curve
    stroke: Stroke


def strokes(others: int) -> list[Stroke]:
    """Return the look of a crawl and of so many that it is compared with."""
    return [OWN, *(_OTHERS[number % len(_OTHERS)] for number in range(others))]


def curves(name: str, series: Sequence[Series]) -> str:
    """Draw shares over pages fetched, the first series on top and strongest."""

    def draw(axes: Axes) -> None:
        for line in reversed(series):
            _draw_line(axes, line)
        highest = max((value for line in series for value in line.curve.values[1:]), default=1.0)
        _percent_axis(axes, 1.0 if highest > 0.6 else min(1.0, 1.15 * highest or 1.0))
        _pages_axis(axes, max((line.curve.pages[-1] for line in series if line.curve.pages), default=1))

    return _svg(name, draw)


def relevance_over_time(name: str, relevances: Sequence[float]) -> str:
    """Draw each page's relevance as a dot (thinned evenly to `MAX_DOTS`) under the moving average."""
    window = average_window(len(relevances))

    def draw(axes: Axes) -> None:
        step = -(-len(relevances) // MAX_DOTS) or 1
        _draw_dots(axes, range(1, len(relevances) + 1, step), relevances[::step])
        _draw_line(axes, Series("", moving_average(relevances, window), OWN))
        _percent_axis(axes, 1.0)
        _pages_axis(axes, max(len(relevances), 1))

    return _svg(name, draw)


def average_window(pages: int) -> int:
    """How many pages the moving average takes: 100, or fewer in a short crawl."""
    return max(1, min(100, pages // 10))


def histogram(name: str, relevances: Sequence[float]) -> str:
    """Draw how many pages have which relevance."""

    def draw(axes: Axes) -> None:
        heights, edges = np.histogram(np.clip(relevances, 0.0, 1.0), bins=BINS, range=(0.0, 1.0))
        _draw_bars(axes, (edges[:-1] + 0.5 / BINS).tolist(), heights.tolist(), 1 / BINS)
        axes.set_xlabel("relevance")

    return _svg(name, draw)


def frontier(name: str, bands: Sequence[Band]) -> str:
    """Draw how many URLs of which score are left."""

    def draw(axes: Axes) -> None:
        for band in bands:
            _draw_bars(axes, [(band.low + band.high) / 2], [band.urls], band.high - band.low)
        axes.set_xlabel("score in the frontier")

    return _svg(name, draw)


def reliability_plot(name: str, bins: Sequence[Bin]) -> str:
    """Draw which share of the pages is relevant over what was said of them; on the diagonal both agree.

    A dot is a bin, its number and its area those of its held-out pages.
    """

    def draw(axes: Axes) -> None:
        axes.plot((0, 1), (0, 1), color=STAND_INS["muted"], linewidth=1.2, linestyle=(0, (4, 4)), zorder=2)
        most = max((held.pages for held in bins), default=1)
        for held in bins:
            size = 5 + 9 * (held.pages / most) ** 0.5
            axes.plot([held.said], [held.true], color=OWN.color, marker="o", markersize=size, zorder=3)
            is_high = held.true > 0.5
            axes.annotate(
                str(held.pages),
                (held.said, held.true),
                textcoords="offset points",
                xytext=(0, -size / 2 - 4 if is_high else size / 2 + 4),
                ha="center",
                va="top" if is_high else "bottom",
            )
        _percent_axis(axes, 1.0)
        axes.set_xlim(-0.04, 1.04)
        axes.set_ylim(-0.06, 1.06)
        axes.set_xlabel("relevance")

    return _svg(name, draw)


def _draw_line(axes: Axes, series: Series) -> None:
    _, curve, stroke = series
    is_own = stroke is OWN
    axes.plot(
        curve.pages,
        curve.values,
        color=stroke.color,
        linewidth=2.6 if is_own else 1.6,
        linestyle=(0, stroke.dashes) if stroke.dashes else "-",
        marker=stroke.marker or None,
        markersize=5,
        markevery=(stroke.series / 30, 0.2),  # in parts of the axes' diagonal; each series starts elsewhere
        zorder=4 if is_own else 3,
    )


def _draw_dots(axes: Axes, pages: Sequence[int], values: Sequence[float]) -> None:
    """Draw points as the round ends of lines without length: one path, a third of the size of markers."""
    x = np.repeat(np.asarray(pages, dtype=float), 3)
    y = np.repeat(np.asarray(values, dtype=float), 3)
    x[2::3] = np.nan
    axes.plot(x, y, color=STAND_INS["series-1"], linewidth=3, alpha=0.4, solid_capstyle="round", zorder=2)


def _draw_bars(axes: Axes, middles: Sequence[float], heights: Sequence[int], width: float) -> None:
    axes.bar(middles, heights, width=0.86 * width, color=OWN.color, zorder=3)
    axes.set_xlim(0, 1)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=_STEPS, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))


def _percent_axis(axes: Axes, top: float) -> None:
    axes.set_ylim(0, 1.02 * top)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))


def _pages_axis(axes: Axes, last: int) -> None:
    axes.set_xlim(0, last)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=_STEPS, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter(FuncFormatter(_short))
    axes.set_xlabel("pages fetched")


def _short(number: float, _position: int | None = None) -> str:
    return f"{number / 1000:g}k" if number >= 10_000 else f"{number:,.0f}"


def _svg(name: str, draw: Callable[[Axes], None]) -> str:
    def draw_figure(figure: Figure, _colors: Colors) -> None:
        axes = figure.add_subplot()
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.grid(axis="y", zorder=0)
        draw(axes)

    return svg(name, _SIZE, draw_figure)
