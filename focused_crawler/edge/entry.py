"""A command as Scrapy lists it: all are made at every start, so what one needs is loaded for that one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from itertools import takewhile
from pathlib import Path

from scrapy.commands import ScrapyCommand

from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.printable import (
    begin_command,
    did_you_mean,
    leaving_when_stopped,
    one_line,
    printable,
    say,
)
from focused_crawler.safety.program import as_typed


class NamesProgram(ScrapyCommand):
    """A command whose help names the program that was typed; Scrapy's own name `scrapy`."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        begin_command()
        parser.usage = as_typed(parser.usage or "")


class CommandEntry(NamesProgram):
    """Name and summary of a command in `edge.menu`; the rest is that of its name in `edge.commands`."""

    requires_project = True
    summary: str

    def short_desc(self) -> str:
        return self.summary

    def syntax(self) -> str:
        """Become the command itself: Scrapy asks only the one that was typed, and before all else."""
        from focused_crawler.safety.process import collect_seldom  # noqa: PLC0415 - not to list commands

        self.summary = type(self).summary
        collect_seldom()
        with leaving_without_extra(), leaving_when_stopped():
            self.__class__ = import_module(type(self).__module__.replace(".menu.", ".commands.")).Command
        return self.syntax()

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        raise NotImplementedError  # by then it is the command itself


@contextmanager
def leaving_without_extra() -> Iterator[None]:
    """End the process with one line where a library is imported that comes with an extra only."""
    try:
        with explaining_extras():
            yield
    except ConfigError as error:
        sys.exit(report_error(error))


def report_error(error: FocusedCrawlerError, log_file: str | None = None) -> int:
    """Print the error's line and return its exit code; the log gets it too: scrapyd shows nothing else."""
    line = one_line(" ".join(str(error).split()))
    say(f"error: {line}", to=sys.stderr)
    if log_file:
        with suppress(OSError), Path(log_file).open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%SZ} [{__name__}] ERROR: {line}\n")
    return error.exit_code


def check_options(args: list[str], known: Collection[str]) -> None:
    """Raise ConfigError for an option that nobody knows: Scrapy hands it over as if it were an argument.

    What follows a lone "--" is no option; that itself, which is handed over as well, is taken out.
    """
    for argument in takewhile(lambda one: one != "--", args):
        if argument.startswith("--"):
            name = argument.partition("=")[0]
            near = did_you_mean(name, [one for one in known if one.startswith("--")])
            cure = near or "-h shows the options there are"
            raise ConfigError(f"unknown option {printable(name)}; {cure}")
    if "--" in args:
        args.remove("--")
