"""`scrapy search "words"`: which pages of a crawl, or of a recorded web, say something about that."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.local import LocalSearch, search_crawl, search_web
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.edge.command import FocusedCommand, Option, save_json
from focused_crawler.report.terminal.discovery import search_results
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import printable, say
from focused_crawler.store.job_folder import newest_crawl
from focused_crawler.topic.topic import load_topic

RESULTS = 10
MOST_RESULTS = 10_000


class Command(FocusedCommand):
    """Sends nothing to anybody; works beside a running crawl."""

    usage = "WORDS [--crawl FOLDER] [--n N] [--relevant] [--json FILE]"
    options = (
        Option("--crawl FOLDER", "the crawl (default: the last one)", Path),
        Option("--n N", "results", int, RESULTS, MOST_RESULTS),
        Option("--relevant", "only pages that the crawl calls relevant"),
        Option("--json FILE", "write the results as JSON", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        query = " ".join(args)
        if not query.strip():
            raise ConfigError("give words, as in: scrapy search '\"sand blasting\" rust -paint'")
        with closing(self._search(opts)) as search:
            results = search.search(query, opts.n)
            _print(query, results, search)
        if opts.json:
            kept = ("url", "title", "snippet")
            save_json([{name: getattr(one, name) for name in kept} for one in results], opts.json)
            say(opts.json)

    def _search(self, opts: argparse.Namespace) -> LocalSearch:
        config = CrawlConfig.from_settings(self.settings)
        if opts.crawl is not None or config.web is None:
            return search_crawl(opts.crawl or newest_crawl(config.crawls), only_relevant=opts.relevant)
        if opts.relevant:
            raise ConfigError(
                "--relevant is for crawls, and FOCUSED_WEB asks for a recorded web; leave one of them out"
            )
        return search_web(config.web, load_topic(config.topic).language if config.topic else "en")


def _print(query: str, results: Sequence[SearchResult], search: LocalSearch) -> None:
    terminal = Terminal()
    if results:
        terminal.print(search_results(results, read_wording(query, search.analyzer).terms, search.analyzer))
    else:
        say(f"No page has these words: {printable(query)}")
