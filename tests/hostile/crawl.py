"""Runs plain Scrapy crawls with the components under test, in a process of its own, on the real reactor.

Reads {"resolver": {name: [answer, ...]}, "crawls": {name: {"settings": {...}, "requests": [...]}}} from
standard input and prints {name: {"outcomes": {label: {...}}, "stats": {...}}}. All crawls run at once.
"""

from __future__ import annotations

import json
import sys
from itertools import cycle
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from twisted.internet import address as tx_address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

from focused_crawler.edge.download.guard import GuardedDownloadHandler
from focused_crawler.edge.hostile_text import LogEscaping
from focused_crawler.edge.meta import LEASE
from focused_crawler.edge.middlewares.bounded_compression import BoundedCompressionMiddleware
from focused_crawler.edge.middlewares.bounded_redirect import (
    BoundedMetaRefreshMiddleware,
    BoundedRedirectMiddleware,
)
from focused_crawler.edge.middlewares.content_limits import ContentLimitsMiddleware

SCRAPY = "scrapy.downloadermiddlewares"
SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {
        "http": GuardedDownloadHandler,
        "https": GuardedDownloadHandler,
        **dict.fromkeys(("file", "ftp", "s3", "data")),
    },
    "DOWNLOADER_MIDDLEWARES": {
        f"{SCRAPY}.redirect.RedirectMiddleware": None,
        f"{SCRAPY}.redirect.MetaRefreshMiddleware": None,
        f"{SCRAPY}.httpcompression.HttpCompressionMiddleware": None,
        BoundedRedirectMiddleware: 600,
        BoundedCompressionMiddleware: 590,
        ContentLimitsMiddleware: 585,
        BoundedMetaRefreshMiddleware: 580,
    },
    "EXTENSIONS": {LogEscaping: 0},
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 300,  # only those who never answer are not waited for: see `cases.GIVEN_UP`
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_MAXSIZE": 400_000,
    "DOWNLOAD_WARNSIZE": 0,
    "FOCUSED_MAX_PAGE_BYTES": 100_000,
    "HTTPPROXY_ENABLED": False,
    "RETRY_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "DEBUG",
}


@implementer(IHostnameResolver)
class TableResolver:
    """A name server in the hands of an attacker: each name has answers that it gives in turn."""

    def __init__(self, reactor: Any, table: dict[str, list[list[str]]]) -> None:
        self._reactor = reactor
        self._inner = reactor.nameResolver
        self._answers = {name: cycle(answers) for name, answers in table.items()}

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> TableResolver:
        return cls(reactor, crawler.settings.getdict("TEST_RESOLVER"))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        receiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Any = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        if hostName not in self._answers:
            return self._inner.resolveHostName(
                receiver, hostName, portNumber, addressTypes, transportSemantics
            )
        receiver.resolutionBegan(None)
        answer = next(self._answers[hostName])
        if answer == ["never"]:
            return None
        for host in answer:
            kind = tx_address.IPv6Address if ":" in host else tx_address.IPv4Address
            receiver.addressResolved(kind("TCP", host, portNumber))
        receiver.resolutionComplete()
        return None


class Recorder(Spider):
    """Asks for what it is told, and writes down how each request ended."""

    name = "recorder"

    async def start(self) -> Any:
        for asked in self.requests:
            meta = {**asked.get("meta", {}), "label": asked["label"]}
            if asked.get("page", True):
                meta[LEASE] = asked["url"]
            try:
                request = Request(
                    asked["url"], meta=meta, callback=self.parse, errback=self.fail, dont_filter=True
                )
            except ValueError as error:
                self.outcomes[asked["label"]] = {"error": "ValueError", "message": str(error)}
                continue
            yield request

    def parse(self, response: Any) -> None:
        self.outcomes[response.meta["label"]] = {
            "status": response.status,
            "url": response.url,
            "size": len(response.body),
            "kind": type(response).__name__,
            "retry_after": (response.headers.get("Retry-After") or b"").decode(),
        }

    def fail(self, failure: Any) -> None:
        response = getattr(failure.value, "response", None)
        if response is not None and type(failure.value).__name__ == "HttpError":
            self.parse(response)
            return
        self.outcomes[failure.request.meta["label"]] = {
            "error": type(failure.value).__name__,
            "message": str(failure.value),
        }


def main() -> None:
    plan = json.load(sys.stdin)
    process = AsyncCrawlerProcess({"TWISTED_DNS_RESOLVER": TableResolver, "TEST_RESOLVER": plan["resolver"]})
    results: dict[str, Any] = {}
    crawlers = []
    for name, crawl in plan["crawls"].items():
        settings = {**SETTINGS, **crawl["settings"]}
        crawler = process.create_crawler(type(f"Recorder_{name}", (Recorder,), {"custom_settings": settings}))
        outcomes: dict[str, Any] = {}
        crawlers.append((name, crawler, outcomes))
        process.crawl(crawler, requests=crawl["requests"], outcomes=outcomes)
    process.start()
    for name, crawler, outcomes in crawlers:
        results[name] = {"outcomes": outcomes, "stats": crawler.stats.get_stats()}
    print(json.dumps(results, default=str))


if __name__ == "__main__":
    main()
