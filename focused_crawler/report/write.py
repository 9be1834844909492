"""Crawl folder -> report.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focused_crawler.errors import CrawlError
from focused_crawler.report.read import read_summary
from focused_crawler.report.summary import CrawlSummary


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
    from focused_crawler.report.page import render  # noqa: PLC0415

    text = render(summary, compare)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise CrawlError(
            f"cannot write {path} ({error.strerror}); name another file with --out FILE"
        ) from None
    return path
