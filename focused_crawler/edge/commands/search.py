"""`scrapy search "words"`: which pages of a crawl, or of a recorded web, say something about that."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.local import LocalSearch, search_crawl, search_web
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.edge.command import FocusedCommand, whole_number
from focused_crawler.report.terminal.discovery import search_results
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import printable
from focused_crawler.store.job import newest_crawl
from focused_crawler.topic.topic import load_topic

RESULTS = 10
MOST_RESULTS = 10_000


class Command(FocusedCommand):
    """Sends nothing to anybody; works beside a running crawl."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "WORDS [--crawl FOLDER] [--n N] [--relevant] [--json FILE]"

    def short_desc(self) -> str:
        return "Search the pages that a crawl has collected, or those of a recorded web"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--crawl", type=Path, metavar="FOLDER", help="the crawl (default: the last one)")
        parser.add_argument("--n", default=str(RESULTS), metavar="N", help=f"results (default: {RESULTS})")
        parser.add_argument(
            "--relevant", action="store_true", help="only pages that the crawl calls relevant"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        query, n = " ".join(args), whole_number("--n", opts.n, MOST_RESULTS)
        if not query.strip():
            raise ConfigError("give words, as in: scrapy search '\"sand blasting\" rust -paint'")
        with closing(self._search(opts)) as search:
            results = search.search(query, n)
            _print(query, results, search)
        if opts.json:
            _save(results, opts.json)

    def _search(self, opts: argparse.Namespace) -> LocalSearch:
        assert self.settings is not None
        config = CrawlConfig.from_settings(self.settings)
        if opts.crawl is not None or config.web is None:
            return search_crawl(opts.crawl or newest_crawl(config.crawls), only_relevant=opts.relevant)
        if opts.relevant:
            raise ConfigError(
                "--relevant is for crawls, and FOCUSED_WEB asks for a recorded web; leave one of them out"
            )
        return search_web(config.web, load_topic(config.topic).language if config.topic else "en")


def _print(query: str, results: Sequence[SearchResult], search: LocalSearch) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # of what the terminal cannot show
    console = Console(highlight=False)
    if results:
        console.print(search_results(results, read_wording(query, search.analyzer).terms, search.analyzer))
    else:
        console.print(f"No page has these words: {printable(query)}", markup=False)


def _save(results: Sequence[SearchResult], path: Path) -> None:
    record = [
        {name: value for name, value in asdict(result).items() if name != "score"} for result in results
    ]
    try:
        path.write_text(f"{json.dumps(record, indent=2, ensure_ascii=False)}\n", "utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path} ({error.strerror}); name another file with --json FILE"
        ) from None
    print(path)
