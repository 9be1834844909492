"""The paper's Figures 4 to 11 for a recorded web, a panel a topic."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from benchmarks.studies import shared_pages as shared
from benchmarks.studies.crawls import Floats, Numbers
from benchmarks.studies.shared_pages import BEST, COMPARED, DEFAULT, FOCUS, HALVED, OUTSIDE, D, E, Study
from focused_crawler.report.panels import Colors, Line, Panel
from focused_crawler.report.plots import Plot
from focused_crawler.report.summary import moving_average

COLORS = dict.fromkeys(("unfocused", "random"), "series-2")
COLORS |= {"soft_focus": "series-0", "hard_focus": "series-1", DEFAULT: "series-3"}
OUTSIDE_COLORS = {"soft_focus": "series-5", DEFAULT: "series-4"}
DOTTED, DASHED = (1.2, 2.2), (5.0, 2.5)
INCHES, PIXELS, COLUMNS = (3.1, 2.35), (290, 200), 4
WINDOWS = (50, 200)
TOP = 25  # resources of the paper's Figure 10
FARTHEST = 8  # distances from here on are one bar

TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def draw(folder: Path, found: Sequence[Study]) -> None:
    """Write all figures, in the paper's order."""
    harvests = [partial(_harvest, strategy=strategy) for strategy in FOCUS]
    panels: list[Callable[[Study], Panel]] = [
        *harvests, _spread, _overlap, _halves, _hosts, _host_numbers, _top, _far
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for (file, text), panel in zip(TEXTS.items(), panels, strict=True):
        drawn = list(map(panel, found))
        Plot(file, *text.values(), drawn, COLUMNS, INCHES, PIXELS, is_shared=True).save(folder)


def _harvest(study: Study, strategy: str) -> Panel:
    crawls, color = study.of(strategy), COLORS[strategy]
    longest = max(len(crawl.visits) for crawl in crawls)
    own = next(crawl for crawl in crawls if crawl.start == D)
    length = len(own.visits)
    spans = np.array([averages(crawl.relevance, WINDOWS[1], longest)[:length] for crawl in crawls])
    band = np.nanmin(spans, axis=0), np.nanmax(spans, axis=0)
    lines = [
        curve("", averages(own.relevance, WINDOWS[0], length), color, width=0.9),
        curve("R, over 200 pages", averages(own.relevance, WINDOWS[1], length), color, (), 2.0),
        curve("relevant by truth", averages(own.hits, WINDOWS[1], length), "ink", DASHED, 1.3),
    ]
    lines[1] = lines[1]._replace(band=band)
    return lines_panel(study.topic, lines, last=longest)


def _spread(study: Study) -> Panel:
    bars = [Bars(name, COLORS[name], shared.spread(study.of(name))) for name in reversed(FOCUS)]
    return bars_panel(study.topic, bars, [name for name, _ in shared.BINS], "R")


def _overlap(study: Study) -> Panel:
    soft = "soft_focus"
    within = study.chance_within(soft)[: study.targets]
    lines = [curve(name, study.pages(name), COLORS[name]) for name in COMPARED]
    lines.append(curve(f"{soft}, d twice", study.pages(soft, "twice"), COLORS[soft], DASHED, 1.2))
    lines.append(curve(f"{soft}, chance in topic", within, COLORS[soft], DOTTED, 1.3))
    return _marked(study, [*lines, _chance("chance", study.chance, lines)])


def _halves(study: Study) -> Panel:
    lines = []
    for name in HALVED:
        draws = study.halves(name)
        band = draws.min(axis=0), draws.max(axis=0)
        lines.append(curve(name, draws.mean(axis=0), COLORS[name])._replace(band=band))
    return _marked(study, [*lines, _chance("chance", study.chance, lines)])


def _hosts(study: Study) -> Panel:
    lines = []
    for name in COMPARED:
        overlap, color = study.sites(name), COLORS[name]
        lines += [curve(name, overlap.of_first, color), curve("", overlap.of_second, color)]
    lines.append(_chance("random pages", study.chance_of_sites, lines))
    as_many = study.random_hosts(study.sites(DEFAULT))
    return _marked(study, [*lines, curve("random hosts", as_many, COLORS[DEFAULT], DOTTED, 1.3)])


def _host_numbers(study: Study) -> Panel:
    every = len(np.unique(study.ground.hosts[study.reachable]))
    lines = []
    for name in COMPARED:
        overlap, color = study.sites(name), COLORS[name]
        lines += [curve(name, overlap.first / every, color), curve("", overlap.second / every, color)]
        lines.append(curve(f"{name}, in both", overlap.shared / every, color, DASHED, 1.2))
    return _marked(study, lines)


def _marked(study: Study, lines: Sequence[Line]) -> Panel:
    return lines_panel(study.topic, lines, mark=study.targets)


def _chance(name: str, chance: Callable[[int], Floats], lines: Sequence[Line]) -> Line:
    """Return what chance alone gives, as far as the other lines go."""
    return curve(name, chance(max(len(line.x) for line in lines)), "ink", DOTTED, 1.3)


def _top(study: Study) -> Panel:
    lines = []
    for name in HALVED:
        first, second = (one.pages for one in study.rated(name, study.targets, inside=True))
        lines.append(curve(name, shared.top_overlap(first, second, BEST), COLORS[name]))
        lines.append(
            curve(f"{name}, chance", shared.top_chance(first, second, BEST), COLORS[name], DOTTED, 1.3)
        )
    return lines_panel(study.topic, lines, "top k", BEST, mark=TOP)


def _far(study: Study) -> Panel:
    bars = []
    for name in HALVED:
        for starts, color in (((D, E), COLORS[name]), ((OUTSIDE,), OUTSIDE_COLORS[name])):
            far = study.distances(name, starts, study.targets)
            where = ", ".join(start.seeds for start in starts)
            bars.append(Bars(f"{name}, from {where}", color, histogram(far)))
    kinds = [str(number) for number in range(FARTHEST + 1)]
    return bars_panel(study.topic, bars, kinds, "links from the start pages")


def histogram(found: Sequence[Numbers]) -> Floats:
    """Return how many are 0, 1, ... and `FARTHEST` or more links away, as the mean over crawls."""
    counts = np.zeros(FARTHEST + 1)
    for far in found:
        counts += np.bincount(np.minimum(far[far >= 0], FARTHEST), minlength=FARTHEST + 1)
    return counts / max(1, len(found))


# Panels


class Bars(NamedTuple):
    """What a crawler has of each kind."""

    name: str
    color: str
    heights: Floats


def averages(values: Floats, window: int, length: int) -> Floats:
    """Return the moving average after each page, NaN where there are no pages any more."""
    curve = np.full(length, np.nan)
    curve[: len(values)] = moving_average(values.tolist(), window, len(values)).values
    return curve


def curve(name: str, values: Floats, color: str, dashes: tuple[float, ...] = (), width: float = 1.8) -> Line:
    """Return a line whose first value is that after one page."""
    return Line(name, np.arange(1, len(values) + 1), values, color, dashes, width)


def lines_panel(
    title: str,
    lines: Sequence[Line],
    x_label: str = "pages fetched",
    last: int = 0,
    mark: int = 0,
    top: float = 1.0,
) -> Panel:
    """Draw lines up to a page, the last of all by default, with a vertical line at another."""
    panel = Panel(title, [line for line in lines if len(line.x)], x_label=x_label, most=top, last=last)
    return panel._replace(lines=lines, marks=[("", mark)] if 0 < mark < panel.right else [])


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

    return Panel(title, samples, x_label=x_label, draw=drawn)
