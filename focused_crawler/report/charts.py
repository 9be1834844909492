"""The plots of a crawl, of a training and of what a web allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focused_crawler.report.hover import over_columns, over_lines
from focused_crawler.report.panels import Line, Panel, Point
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import OWN, Stroke, strokes_of
from focused_crawler.report.summary import CrawlSummary, Curve, moving_average
from focused_crawler.safety.formats import count, plural

if TYPE_CHECKING:  # the report of a crawl is to load no more than it shows
    from focused_crawler.classify.evaluation import Bin
    from focused_crawler.virtualweb.stats import SeedSetStats, TopicStats

MAX_DOTS = 1500
BINS = 20
_BOUNDS: Sequence[
    tuple[str, str, str, tuple[float, ...], float]
] = (  # the later lie on top: the first two are often one
    ("greedy oracle", "greedy", "series-0", (), 2.6),
    ("upper bound", "upper", "ink", (1.2, 2.2), 1.4),
    ("one-step oracle", "one_step", "series-1", (5.0, 2.0), 1.6),
)


class ComparedCrawl(NamedTuple):
    """A crawl in the table of compared crawls."""

    name: str
    line: Line  # its harvest rate
    recall: Line | None  # None: no targets are known
    crawl: CrawlSummary


def compared(names: Sequence[str], crawls: Sequence[CrawlSummary]) -> list[ComparedCrawl]:
    """Return crawls with their curves, each in a style of its own."""
    strategies, first = [crawl.strategy for crawl in crawls], crawls[0]
    return [
        ComparedCrawl(
            name,
            line_of(name, _rates(crawl), stroke, is_own=crawl is first),
            None
            if crawl.recall_curve is None
            else line_of(name, crawl.recall_curve, stroke, is_own=crawl is first),
            crawl,
        )
        for name, crawl, stroke in zip(names, crawls, strokes_of(strategies), strict=True)
    ]


def _rates(crawl: CrawlSummary) -> Curve:
    return crawl.compared.curve if crawl.compared and crawl.compared.rate else crawl.harvest_curve


def plots_of(rows: Sequence[ComparedCrawl]) -> Iterator[Plot]:
    """Yield the plots of the first crawl, its curves beside those of the others."""
    crawl = rows[0].crawl
    if crawl.pages:
        note = "The share of all pages fetched so far that are relevant."
        if crawl.compared and crawl.compared.rate:
            note = f"The share of the pages fetched so far that are relevant, by {crawl.compared.judged_by}."
        yield curves("Harvest rate", note, [row.line for row in rows])
        if recalls := [row.recall for row in rows if row.recall is not None]:
            note = "The share of the known relevant pages that was fetched."
            yield curves("Target recall", note, recalls)
        by = f" Relevance is by {crawl.relevance_by}." if crawl.relevance_by else ""
        yield relevance_over_time(crawl.relevances, by)
        yield histogram(crawl.relevances, by)
    if crawl.pending:
        yield frontier(crawl)


def line_of(name: str, curve: Curve, stroke: Stroke, *, is_own: bool = False) -> Line:
    """Return the curve of one of several crawls; `is_own`: the one that the page is about."""
    color, (dashes, marker) = stroke
    return Line(name, curve.pages, curve.values, color, dashes, 2.6 if is_own else 1.6, None, marker)


def curves(title: str, note: str, lines: Sequence[Line]) -> Plot:
    """Return shares over pages fetched, the first line on top."""
    return Plot("", title, note, [Panel("", lines, over_lines(lines, "pages fetched"))])


def relevance_over_time(relevances: Sequence[float], by: str = "") -> Plot:
    """Return each page's relevance as a dot (thinned evenly to `MAX_DOTS`) under the moving average.

    `by`: a sentence on its judge.
    """
    pages = len(relevances)
    window = max(1, min(100, pages // 10))
    average = line_of("mean", moving_average(relevances, window), OWN, is_own=True)
    step = -(-pages // MAX_DOTS) or 1
    dots = [*zip(range(1, pages + 1, step), relevances[::step], strict=True)]
    note = f"A dot is a page, the line the mean of the last {plural(window, 'page')}.{by}"
    hovers = over_lines([average], "pages fetched", "{:.2f}".format)
    return Plot("", "Relevance over time", note, [Panel("", [average], hovers, dots=dots, most=1.0)])


def histogram(relevances: Sequence[float], by: str = "") -> Plot:
    """Return how many pages have which relevance; `by`: a sentence on its judge."""
    heights, edges = np.histogram(np.clip(relevances, 0.0, 1.0), bins=BINS, range=(0.0, 1.0))
    columns = list(zip(edges, edges[1:], heights.tolist(), strict=False))
    note = f"How many of the pages fetched have which relevance.{by}"
    panel = Panel("", (), over_columns(columns, "page"), "relevance", columns=columns)
    return Plot("", "Relevance of pages", note, [panel])


def frontier(crawl: CrawlSummary) -> Plot:
    """Return how many URLs of which score are left."""
    columns = [(band.low, band.high, band.urls) for band in crawl.bands or ()]
    note = "How many URLs wait with which score."
    panel = Panel("", (), over_columns(columns, "URL"), "score in the frontier", columns=columns)
    return Plot("", "Left in the frontier", note, [panel])


def reliability(bins: Sequence[Bin]) -> Plot:
    """Return which share of the pages is relevant over the relevance predicted; on the diagonal both agree.

    A dot is a bin, its number and its area those of its held-out pages.
    """
    diagonal = Line("", (0.0, 1.0), (0.0, 1.0), "ink", (4, 4), 1.2)
    most = max((held.pages for held in bins), default=1)
    points = [
        Point(held.said, held.true, 2.5 + 4.5 * (held.pages / most) ** 0.5, str(held.pages)) for held in bins
    ]
    panel = Panel("", [diagonal], x_label="relevance", points=points, most=1.0)
    return Plot("", "Reliability", "", [panel])


def bounds(topic: TopicStats) -> Plot:
    """Return what can be found of a topic, over the pages fetched: a panel for each seed set."""
    panels = [_bounds_of(name, stats) for name, stats in topic.seed_sets.items()]
    title = f"{topic.name}: {plural(topic.relevant, 'relevant page')}"
    note = "How many relevant pages a crawl can have found after so many pages."
    return Plot(topic.name, title, note, panels, 3, (3.6, 2.7), is_shared=True)


def _bounds_of(seed_set: str, stats: SeedSetStats) -> Panel:
    lines = [
        Line(name, range(len(stats.bounds.upper)), getattr(stats.bounds, bound), color, dashes, width)
        for name, bound, color, dashes, width in reversed(_BOUNDS)
    ]
    hovers = over_lines(lines, "pages fetched", count)
    return Panel(f"seed set {seed_set}", lines, hovers, has_counts=True)
