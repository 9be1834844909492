"""`CrawlSummary` -> one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from focused_crawler.report import words
from focused_crawler.report.estimated import how_sure, left_to_find
from focused_crawler.report.read import read_summary
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.safety.errors import CrawlError

# Plots and templates load slowly: no command that makes no report is to wait for them.
# ruff: noqa: PLC0415

FILTERS: Mapping[str, Callable[..., Any]] = {
    "how_sure": how_sure,
    "left_to_find": left_to_find,
}


def render(summary: CrawlSummary, compare: Sequence[CrawlSummary] = ()) -> str:
    """Return the report of a crawl, beside others if there are any. Equal input gives equal text."""
    from focused_crawler.report import charts
    from focused_crawler.report.html import render_page

    crawls = [summary, *compare]
    rows = charts.compared(words.name_apart(crawls), crawls)
    values = {"crawl": summary, "rows": rows, "plots": list(charts.plots_of(rows))}
    return render_page("report/template.html", values, FILTERS)


def write_report(folder: Path) -> Path:
    """Write the report of the crawl in `folder` there, and return its path.

    Raises CrawlError for a folder that cannot be read and for a file that cannot be written.
    """
    return save_report(read_summary(folder), [], folder / "report.html")


def save_report(summary: CrawlSummary, compare: Sequence[CrawlSummary], path: Path) -> Path:
    """Write the report of a crawl that was read already, beside others; raises CrawlError."""
    from focused_crawler.report.html import save_page

    return save_page(render(summary, compare), path, CrawlError, "name another file with --out FILE")
