"""Downloader middleware: robots.txt by RFC 9309; Scrapy's own takes every failure for a yes."""

from __future__ import annotations

import asyncio
import logging
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.misc import build_from_crawler, load_object

from focused_crawler.crawl.failure import Failure
from focused_crawler.edge import meta
from focused_crawler.edge.failures import NoPage, asked_host, classify, retry_after
from focused_crawler.edge.http import user_agent_of
from focused_crawler.safety.printable import printable

logger = logging.getLogger(__name__)

NETWORK_FAILURES = frozenset(
    {"timeout", "dns", "connection_refused", "connection", "data_loss", "refused_address"}
)
"""These mean for the page what they mean for robots.txt: its site cannot be reached, or may not be."""

MAX_SITES = 10_000
"""Rules of so many sites are cached, those asked for last; others are fetched again."""


class RobotsMiddleware:
    """Asks a site's robots.txt before its first page.

    2xx: its rules; 4xx: everything is allowed; 429, 5xx or no answer: nothing is, for now, and the page is
    tried again later, with a new robots.txt; 429 and 5xx hold the whole host, as those of a page do.
    One that is refused (it redirects in circles or to an address that may not be asked, or is a bomb) allows
    nothing.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("ROBOTSTXT_OBEY is False")
        self._crawler = crawler
        self._agent = user_agent_of(crawler)
        self._parser: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._sites: LocalCache[str, asyncio.Task[RobotParser | Failure]] = LocalCache(MAX_SITES)

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
        task = self._sites.get(site)
        if task is None:
            task = self._sites[site] = asyncio.ensure_future(self._fetch(site, request))
        self._sites.move_to_end(site)
        rules = await asyncio.shield(task)
        if isinstance(rules, Failure) and self._sites.get(site) is task:
            del self._sites[site]
        return rules

    async def _fetch(self, site: str, request: Request) -> RobotParser | Failure:
        """Return the rules of a site, or why there is no telling."""
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
        rules = build_from_crawler(self._parser, self._crawler, body)
        await self._crawler.signals.send_catch_log_async(
            signals.robots_parsed, robotparser=rules, request=request
        )
        return rules
