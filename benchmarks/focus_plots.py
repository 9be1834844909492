"""The paper's Figures 4 to 6 for a recorded web, and what a broader mark does for a crawl that ran dry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.focus_crawls import Crawl
from benchmarks.focus_narrow import SPLIT, Cure
from focused_crawler.report.drawing import Line, draw_shares
from focused_crawler.report.plots import Panel, Plot
from focused_crawler.report.summary import moving_average

SHOWN = "d"
"""Seed set of the plots: twenty relevant pages, the nearest to the paper's "several dozen"."""

WINDOWS = (100, 1000)
FEWEST = 10
"""Pages of a crawl that is drawn at all."""

INCHES, PIXELS = (5.4, 2.9), (440, 250)
DASHES = ((), (6.0, 2.0), (2.0, 2.0), (9.0, 2.0, 2.0, 2.0))
COLORS = {"soft_focus": "series-0", "hard_focus": "series-1", "unfocused": "series-2"}


def draw(folder: Path, crawls: Sequence[Crawl], cures: Sequence[Cure]) -> None:
    """Write all plots."""
    folder.mkdir(parents=True, exist_ok=True)
    _windows(crawls, "relevance", "Average R of the last pages fetched").save(folder)
    _windows(crawls, "hits", "Share of the last pages fetched that is relevant").save(folder)
    _cures([cure for cure in cures if cure.narrow.topic == SPLIT]).save(folder)


def _windows(crawls: Sequence[Crawl], kind: str, title: str) -> Plot:
    panels = []
    for topic in dict.fromkeys(crawl.topic for crawl in crawls):
        mine = [crawl for crawl in crawls if crawl.topic == topic and crawl.seed_set == SHOWN]
        lines = [line for crawl in mine for line in _averages(crawl, kind)]
        panels.append(Panel(topic, partial(draw_shares, lines=lines, x_label="pages fetched"), lines))
    note = (
        f"Moving averages over {WINDOWS[1]:,} pages, and over {WINDOWS[0]} (faint); from seed set {SHOWN}, of"
        " twenty relevant pages. A line that ends early is a crawl that ran dry."
    )
    return Plot(kind, title, note, panels, 2, INCHES, PIXELS, is_shared=True)


def _averages(crawl: Crawl, kind: str) -> list[Line]:
    color = COLORS[crawl.strategy]
    short, long = (moving_average(getattr(crawl, kind), window) for window in WINDOWS)
    return [
        Line("", np.array(short.pages), np.array(short.values), color),
        Line(crawl.strategy, np.array(long.pages), np.array(long.values), color, width=2.0),
    ]


def _cures(cures: Sequence[Cure]) -> Plot:
    panels = []
    for seed_set in dict.fromkeys(cure.narrow.seed_set for cure in cures):
        shown = [crawl for crawl in _by_marks(cures, seed_set) if len(crawl.visits) > FEWEST]
        lines = [_found(crawl, number) for number, crawl in enumerate(shown)]
        draw_panel = partial(draw_shares, lines=lines, x_label="pages fetched")
        if lines:
            panels.append(Panel(f"From seed set {seed_set}", draw_panel, lines))
    note = (
        f"Share of all pages about {SPLIT} that hard focus found. A line is named by what was marked, and"
        " ends where nothing was left to fetch."
    )
    return Plot("cures", "A narrow mark and broader ones", note, panels, 2, INCHES, PIXELS)


def _by_marks(cures: Sequence[Cure], seed_set: str) -> list[Crawl]:
    """Return the crawls from a seed set, one of each marks, the shortest first."""
    crawls = [
        crawl
        for cure in cures
        for crawl in (cure.narrow, cure.broad, cure.advised)
        if crawl is not None and crawl.seed_set == seed_set
    ]
    return sorted({crawl.marks: crawl for crawl in crawls}.values(), key=lambda crawl: len(crawl.visits))


def _found(crawl: Crawl, number: int) -> Line:
    shares = np.cumsum(crawl.hits) / crawl.targets
    name = " + ".join(mark.rpartition("/")[2] for mark in sorted(crawl.marks))
    dashes = DASHES[number % len(DASHES)]
    return Line(name, np.arange(1, len(shares) + 1), shares, f"series-{number % 6}", dashes, 2.0)
