"""A command as Scrapy lists it: all are made at every start, so what one needs is loaded for that one."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path

from scrapy.commands import ScrapyCommand

from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.printable import one_line, say


class CommandEntry(ScrapyCommand):
    """Name and summary of a command in `edge.menu`; the rest is that of its name in `edge.commands`."""

    requires_project = True
    summary: str

    def short_desc(self) -> str:
        return self.summary

    def syntax(self) -> str:
        """Become the command itself: Scrapy asks only the one that was typed, and before all else."""
        self.summary = type(self).summary
        self.__class__ = import_module(type(self).__module__.replace(".menu.", ".commands.")).Command
        return self.syntax()

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        raise NotImplementedError  # by then it is the command itself


def report_error(error: FocusedCrawlerError, log_file: str | None = None) -> int:
    """Print the error's line and return its exit code; the log gets it too: scrapyd shows nothing else."""
    line = one_line(" ".join(str(error).split()))
    say(f"error: {line}", to=sys.stderr)
    if log_file:
        with suppress(OSError), Path(log_file).open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} [{__name__}] ERROR: {line}\n")
    return error.exit_code
