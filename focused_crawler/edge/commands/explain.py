"""`scrapy explain PAGE --topic T`: why a page is relevant or not, and why its links have their priorities."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.failure import label
from focused_crawler.edge.arguments import TOPIC_SPIDER, apply_arguments
from focused_crawler.edge.command import FetchingCommand, Option
from focused_crawler.edge.examples import ExamplesSpider, run_spider
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.url import url_key
from focused_crawler.report.explain.links import BestLink, find_links, parts_of, score_links
from focused_crawler.report.explain.page import WritingAnalyzer, explain_page, judge
from focused_crawler.report.explain.terminal import closed_links, link_reasons, page_reasons
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import printable, say
from focused_crawler.topic.rules import example_problem, is_page_file
from focused_crawler.topic.topic import Topic

MOST_LINKS = 10


class Command(FetchingCommand):
    """Fetches the page through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    usage = "<url|file.html> --topic T [--strategy S] [--link TEXT|URL] [--html FILE]"
    options = (
        Option("--topic NAME", "the topic to judge by"),
        Option("--strategy NAME", "what scores the links (default: the crawl's)"),
        Option("--link TEXT|URL", "the links to show, instead of the best"),
        Option("--html FILE", "write the page's words, coloured by what they say", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or not opts.topic:
            raise ConfigError(
                "name one page and a topic, as in scrapy explain https://www.example.org/ --topic asthma"
            )
        name = _page_name(args[0])
        topic, analyst = self._analyst(opts)
        page = self._page(name, WritingAnalyzer(topic.language), analyst.config.nofollow)
        judge(analyst, page, depth=0 if _is_seed(page.url, topic) else 1)
        reasons = explain_page(analyst, page)
        links = score_links(analyst, page)
        shown = _chosen(links, opts.link, page)
        parts = [(found, parts_of(analyst, page, found)) for found in shown]
        too_deep = analyst.scope.is_too_deep(page.depth)
        terminal = Terminal()
        terminal.print(page_reasons(reasons))
        terminal.print(link_reasons(page, links, parts, analyst.order.strategy, too_deep=too_deep))
        if opts.html:
            from focused_crawler.report.explain.html import save_html  # noqa: PLC0415  (it loads slowly)

            save_html(reasons, opts.html)
            say(opts.html)  # not through rich: a path must not be wrapped

    def _analyst(self, opts: argparse.Namespace) -> tuple[Topic, Analyst]:
        given = {"topic": opts.topic, "strategy": opts.strategy}
        chosen = {key: value for key, value in given.items() if value}
        topic = apply_arguments(self.settings, TOPIC_SPIDER, chosen)
        return topic, Analyst.make(CrawlConfig.from_settings(self.settings), topic)

    def _page(self, name: str, analyzer: WritingAnalyzer, nofollow: str) -> Page:
        """Return a page that is fetched, or read from a file; raises ConfigError."""
        if is_page_file(name):
            path = Path(name)
            try:
                return parse_page(path.read_bytes(), path.absolute().as_uri(), analyzer, nofollow=nofollow)
            except UnparsablePage as error:
                raise ConfigError(f"{path} is no page ({error}); save it as HTML again") from None
        spider = run_spider(
            self.crawler_process, ExamplesSpider, urls=[name], analyzer=analyzer, nofollow=nofollow
        )
        if name not in spider.fetched:
            reason = label(spider.missing.get(name, "no answer"))
            raise ConfigError(
                f"{printable(name)} could not be fetched ({reason}); name a page that can be read"
            )
        return spider.fetched[name]


def _page_name(name: str) -> str:
    try:
        problem = example_problem(name)
    except OSError as error:  # such as a name that is too long
        problem = f"{printable(name)} cannot be read ({error.strerror}); name another file"
    if problem:
        raise ConfigError(problem)
    return name


def _is_seed(url: str, topic: Topic) -> bool:
    seeds = [seed for seeds in (topic.seeds, *topic.seed_sets.values()) for seed in seeds]
    return url_key(url) in map(url_key, seeds)


def _chosen(links: list[BestLink], wanted: str | None, page: Page) -> list[BestLink]:
    """Return the links to show; raises ConfigError where those that are wanted are not there."""
    if wanted is None:
        return links[:MOST_LINKS]
    found = find_links(links, wanted)
    if not found:
        cure = f"{closed_links(page)}, see these by -s FOCUSED_NOFOLLOW=off" if page.closed else ""
        raise ConfigError(
            f"{printable(page.url)} has no link whose text or URL holds {wanted!r};"
            f" {cure or 'without --link, see the best'}"
        )
    return found[:MOST_LINKS]
