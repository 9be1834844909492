"""Downloader middleware: robots.txt by RFC 9309; Scrapy's own takes every failure for a yes."""

from __future__ import annotations

import asyncio
import logging
import time
from struct import Struct
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler, load_object

from focused_crawler.crawl.failure import Failure
from focused_crawler.crawl.robots import MAX_RULES, Shelf, rules_for
from focused_crawler.edge import meta
from focused_crawler.edge.failures import NoPage, asked_host, classify, retry_after
from focused_crawler.edge.http import user_agent_of
from focused_crawler.edge.own import PASSES_BY
from focused_crawler.page.listing import named_sitemaps
from focused_crawler.safety.aside import Aside
from focused_crawler.safety.printable import printable
from focused_crawler.safety.zstd import zstd

logger = logging.getLogger(__name__)

NETWORK_FAILURES = frozenset(
    {"timeout", "dns", "connection_refused", "connection", "data_loss", "refused_address"}
)
"""These mean for the page what they mean for robots.txt: its site cannot be reached, or may not be."""

TEXT_BYTES = 6 * 1024 * 1024
"""So much is kept of the rules of all sites, packed, those asked for last; others are fetched again."""

LONG_TEXT_BYTES = 2 * 1024 * 1024
"""And so much of long ones, which must not push out those of a thousand other sites."""

PARSED_BYTES = 8 * 1024 * 1024
"""So much memory is for rules that are parsed; others are parsed again, from their text."""

MAX_AGE = 24 * 3600.0
"""Seconds after which rules are fetched again (RFC 9309, 2.4)."""

_RETRY_AGE = 3600.0
"""Old rules hold so long again where new ones cannot be had."""

_UNTIL = Struct(">d")
"""Stands before a site's rules, with which it is one object: on the monotonic clock, until when they hold."""

sitemaps_named = object()
"""Signal: the robots.txt of a host names sitemaps."""

_LONG = 32 * 1024
"""Bytes of a robots.txt above which it is read beside the loop, and of long rules once packed."""
_SITE_COST, _PARSER_COST, _RULE_COST, _STAR_COST = 500, 2_000, 760, 64  # bytes, without their text
# A rule takes 160 bytes more where the attributes of rules share no keys: that hangs on what the process did.


