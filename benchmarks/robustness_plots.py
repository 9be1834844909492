"""The paper's Figures 4 to 11 for a recorded web, a panel a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from benchmarks.robustness_crawls import COMPARED, DEFAULT, FOCUS, HALVED, OUTSIDE, D, E
from benchmarks.robustness_overlap import Floats
from benchmarks.robustness_rating import BEST, FARTHEST, histogram, top_chance, top_overlap
from benchmarks.robustness_spread import BINS, spread
from benchmarks.robustness_study import Study
from focused_crawler.report.drawing import Colors, Line, draw_shares
from focused_crawler.report.plots import Panel, Plot
from focused_crawler.report.summary import moving_average

COLORS = dict(
    zip(("soft_focus", "hard_focus", "unfocused", DEFAULT), map("series-{}".format, range(4)), strict=True)
)
OUTSIDE_COLORS = {"soft_focus": "series-5", DEFAULT: "series-4"}
INCHES, PIXELS, COLUMNS = (3.1, 2.35), (290, 200), 4
DOTTED, DASHED = (1.2, 2.2), (5.0, 2.5)
WINDOWS = (100, 1000)
TOP = 25
"""Resources of the paper's Figure 10."""

Panels = Callable[[Study], Panel]


class Bars(NamedTuple):
    """What a crawler has of each kind."""

    name: str
    color: str
    heights: Floats


def draw(folder: Path, found: Sequence[Study]) -> None:
    """Write all figures."""
    folder.mkdir(parents=True, exist_ok=True)
    for plot in figures(found):
        plot.save(folder)


def figures(found: Sequence[Study]) -> Iterator[Plot]:
    """Yield them in the paper's order."""
    names = ("Unfocused", "Hard focus", "Soft focus")
    for number, (strategy, name) in enumerate(zip(FOCUS, names, strict=True), 4):
        yield _plot(
            f"figure_{number}",
            f"{name}: relevance of the last pages fetched",
            _HARVEST,
            found,
            partial(_harvest, strategy=strategy),
        )
    yield _plot("figure_7", "R of the first |T| pages", _SPREAD, found, _spread)
    yield _plot("figure_8", "URLs that two crawls share", _OVERLAP, found, _overlap)
    yield _plot("figure_8_halves", "URLs that crawls from random start pages share", _HALVES, found, _halves)
    yield _plot("figure_9", "Hosts that two crawls share", _HOSTS, found, _hosts)
    yield _plot("figure_9_numbers", "Hosts that the crawls have visited", _NUMBERS, found, _host_numbers)
    yield _plot("figure_10", "The best rated of two crawls", _TOP, found, _top)
    yield _plot("figure_11", "How far the best rated are from the start pages", _FAR, found, _far)


_PAIR = (
    "From seed sets d and e, each 20 relevant pages and one page of a directory that both hold; the crawl"
    " from e breaks ties in another order. "
)
_HARVEST = (
    "Moving averages of the crawler's own R over 1,000 pages, and over 100 (faint), from seed set d; shaded:"
    " the range over those of the five seed sets whose crawls go on. Dashed: share of relevant pages by the"
    " ground truth. A line that ends early is a crawl that ran dry."
)
_SPREAD = (
    "Share of the first |T| pages, as many as are relevant, by their R: the mean over five seed sets. Written"
    " is where a bin begins; the last is R = 1 to the last bit."
)
_OVERLAP = (
    _PAIR + "Dashed: soft focus twice from set d, with other ties. Dotted: if the pages were any reachable"
    " ones, and if the relevant ones of soft focus were any of the topic. Vertical: |T|, as many pages as are"
    " relevant."
)
_HALVES = (
    "Two disjoint random 30 % of all start pages each: mean and range of 5 draws. Dotted: chance. Vertical:"
    " |T|. A panel ends where one of the crawls has nothing left to fetch."
)
_HOSTS = (
    _PAIR + "Share of the hosts of the crawl from d (solid), and of that from e (faint). Dotted: the hosts of"
    f" two random sets of pages, and random sets of as many hosts as {DEFAULT} has visited. Vertical: |T|."
)
_NUMBERS = (
    _PAIR + "Share of all hosts that can be reached: visited from d (solid), from e (faint), and by both"
    " (dashed). Vertical: |T|."
)
_TOP = (
    _PAIR + "|top k of both| / k after |T| pages, as many as are relevant: pages by all their links, since"
    " those between hosts rate almost none. Dotted: the same pages in random order. Vertical: the paper's top"
    f" {TOP}. A line ends where no more pages are rated."
)
_FAR = (
    f"The {BEST} best pages, by all links, after |T| pages, by the fewest links from a start page through"
    " pages of the crawl: mean of the crawls from d and e, of twenty relevant pages, and the crawl from c, of"
    f" two pages off the topic. {FARTHEST}: that or more."
)


def _plot(file: str, title: str, note: str, found: Sequence[Study], panel: Panels) -> Plot:
    return Plot(file, title, note, [panel(study) for study in found], COLUMNS, INCHES, PIXELS, is_shared=True)


