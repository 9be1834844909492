"""`scrapy precision`: what judges found in a sample, with its interval, and how far they agree."""

from __future__ import annotations

import argparse
import shlex
from contextlib import suppress
from pathlib import Path

from rich.text import Text

from focused_crawler.edge.command import FocusedCommand
from focused_crawler.report.sampling.precision import find
from focused_crawler.report.sampling.sheet import KEY, read_judged, read_meanings
from focused_crawler.report.sampling.terminal import tables
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.printable import say
from focused_crawler.store.job import read_run


class Command(FocusedCommand):
    """Needs the sheets only, not the crawl."""

    usage = "JUDGED.csv [MORE.csv]..."

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise ConfigError(
                "name the judged sheets, as in: scrapy precision crawls/asthma/1/sample/judge-1.csv"
            )
        paths = [Path(name) for name in args]
        judged = read_judged(paths)
        if not any(answer is not None for answers in judged.judges.values() for answer in answers.values()):
            raise CrawlError(f"{args[0]}: no page is judged; write y or n into its column relevant")
        meanings = read_meanings(paths[0].with_name(KEY), judged)
        terminal = Terminal()
        for part in tables(find(judged), meanings):
            terminal.print(part, soft_wrap=isinstance(part, Text))
        files = " ".join(f"--import {shlex.quote(given)}" for given in args)
        say(f"To train by these answers: scrapy label {_topic(paths[0])} {files}")


def _topic(sheet: Path) -> str:
    """Return the topic of a sheet that lies where scrapy sample put it, in its crawl's folder."""
    with suppress(CrawlError):
        if run := read_run(sheet.absolute().parent.parent):
            return shlex.quote(run.topic_name)
    return "TOPIC"