class RobotsMiddleware:
    """Asks a site's robots.txt before its first page, and again when its rules are a day old.

    2xx: its rules; 4xx: everything is allowed; 429, 5xx or no answer: nothing is, for now, and the page is
    tried again later, with a new robots.txt; 429 and 5xx hold the whole host, as those of a page do.
    One that is refused (it redirects in circles or to an address that may not be asked, or is a bomb) allows
    nothing. The rules for this robot are kept, in bounded memory, and long ones are read in a thread. Old
    rules hold on where new ones cannot be had.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("ROBOTSTXT_OBEY is False")
        self._crawler = crawler
        self._agent = user_agent_of(crawler)
        self._parser: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._texts: Shelf[str, bytes] = Shelf(TEXT_BYTES)  # site -> its rules for us, packed
        self._long_texts: Shelf[str, bytes] = Shelf(LONG_TEXT_BYTES)
        self._parsed: Shelf[bytes, RobotParser] = Shelf(PARSED_BYTES)  # one for sites with the same rules
        self._fetching: dict[str, asyncio.Task[bytes | Exception]] = {}
        self._aside = Aside()
        crawler.signals.connect(self._aside.close, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if request.meta.get("dont_obey_robotstxt") or parts.scheme not in ("http", "https"):
            return
        rules = await self._rules(request, f"{parts.scheme}://{parts.netloc}")
        if isinstance(rules, Exception):
            self._crawler.stats.inc_value("focused/robots/unreachable")
            raise rules.with_traceback(None)  # others that waited raise it, too
        if not rules.allowed(request.url, self._agent):
            self._crawler.stats.inc_value("focused/robots/forbidden")
            raise NoPage(Failure("robots", retry=False))

    async def _rules(self, request: Request, site: str) -> RobotParser | Exception:
        known = self._texts.get(site) or self._long_texts.get(site)
        if known is not None and time.monotonic() < _UNTIL.unpack_from(known)[0]:
            return await self._parser_of(known[_UNTIL.size :])
        task = self._fetching.get(site)
        if task is None:
            task = self._fetching[site] = asyncio.ensure_future(self._fetch(site, request))
            task.add_done_callback(lambda _: self._fetching.pop(site))
        answer = await asyncio.shield(task)
        if not isinstance(answer, Exception):
            return await self._parser_of(answer)
        if known is None:
            return answer
        packed = known[_UNTIL.size :]
        self._put(site, packed, _RETRY_AGE)
        return await self._parser_of(packed)

    async def _fetch(self, site: str, request: Request) -> bytes | Exception:
        """Return and keep the rules of a site, or the error that a request to it ends with."""
        lease = request.meta.get(meta.LEASE) or request.meta.get(meta.ASKED_FOR)
        asked = {"dont_obey_robotstxt": True} | ({meta.ASKED_FOR: lease, **PASSES_BY} if lease else {})
        robots = Request(f"{site}/robots.txt", priority=1000, meta=asked, callback=NO_CALLBACK)
        try:
            response = await self._crawler.engine.download_async(robots)
        except NoPage as error:
            return error
        except Exception as error:
            reason = printable(f"{type(error).__name__}: {error}")
            logger.info("No robots.txt from %s (%s)", printable(site), reason)
            is_network = classify(error).reason in NETWORK_FAILURES
            return error if is_network else NoPage(Failure("robots_unreachable", retry=False))
        if response.status == 429 or response.status >= 500:
            logger.info("No robots.txt from %s (HTTP %s)", printable(site), response.status)
            seconds, host = retry_after(response), asked_host(request.url)
            return NoPage(Failure("robots_unreachable", True, seconds, host))
        body = response.body if 200 <= response.status < 300 else b""
        packed = await self._read(site, body)
        if named := named_sitemaps(body, f"{site}/robots.txt"):
            self._crawler.signals.send_catch_log(sitemaps_named, host=asked_host(request.url), sitemaps=named)
        del response, body  # others wait to be parsed, each with half a megabyte
        await self._crawler.signals.send_catch_log_async(
            signals.robots_parsed, robotparser=await self._parser_of(packed), request=request
        )
        return packed

    async def _read(self, site: str, body: bytes) -> bytes:
        """Return and keep the rules of a site."""
        packed, is_cut = await self._aside.do(lambda: self._pack(body), is_long=len(body) > _LONG)
        if is_cut:
            self._crawler.stats.inc_value("focused/limits/robots_rules")
            logger.info("Cut robots.txt of %s (over %s rules)", printable(site), MAX_RULES)
        self._put(site, packed, MAX_AGE)
        return packed

    def _put(self, site: str, packed: bytes, seconds: float) -> None:
        is_long = len(packed) > _LONG
        texts, others = (self._long_texts, self._texts) if is_long else (self._texts, self._long_texts)
        others.forget(site)  # where its rules have grown or shrunk
        texts.put(site, _UNTIL.pack(time.monotonic() + seconds) + packed, _SITE_COST + len(packed))

    def _pack(self, body: bytes) -> tuple[bytes, bool]:
        """Return the rules for us, and whether there were too many of them."""
        text, is_cut = rules_for(self._agent, body)
        return zstd.compress(text.encode()), is_cut

    async def _parser_of(self, packed: bytes) -> RobotParser:
        known = self._parsed.get(packed)
        if known is not None:
            return known
        is_long = (zstd.get_frame_info(packed).decompressed_size or 0) > _LONG
        cost = parser_cost(packed)
        self._parsed.make_room(cost)  # what goes for it need not be there beside it
        parser = await self._aside.do(lambda: self._parse(packed), is_long=is_long)
        self._parsed.put(packed, parser, cost)
        return parser

    def _parse(self, packed: bytes) -> RobotParser:
        """Return the parser of some rules."""
        text = zstd.decompress(packed)
        parser: RobotParser = build_from_crawler(self._parser, self._crawler, text)
        # Protego's rules name their parser, for its messages: in a circle they would outlive their place here
        # until the next full collection of garbage, which is seldom. And it keeps each line beside its rule.
        rules = getattr(parser, "rp", None)
        for group in getattr(rules, "_user_agents", {}).values():
            group._parser_instance = None
        getattr(rules, "_url_patterns", {}).clear()
        return parser


def parser_cost(packed: bytes) -> int:
    """Return how much memory the parser of some rules takes."""
    text = zstd.decompress(packed)
    rules, stars = text.count(b"\n"), text.count(b"*")
    return _PARSER_COST + _RULE_COST * rules + _STAR_COST * stars + 2 * len(text)
