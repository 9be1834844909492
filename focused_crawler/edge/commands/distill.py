"""`scrapy distill`: the best hubs, authorities and hosts of a crawl, and what its hubs lead to in vain."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.hubs.listing import read_ranking
from focused_crawler.crawl.hubs.record import Distillation, measure
from focused_crawler.edge.command import FocusedCommand, Option, save_json
from focused_crawler.report.terminal.crawl import distilled
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.store.opening import read_crawl

TOP = 10
MOST_ROWS = 1_000_000


class Command(FocusedCommand):
    """Reads only: works beside a running crawl, and leaves its ratings as they are."""

    usage = "CRAWL_FOLDER [--top N] [--json FILE]"
    options = (
        Option("--top N", "rows a table", int, TOP, MOST_ROWS),
        Option("--json FILE", "write all rows as JSON", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        with read_crawl(folder) as database:
            found = measure(database)
            _check(folder, found)
            ranking = read_ranking(database, found, opts.top)
        terminal = Terminal()
        for part in distilled(ranking, opts.top):
            terminal.print(part)
        if opts.json:
            save_json(ranking.figures(), opts.json)


def _check(folder: Path, found: Distillation) -> None:
    """Raise CrawlError that names the cure where nothing can be rated yet."""
    if not found.pages:
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    if not len(found.position):
        raise CrawlError(
            f"{folder} has {plural(found.pages, 'page')}, but none of another site links to a relevant one;"
            " crawl on, as in -a pages=1000, or from seeds on several sites"
        )
