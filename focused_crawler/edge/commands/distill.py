"""`scrapy distill`: the best hubs, authorities and hosts of a crawl, and what its hubs lead to in vain."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rich.console import Console

from focused_crawler.crawl.hubs.listing import HubRanking, read_ranking
from focused_crawler.crawl.hubs.record import Distillation, measure
from focused_crawler.edge.command import FocusedCommand, whole_number
from focused_crawler.report.terminal.crawl import distilled
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.store.opening import read_crawl

TOP = 10
MOST_ROWS = 1_000_000


class Command(FocusedCommand):
    """Reads only: works beside a running crawl, and leaves its ratings as they are."""

    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - Scrapy's own attribute

    def syntax(self) -> str:
        return "CRAWL_FOLDER [--top N] [--json FILE]"

    def short_desc(self) -> str:
        return (
            "Show the best hubs and authorities of a crawl, and the pages next to hubs that it never fetched"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--top", metavar="N", default=str(TOP), help=f"rows a table (default: {TOP})")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows as JSON")

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise ConfigError("name one crawl folder, as in: scrapy distill crawls/asthma/1")
        folder, top = Path(args[0]), whole_number("--top", opts.top, MOST_ROWS)
        with read_crawl(folder) as database:
            found = measure(database)
            _check(folder, found)
            ranking = read_ranking(database, found, top)
        console = Console(highlight=False)
        for part in distilled(ranking, top):
            console.print(part)
        if opts.json:
            _save(ranking, opts.json)


def _check(folder: Path, found: Distillation) -> None:
    """Raise CrawlError that names the cure where nothing can be rated yet."""
    if not found.pages:
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    if not len(found.position):
        raise CrawlError(
            f"{folder} has {plural(found.pages, 'page')}, but none of another site links to a relevant one;"
            " crawl on, as in -a pages=1000, or from seeds on several sites"
        )


def _save(ranking: HubRanking, path: Path) -> None:
    try:
        path.write_text(json.dumps(ranking.figures(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); let --json name a file that can be"
        ) from None
