"""`scrapy report`: plots and tables of a crawl, also beside other crawls."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from focused_crawler.edge.command import FocusedCommand
from focused_crawler.report.page import save_report
from focused_crawler.report.read import read_summary
from focused_crawler.report.terminal.crawl import figures, remarks
from focused_crawler.safety.errors import ConfigError


class Command(FocusedCommand):
    """Writes report.html and prints its figures."""

    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - Scrapy's own attribute

    def syntax(self) -> str:
        return "CRAWL_FOLDER [--compare FOLDER]... [--out FILE]"

    def short_desc(self) -> str:
        return "Write the report of a crawl (report.html) and print its figures"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--compare",
            type=Path,
            action="append",
            default=[],
            metavar="FOLDER",
            help="another crawl to set beside it",
        )
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="where to write (default: CRAWL_FOLDER/report.html)"
        )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise ConfigError("name one crawl folder, as in: scrapy report crawls/asthma/1")
        folder = Path(args[0])
        summary, others = read_summary(folder), [read_summary(other) for other in opts.compare]
        path = save_report(summary, others, opts.out or folder / "report.html")
        console = Console()
        console.print(figures([summary, *others]))
        for line in remarks(summary):
            console.print(line, markup=False, highlight=False)
        print(path)  # not through rich: a path must not be wrapped
