"""What all commands of the project share: errors end in one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from abc import abstractmethod
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.crawler import Crawler, CrawlerProcessBase

from focused_crawler.errors import FocusedCrawlerError
from focused_crawler.net.printable import without_controls
from focused_crawler.store.opening import remember_address


class FocusedCommand(ScrapyCommand):
    """A command whose `main` may raise `FocusedCrawlerError`."""

    requires_project = True
    requires_crawler_process = False

    @abstractmethod
    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the command's work."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            remember_address(str(self.settings.get("FOCUSED_DATABASE") or "") if self.settings else "")
            self.main(args, opts)
            sys.stdout.flush()
        except FocusedCrawlerError as error:
            self.exitcode = report_error(error)
        except BrokenPipeError:  # who reads the output has had enough, as head has
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1


def crawl_to_end(process: CrawlerProcessBase, crawler: Crawler, **arguments: Any) -> None:
    """Run a crawl, and raise what kept it from starting."""
    outcome = process.crawl(crawler, **arguments)
    assert isinstance(outcome, asyncio.Task)  # the project runs on the asyncio reactor
    process.start()
    if outcome.done() and not outcome.cancelled():
        outcome.result()


def report_error(error: FocusedCrawlerError) -> int:
    """Print the error's line and return its exit code."""
    line = without_controls(" ".join(str(error).split()))
    print(f"error: {line}", file=sys.stderr)
    return error.exit_code
