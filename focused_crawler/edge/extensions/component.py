"""What components have of the crawl that they are made for, once its session has opened it."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.edge.failures import asked_host

QUICK_LOOKUP = 0.05
"""Seconds; a request whose host is looked up for longer goes out that much later than its host was taken."""


def session_of(crawler: Crawler) -> CrawlSession:
    """Return the session that a component belongs to."""
    session = crawler.get_extension(CrawlSession)
    assert session is not None  # the add-on wires it with every component that asks
    return session


class CrawlComponent:
    """What scheduler, middlewares and pipelines have in common: each is made for a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._session = session_of(crawler)
        self._crawl = self._session.crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


def timing_download(crawler: Crawler, request: Request) -> AbstractContextManager[object]:
    """Return a context that takes the time of a download, if it is for a page of the crawl."""
    session = crawler.get_extension(CrawlSession) if meta.LEASE in request.meta else None
    return nullcontext() if session is None else session.crawl.steps.timing("download")


def found_address(crawler: Crawler, request: Request, is_first: bool) -> None:
    """Take note that a request goes out now that the address of its host, or a connection, is there."""
    session = crawler.get_extension(CrawlSession)
    if session is None:
        return
    session.count_from_now(request, later=QUICK_LOOKUP)
    if is_first:
        is_robots = request.url.endswith("/robots.txt")
        session.crawl.ledger.asked(asked_host(request.url), time.monotonic(), is_robots=is_robots)


def crawl_of(crawler: Crawler) -> Crawl:
    """Return the crawl that a component belongs to."""
    return session_of(crawler).crawl
