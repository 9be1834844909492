"""Downloader middleware: robots.txt by RFC 9309; Scrapy's own takes every failure for a yes."""

from __future__ import annotations

import asyncio
import logging
from sys import getsizeof
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler, load_object

from focused_crawler.crawl.failure import Failure
from focused_crawler.crawl.robots import MAX_RULES, RobotRules, Shelf, rules_for
from focused_crawler.edge import meta
from focused_crawler.edge.failures import NoPage, asked_host, classify, retry_after
from focused_crawler.edge.http import user_agent_of
from focused_crawler.safety.aside import Aside
from focused_crawler.safety.printable import printable

logger = logging.getLogger(__name__)

NETWORK_FAILURES = frozenset(
    {"timeout", "dns", "connection_refused", "connection", "data_loss", "refused_address"}
)
"""These mean for the page what they mean for robots.txt: its site cannot be reached, or may not be."""

TEXT_BYTES = 16 * 1024 * 1024
"""So much is kept of the rules of all sites, those asked for last; others are fetched again."""

PARSED_BYTES = 16 * 1024 * 1024
"""So much memory is for rules that are parsed; others are parsed again, from their text."""

_LONG = 32 * 1024
"""Bytes of a robots.txt above which it is read beside the loop."""
_SITE_COST, _PARSER_COST, _RULE_COST = 500, 2_000, 800  # bytes, without their text


class RobotsMiddleware:
    """Asks a site's robots.txt before its first page.

    2xx: its rules; 4xx: everything is allowed; 429, 5xx or no answer: nothing is, for now, and the page is
    tried again later, with a new robots.txt; 429 and 5xx hold the whole host, as those of a page do.
    One that is refused (it redirects in circles or to an address that may not be asked, or is a bomb) allows
    nothing. The rules for this robot are kept, in bounded memory, and long ones are read in a thread.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("ROBOTSTXT_OBEY is False")
        self._crawler = crawler
        self._agent = user_agent_of(crawler)
        self._parser: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._texts: Shelf[str] = Shelf(TEXT_BYTES)  # site -> its rules for us
        self._parsed: Shelf[RobotParser] = Shelf(PARSED_BYTES)  # rules -> parser; many sites have the same
        self._fetching: dict[str, asyncio.Task[str | Failure]] = {}
        self._aside = Aside()
        crawler.signals.connect(self._aside.close, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        if request.meta.get("dont_obey_robotstxt"):
            return
        rules = await self._rules(request)
        if isinstance(rules, Failure):
            self._crawler.stats.inc_value("focused/robots/unreachable")
            raise NoPage(rules)
        if not rules.allowed(request.url, self._agent):
            self._crawler.stats.inc_value("focused/robots/forbidden")
            raise NoPage(Failure("robots", retry=False))

    async def _rules(self, request: Request) -> RobotParser | Failure:
        parts = urlsplit(request.url)
        site = f"{parts.scheme}://{parts.netloc}"
        text = self._texts.get(site)
        if text is None:
            task = self._fetching.get(site)
            if task is None:
                task = self._fetching[site] = asyncio.ensure_future(self._fetch(site, request))
                task.add_done_callback(lambda _: self._fetching.pop(site))
            answer = await asyncio.shield(task)
            if isinstance(answer, Failure):
                return answer
            text = answer
        return await self._parser_of(text)

    async def _fetch(self, site: str, request: Request) -> str | Failure:
        """Return and keep the rules of a site, or why there is no telling."""
        lease = request.meta.get(meta.LEASE) or request.meta.get(meta.ASKED_FOR)
        asked = {"dont_obey_robotstxt": True} | ({meta.ASKED_FOR: lease} if lease else {})
        robots = Request(f"{site}/robots.txt", priority=1000, meta=asked, callback=NO_CALLBACK)
        try:
            response = await self._crawler.engine.download_async(robots)
        except NoPage as error:
            return error.failure
        except Exception as error:
            failure = classify(error)
            reason = printable(f"{type(error).__name__}: {error}")
            logger.info("No robots.txt from %s (%s)", printable(site), reason)
            is_network = failure.reason in NETWORK_FAILURES
            return failure if is_network else Failure("robots_unreachable", retry=False)
        if response.status == 429 or response.status >= 500:
            logger.info("No robots.txt from %s (HTTP %s)", printable(site), response.status)
            return Failure("robots_unreachable", True, retry_after(response), asked_host(request.url))
        body = response.body if 200 <= response.status < 300 else b""
        rules = await self._aside.do(lambda: rules_for(self._agent, body), is_long=len(body) > _LONG)
        self._keep(site, rules)
        await self._crawler.signals.send_catch_log_async(
            signals.robots_parsed, robotparser=await self._parser_of(rules.text), request=request
        )
        return rules.text

    def _keep(self, site: str, rules: RobotRules) -> None:
        if rules.is_cut:
            self._crawler.stats.inc_value("focused/limits/robots_rules")
            logger.info("Cut robots.txt of %s (over %s rules)", printable(site), MAX_RULES)
        self._texts.put(site, rules.text, _SITE_COST + getsizeof(rules.text))

    async def _parser_of(self, text: str) -> RobotParser:
        parser = self._parsed.get(text)
        if parser is None:
            is_long = len(text) > _LONG
            parser = await self._aside.do(lambda: self._parse(text), is_long=is_long)
            cost = _PARSER_COST + _RULE_COST * text.count("\n") + 4 * getsizeof(text)
            self._parsed.put(text, parser, cost)
        return parser

    def _parse(self, text: str) -> RobotParser:
        parser: RobotParser = build_from_crawler(self._parser, self._crawler, text.encode())
        # Protego's rules name their parser, for its messages: in a circle they would outlive their place here
        # until the next full collection of garbage, which is seldom.
        for rules in getattr(getattr(parser, "rp", None), "_user_agents", {}).values():
            rules._parser_instance = None
        return parser
