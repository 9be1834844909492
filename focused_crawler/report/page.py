"""`CrawlSummary` -> one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.report import words
from focused_crawler.report.read import read_summary
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.safety.errors import CrawlError

if TYPE_CHECKING:
    from focused_crawler.report.drawing import Line, Stroke
    from focused_crawler.report.plots import Plot

# Plots and templates load slowly: no command that makes no report is to wait for them.
# ruff: noqa: PLC0415


class ComparedCrawl(NamedTuple):
    """A crawl in the table of compared crawls."""

    name: str
    line: Line  # its harvest rate
    crawl: CrawlSummary


def render(summary: CrawlSummary, compare: Sequence[CrawlSummary] = ()) -> str:
    """Return the report of a crawl, beside others if there are any. Equal input gives equal text."""
    from focused_crawler.report import charts
    from focused_crawler.report.html import render_page

    crawls = [summary, *compare]
    names, strokes = words.name_apart(crawls), charts.strokes(len(compare))
    rows = [
        ComparedCrawl(name, charts.line_of(name, crawl.harvest_curve, stroke), crawl)
        for name, stroke, crawl in zip(names, strokes, crawls, strict=True)
    ]
    values = {"crawl": summary, "rows": rows, "plots": list(_plots(rows, strokes))}
    return render_page("report/template.html", values, {"in_words": in_words})


def _plots(rows: Sequence[ComparedCrawl], strokes: Sequence[Stroke]) -> Iterator[Plot]:
    from focused_crawler.report import charts

    crawl = rows[0].crawl
    if crawl.pages:
        note = "The share of all pages fetched so far that are relevant."
        yield charts.curves("Harvest rate", note, [row.line for row in rows])
        recalls = [
            charts.line_of(row.name, row.crawl.recall_curve, stroke)
            for row, stroke in zip(rows, strokes, strict=True)
            if row.crawl.recall_curve is not None
        ]
        if recalls:
            note = "The share of the known relevant pages that was fetched."
            yield charts.curves("Target recall", note, recalls)
        yield charts.relevance_over_time(crawl.relevances)
        yield charts.histogram(crawl.relevances)
    if crawl.pending:
        yield charts.frontier(crawl)


def write_report(folder: Path, compare: Sequence[Path] = (), out: Path | None = None) -> Path:
    """Write the report of the crawl in `folder`, beside others; return its path (`out`, or in the folder).

    Raises CrawlError for a folder that cannot be read and for a file that cannot be written.
    """
    return save_report(
        read_summary(folder), [read_summary(other) for other in compare], out or folder / "report.html"
    )


def save_report(summary: CrawlSummary, compare: Sequence[CrawlSummary], path: Path) -> Path:
    """Write the report of a crawl that was read already."""
    from focused_crawler.report.html import save_page

    return save_page(render(summary, compare), path, CrawlError, "name another file with --out FILE")