def _harvest(study: Study, strategy: str) -> Panel:
    trips = study.of(strategy)
    longest = max(len(trip.visits) for trip in trips)
    own = next(trip for trip in trips if trip.start == D)
    x = np.arange(1, len(own.visits) + 1)
    spread = np.array([_averages(trip.relevance, WINDOWS[1], longest)[: len(x)] for trip in trips])
    band = (np.nanmin(spread, axis=0), np.nanmax(spread, axis=0))
    color = COLORS[strategy]
    lines = [
        Line("", x, _averages(own.relevance, WINDOWS[0], len(x)), color),
        Line("R, over 1,000 pages", x, _averages(own.relevance, WINDOWS[1], len(x)), color, (), 2.0, band),
        Line("relevant by truth", x, _averages(own.hits, WINDOWS[1], len(x)), "ink", DASHED, 1.3),
    ]
    return _lines(study.topic, lines, last=longest)


def _averages(values: Floats, window: int, length: int) -> Floats:
    """Return the moving average after each page, NaN where there are no pages any more."""
    curve = np.full(length, np.nan)
    curve[: len(values)] = moving_average(values.tolist(), window, len(values)).values
    return curve


def _spread(study: Study) -> Panel:
    bars = [Bars(name, COLORS[name], spread(study.of(name))) for name in reversed(FOCUS)]
    return _bars(study.topic, bars, [name for name, _ in BINS], "R")


def _overlap(study: Study) -> Panel:
    soft = "soft_focus"
    within = study.chance_within(soft)[: study.targets]
    lines = [_line(name, study.pages(name).mean, COLORS[name]) for name in COMPARED]
    lines.append(_line(f"{soft}, d twice", study.ties(soft).mean, COLORS[soft], DASHED, 1.2))
    lines.append(_line(f"{soft}, chance in topic", within, COLORS[soft], DOTTED, 1.3))
    lines.append(_line("chance", study.chance(_longest(lines)), "ink", DOTTED, 1.3))
    return _lines(study.topic, lines, mark=study.targets)


def _halves(study: Study) -> Panel:
    lines = []
    for name in HALVED:
        draws = study.halves(name)
        band = (draws.min(axis=0), draws.max(axis=0))
        lines.append(_line(name, draws.mean(axis=0), COLORS[name])._replace(band=band))
    lines.append(_line("chance", study.chance(_longest(lines)), "ink", DOTTED, 1.3))
    return _lines(study.topic, lines, mark=study.targets)


def _hosts(study: Study) -> Panel:
    lines = []
    for name in COMPARED:
        overlap = study.sites(name)
        lines += [_line(name, overlap.of_first, COLORS[name]), _line("", overlap.of_second, COLORS[name])]
    lines.append(_line("random pages", study.chance_of_sites(_longest(lines)), "ink", DOTTED, 1.3))
    as_many = study.random_hosts(study.sites(DEFAULT))
    lines.append(_line("random hosts", as_many, COLORS[DEFAULT], DOTTED, 1.3))
    return _lines(study.topic, lines, mark=study.targets)


def _host_numbers(study: Study) -> Panel:
    every = len(np.unique(study.ground.hosts[study.reachable]))
    lines = []
    for name in COMPARED:
        overlap = study.sites(name)
        lines.append(_line(name, overlap.first / every, COLORS[name]))
        lines.append(_line("", overlap.second / every, COLORS[name]))
        lines.append(_line(f"{name}, in both", overlap.shared / every, COLORS[name], DASHED, 1.2))
    return _lines(study.topic, lines, mark=study.targets)


def _top(study: Study) -> Panel:
    lines = []
    for name in HALVED:
        first, second = study.rated(name, study.targets, inside=True)
        lines.append(_line(name, top_overlap(first.pages, second.pages, BEST), COLORS[name]))
        chance = top_chance(first.pages, second.pages, BEST)
        lines.append(_line(f"{name}, chance", chance, COLORS[name], DOTTED, 1.3))
    return _lines(study.topic, lines, "top k", BEST, mark=TOP)


def _far(study: Study) -> Panel:
    bars = []
    for name in HALVED:
        for starts, where in (((D, E), "d, e"), ((OUTSIDE,), OUTSIDE.seeds)):
            far = study.distances(name, starts, study.targets, inside=True)
            color = COLORS[name] if len(starts) > 1 else OUTSIDE_COLORS[name]
            bars.append(Bars(f"{name}, from {where}", color, histogram([one.pages for one in far])))
    kinds = [str(number) for number in range(FARTHEST + 1)]
    return _bars(study.topic, bars, kinds, "links from the start pages")


def _line(name: str, values: Floats, color: str, dashes: tuple[float, ...] = (), width: float = 1.8) -> Line:
    return Line(name, np.arange(1, len(values) + 1), values, color, dashes, width)


def _longest(lines: Sequence[Line]) -> int:
    return max(len(line.x) for line in lines)


def _lines(
    topic: str, lines: Sequence[Line], x_label: str = "pages fetched", last: int = 0, mark: int = 0
) -> Panel:
    def drawn(axes: Axes, colors: Colors) -> None:
        draw_shares(axes, colors, [line for line in lines if line.x.size], x_label)
        if last:
            axes.set_xlim(0, last)
        if 0 < mark < axes.get_xlim()[1]:
            axes.axvline(mark, color=colors["muted"], linewidth=0.8, zorder=1)

    return Panel(topic, drawn, lines)


def _bars(topic: str, groups: Sequence[Bars], kinds: Sequence[str], x_label: str) -> Panel:
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

    return Panel(topic, drawn, samples)
