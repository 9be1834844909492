"""What all commands of the project share: errors end in one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from abc import abstractmethod
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.crawler import Crawler, CrawlerProcessBase

from focused_crawler.report.live import with_bar
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.printable import printable, without_controls
from focused_crawler.safety.progress import show_by
from focused_crawler.store.opening import remember_address


class FocusedCommand(ScrapyCommand):
    """A command whose `main` may raise `FocusedCrawlerError`."""

    requires_project = True
    requires_crawler_process = False
    _parser: argparse.ArgumentParser | None = None

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        self._parser = parser

    @abstractmethod
    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the command's work."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        show_by(with_bar)
        try:
            remember_address(str(self.settings.get("FOCUSED_DATABASE") or "") if self.settings else "")
            if self._parser is not None:
                _check_options(args, self._parser._option_string_actions)
            self.main(args, opts)
            sys.stdout.flush()
        except FocusedCrawlerError as error:
            self.exitcode = report_error(error)
        except BrokenPipeError:  # who reads the output has had enough, as head has
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1


def _check_options(args: Sequence[str], known: Collection[str]) -> None:
    """Raise ConfigError for an option that nobody knows: Scrapy hands it over as if it were an argument.

    What follows a lone "--" is no option.
    """
    for argument in takewhile(lambda one: one != "--", args):
        if argument.startswith("--"):
            name = argument.partition("=")[0]
            close = get_close_matches(name, [one for one in known if one.startswith("--")], n=1)
            cure = f"did you mean {close[0]}?" if close else "-h shows the options there are"
            raise ConfigError(f"unknown option {printable(name)}; {cure}")


def whole_number(option: str, text: str, most: int, *, least: int = 1) -> int:
    """Return the number that an option was given as; raises ConfigError."""
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
        raise ConfigError(f"{option} is {printable(text[:40])}; give a whole number from {least} to {most}")
    return int(text)


def crawl_to_end(process: CrawlerProcessBase, crawler: Crawler, **arguments: Any) -> None:
    """Run a crawl, and raise what prevented its start."""
    outcome = process.crawl(crawler, **arguments)
    assert isinstance(outcome, asyncio.Task)  # the project runs on the asyncio reactor
    process.start()
    if outcome.done() and not outcome.cancelled():
        outcome.result()


def report_error(error: FocusedCrawlerError, log_file: str | None = None) -> int:
    """Print the error's line and return its exit code; the log gets it too: scrapyd shows nothing else."""
    line = without_controls(" ".join(str(error).split()))
    print(f"error: {line}", file=sys.stderr)
    if log_file:
        with suppress(OSError), Path(log_file).open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} [{__name__}] ERROR: {line}\n")
    return error.exit_code
