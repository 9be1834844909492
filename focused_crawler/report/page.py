"""`CrawlSummary` -> one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.report import charts, words
from focused_crawler.report.charts import Series, Stroke
from focused_crawler.report.read import read_summary
from focused_crawler.report.style import Filters, render_page
from focused_crawler.report.summary import CrawlSummary, Curve
from focused_crawler.safety import formats
from focused_crawler.safety.errors import CrawlError

FILTERS: Filters = {
    "duration": formats.duration,
    "web_link": formats.web_link,
    "first_upper": formats.first_upper,
    "in_words": in_words,
}


class Key(NamedTuple):
    """A line of a plot's legend."""

    name: str
    stroke: Stroke
    last: str  # the curve's last value


class Plot(NamedTuple):
    """A plot with what stands around it."""

    title: str
    note: str
    svg: str  # trusted: no crawled text is in it
    keys: Sequence[Key] = ()


class Row(NamedTuple):
    """A crawl in the table of compared crawls."""

    name: str
    stroke: Stroke
    crawl: CrawlSummary


def render(summary: CrawlSummary, compare: Sequence[CrawlSummary] = ()) -> str:
    """Return the report of a crawl, beside others if there are any. Equal input gives equal text."""
    crawls = [summary, *compare]
    names, strokes = words.name_apart(crawls), charts.strokes(len(compare))
    rows = [Row(*row) for row in zip(names, strokes, crawls, strict=True)]
    values = {"crawl": summary, "rows": rows, "plots": list(_plots(rows))}
    return render_page("report/template.html", FILTERS, values)


def _plots(rows: Sequence[Row]) -> Iterator[Plot]:
    crawl = rows[0].crawl
    if crawl.pages:
        yield from _page_plots(crawl, rows)
    if crawl.pending:
        svg = charts.frontier("Left in the frontier", crawl.bands or ())
        yield Plot("Left in the frontier", "How many URLs wait with which score.", svg)


def _page_plots(crawl: CrawlSummary, rows: Sequence[Row]) -> Iterator[Plot]:
    yield _curve_plot(
        "Harvest rate",
        "The share of all pages fetched so far that are relevant.",
        [(row, row.crawl.harvest_curve) for row in rows],
    )
    recalls = [(row, row.crawl.recall_curve) for row in rows]
    known = [(row, curve) for row, curve in recalls if curve is not None]
    if known:
        yield _curve_plot("Target recall", "The share of the known relevant pages that was fetched.", known)
    window = charts.average_window(crawl.pages)
    yield Plot(
        "Relevance over time",
        f"A dot is a page, the line the mean of the last {formats.plural(window, 'page')}.",
        charts.relevance_over_time("Relevance over time", crawl.relevances),
    )
    yield Plot(
        "Relevance of pages",
        "How many of the pages fetched have which relevance.",
        charts.histogram("Relevance of pages", crawl.relevances),
    )


def _curve_plot(title: str, note: str, curves: Sequence[tuple[Row, Curve]]) -> Plot:
    svg = charts.curves(title, [Series(row.name, curve, row.stroke) for row, curve in curves])
    keys = [
        Key(row.name, row.stroke, formats.percent(curve.values[-1]) if curve.values else "")
        for row, curve in curves
    ]
    return Plot(title, note, svg, keys if len(curves) > 1 else ())


def write_report(folder: Path, compare: Sequence[Path] = (), out: Path | None = None) -> Path:
    """Write the report of the crawl in `folder`, beside others; return its path (`out`, or in the folder).

    Raises CrawlError for a folder that cannot be read and for a file that cannot be written.
    """
    return save_report(
        read_summary(folder), [read_summary(other) for other in compare], out or folder / "report.html"
    )


def save_report(summary: CrawlSummary, compare: Sequence[CrawlSummary], path: Path) -> Path:
    """Write the report of a crawl that was read already."""
    # Plots cost a third of a second to import: no command that draws none should wait for them.
    pass

    text = render(summary, compare)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise CrawlError(
            f"cannot write {path} ({error.strerror}); name another file with --out FILE"
        ) from None
    return path
