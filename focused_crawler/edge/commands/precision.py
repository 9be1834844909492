"""`scrapy precision`: what judges found in a sample, with its interval, and how far they agree."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.text import Text

from focused_crawler.edge.command import FocusedCommand
from focused_crawler.report.sampling.precision import find
from focused_crawler.report.sampling.sheet import KEY, read_judged, read_meanings
from focused_crawler.report.sampling.terminal import tables
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, CrawlError


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
