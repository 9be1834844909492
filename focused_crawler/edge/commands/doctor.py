"""`scrapy doctor`: whether a crawl could do its work here, one line a check, each with its cure."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, ClassVar

from scrapy.http import Response
from scrapy.settings import BaseSettings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.doctor.finding import ERROR, OK, WARNING, Finding, has_error, of_error
from focused_crawler.crawl.doctor.machine import check_clock, check_disk, check_extras, check_versions
from focused_crawler.crawl.doctor.network import (
    NETWORK_FIRST,
    check_names,
    check_network,
    check_proxy,
    check_robots,
    is_cut_off,
)
from focused_crawler.crawl.doctor.servers import check_database, check_frontier
from focused_crawler.crawl.doctor.topic import check_judge, check_seeds
from focused_crawler.edge.arguments import TOPIC_SPIDER, apply_arguments
from focused_crawler.edge.command import FetchingCommand, Option, save_json
from focused_crawler.edge.examples import ExamplesSpider, run_spider
from focused_crawler.edge.rendering.checked import check_browser
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, say

MOST_SEEDS = 20
"""Start pages that are fetched, of different hosts first: more would take minutes of polite waiting."""


class Command(FetchingCommand):
    """Fetches some start pages of a topic as a crawl would; without a topic it fetches nothing."""

    usage = "[TOPIC] [--json FILE] [options]"
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "CRITICAL"}  # the findings say what failed
    options = (Option("--json FILE", "write the findings as JSON, too", Path),)
    checks_names = False

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) > 1:
            raise ConfigError("name one topic or none, as in: scrapy doctor asthma")
        findings: list[Finding] = []
        for finding in self._findings(args[0] if args else ""):
            findings.append(finding)
            _show(finding)
        say("", _summary(findings))
        if opts.json is not None:
            save_json({"findings": [finding._asdict() for finding in findings]}, opts.json)
        self.exitcode = int(has_error(findings))

    def _findings(self, name: str) -> Iterator[Finding]:
        yield check_versions()
        yield check_extras()
        try:
            config = CrawlConfig.from_settings(self.settings)
            applied = self._applied()
        except FocusedCrawlerError as error:
            yield of_error("settings", error)
            return
        yield Finding("settings", OK, "all can be read")
        yield check_disk(config.crawls)
        yield check_database(config)
        yield check_frontier(config)
        yield check_browser(config.rendering.mode, config.rendering.browser)
        if config.web is None:
            yield check_proxy(os.environ, is_used=applied.getbool("HTTPPROXY_ENABLED"))
        if not name:
            cure = "name a topic, too: scrapy doctor TOPIC (scrapy list shows the names)"
            yield Finding("start pages", WARNING, "nothing was fetched, no judge looked at", cure)
            return
        yield from self._topic_findings(name)

    def _topic_findings(self, name: str) -> Iterator[Finding]:
        try:
            topic = apply_arguments(self.settings, TOPIC_SPIDER, {"topic": name})
            is_obeying = self._applied().getbool("ROBOTSTXT_OBEY")
            config = CrawlConfig.from_settings(self.settings)
            seeds = _spread(topic.seeds_of(config.seed_set or None))
            yield Finding("topic", OK, f"{topic.title}, {place(topic.folder)}")
            analyst = Analyst.make(config, topic)
        except FocusedCrawlerError as error:
            yield of_error("topic", error)
            return
        yield from check_judge(topic, analyst)
        spider = SeedsSpider(seeds, analyst.analyzer)
        if seeds:
            spider = run_spider(
                self.crawler_process,
                SeedsSpider,
                urls=seeds,
                analyzer=analyst.analyzer,
                nofollow=config.nofollow,
            )
        if config.web is None:
            yield from check_names(seeds, spider.missing)
            yield from check_network(seeds, spider.missing)
            if is_cut_off(seeds, spider.missing):
                yield Finding("unknown", WARNING, "robots.txt and clock: no server answered", NETWORK_FIRST)
            else:
                yield from check_robots(seeds, spider.missing, is_obeyed=is_obeying)
                yield from check_clock(spider.skews)
        else:
            yield Finding("network", OK, f"not needed: pages come from {place(config.web)}")
        yield from check_seeds(topic, analyst, seeds, spider.fetched, spider.missing)

    def _applied(self) -> BaseSettings:
        """Return the settings that a crawl would have, with the add-on's; raises ConfigError."""
        applied = self.settings.copy()
        FocusedCrawlerAddon().update_settings(applied)
        return applied


class SeedsSpider(ExamplesSpider):
    """Fetches start pages, and notes by how many seconds each server's clock is ahead of ours."""

    name = "seeds"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.skews: dict[str, float] = {}

    def parse(self, response: Response, **kwargs: Any) -> None:
        super().parse(response, **kwargs)
        date = (response.headers.get(b"Date") or b"").decode("latin-1")
        try:
            self.skews[host_of(response.url)] = parsedate_to_datetime(date).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):  # none, or what is no date
            return


def _spread(seeds: tuple[str, ...]) -> list[str]:
    """Return start pages to fetch, those of new hosts first."""
    first = {host_of(url): url for url in reversed(seeds)}
    chosen = [url for url in seeds if first[host_of(url)] == url]
    return list(dict.fromkeys([*chosen, *seeds]))[:MOST_SEEDS]


def _show(finding: Finding) -> None:
    say(f"{finding.state:<8} {finding.check:<12} {finding.text}")
    if finding.cure:
        say(f"{'':<21} -> {finding.cure}")


def _summary(findings: list[Finding]) -> str:
    """Return what it comes to.

    >>> _summary([Finding("disk", OK, "100 GiB free")])
    'A crawl can begin: no error, no warning.'
    """
    errors = sum(finding.state == ERROR for finding in findings)
    warnings = sum(finding.state == WARNING for finding in findings)
    worded = plural(warnings, "warning") if warnings else "no warning"
    if errors:
        return f"A crawl would fail or fetch nothing: {plural(errors, 'error')}, {worded}."
    return f"A crawl can begin: no error, {worded}."
