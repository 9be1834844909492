"""What all commands of the project share: errors end in one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod

from scrapy.commands import ScrapyCommand

from focused_crawler.errors import FocusedCrawlerError


class FocusedCommand(ScrapyCommand):
    """A command whose `main` may raise `FocusedCrawlerError`."""

    requires_project = True
    requires_crawler_process = False

    @abstractmethod
    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the command's work."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            self.main(args, opts)
        except FocusedCrawlerError as error:
            self.exitcode = report_error(error)


def report_error(error: FocusedCrawlerError) -> int:
    """Print the error's line and return its exit code."""
    line = " ".join(str(error).split())
    print(f"error: {line}", file=sys.stderr)
    return error.exit_code
