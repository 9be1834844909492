"""`scrapy report`: plots and tables of a crawl, also beside other crawls."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.page import save_report
from focused_crawler.report.read import read_summary
from focused_crawler.report.terminal.crawl import figures, remarks
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.printable import say


class Command(FocusedCommand):
    """Writes report.html and prints its figures."""

    usage = "CRAWL_FOLDER [--compare FOLDER]... [--out FILE]"
    options = (
        Option("--compare FOLDER", "another crawl to set beside it", Path, is_repeated=True),
        Option("--out FILE", "where to write (default: CRAWL_FOLDER/report.html)", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        summary, others = read_summary(folder), [read_summary(other) for other in opts.compare]
        path = save_report(summary, others, opts.out or folder / "report.html")
        terminal = Terminal()
        terminal.print(figures([summary, *others]))
        terminal.print(*remarks(summary), sep="\n")
        say(path)  # not through rich: a path must not be wrapped
