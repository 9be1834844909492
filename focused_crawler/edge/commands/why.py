"""`scrapy why URL`: who linked it, what it was worth, and what was decided about it, by which rule."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.command import FetchingCommand, Option, save_json
from focused_crawler.edge.examples import ExamplesSpider, run_spider
from focused_crawler.edge.handing_over import analyst_of
from focused_crawler.page.model import Page
from focused_crawler.page.url import normalise
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.report.why.cures import ADDRESSES, as_typed_here
from focused_crawler.report.why.facts import UrlFacts
from focused_crawler.report.why.learnt import Learnt, recall_for
from focused_crawler.report.why.parts import LinkParts, nowhere, page_as_recorded, parts_again, parts_then
from focused_crawler.report.why.reading import as_it_is, read_facts
from focused_crawler.report.why.sentences import answer
from focused_crawler.report.why.terminal import as_record, conclusion, story
from focused_crawler.safety.errors import ConfigError, CrawlError, FocusedCrawlerError
from focused_crawler.safety.printable import say
from focused_crawler.safety.settings import read_one
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.job_folder import newest_crawl
from focused_crawler.store.opening import crawl_at_once, read_crawl


class Command(FetchingCommand):
    """Reads the crawl's database, also beside its running crawl; fetches nothing by default."""

    usage = "URL [--crawl FOLDER] [--fetch] [--json FILE]"
    options = (
        Option("--crawl FOLDER", "the crawl (default: the last one)", Path),
        Option("--fetch", "fetch the page with its best link, if it is not at hand"),
        Option("--json FILE", "write all that is known as JSON, too", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        typed = self.only(args, "URL", "https://www.example.org/ --crawl crawls/asthma/1")
        url = normalise(typed)
        if url is None:
            raise ConfigError(
                f"{typed!r} is nothing a crawl could fetch; write a URL such as https://www.example.org/"
            )
        folder = opts.crawl or newest_crawl(read_one(CrawlConfig, "crawls", self.settings))
        run = run_of(folder)
        with crawl_at_once(folder) as database:
            facts, run = read_facts(database, url), as_it_is(database, run)
        with read_crawl(folder) as database:  # a page may be fetched meanwhile
            parts, learnt = self._parts(folder, run, facts, database, may_fetch=opts.fetch)
        now = time.time()
        found = answer(facts, as_typed_here(run, self._addresses()), now)
        terminal = Terminal()
        terminal.print(story(facts, run, parts, learnt, now))
        terminal.print(conclusion(found), soft_wrap=True)
        if opts.json:
            save_json(as_record(facts, run, parts, learnt, found), opts.json)
            say(opts.json)  # not through rich: a path must not be wrapped

    def _addresses(self) -> dict[str, str]:
        """Return the addresses that this process was given for good: those after its own -s end with it."""
        typed = SETTINGS_PRIORITIES["cmdline"]
        return {name: self.text(name) for name in ADDRESSES if self.settings.getpriority(name) != typed}

    def _parts(
        self, folder: Path, run: RunInfo, facts: UrlFacts, database: CrawlDatabase, *, may_fetch: bool
    ) -> tuple[LinkParts | None, Learnt]:
        """Return what makes the priority, or the score of the best link, and what was learnt of the URL."""
        link, learnt = facts.best or next(iter(facts.links), None), Learnt()
        if link is None:
            return None, learnt
        try:
            analyst = analyst_of(self.settings, run)
            learnt = recall_for(analyst, database, link.target)
            if learnt.reckoned is not None:
                return parts_then(analyst, link, learnt.reckoned), learnt
            if link.listing is not None:  # which is no page
                return None, learnt
            page = page_as_recorded(folder, run, link.source, analyst)
            if page is None and may_fetch:
                page = self._fetched(link.source, analyst)
            if page is None:
                raise nowhere(run)
            return parts_again(analyst, page, link, database), learnt
        except FocusedCrawlerError as error:
            return LinkParts(link, note=f"cannot be computed: {error}"), learnt

    def _fetched(self, url: str, analyst: Analyst) -> Page:
        spider = run_spider(
            self.crawler_process,
            ExamplesSpider,
            urls=[url],
            analyzer=analyst.analyzer,
            nofollow=analyst.config.nofollow,
        )
        if url not in spider.fetched:
            raise CrawlError(f"its page could not be had ({spider.missing.get(url, 'no answer')})")
        return spider.fetched[url]
