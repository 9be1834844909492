"""Downloader middleware: parses a page, once, and says how relevant it is."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from time import time
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from focused_crawler import meta
from focused_crawler.crawl import Crawl, Failure
from focused_crawler.extensions.session import crawl_of
from focused_crawler.failures import RETRIED_STATUSES, NoPage
from focused_crawler.http import PageResponse
from focused_crawler.page.parser import UnparsablePage, parse_page

MAX_RETRY_AFTER = 3600.0
"""Seconds that a host may make us wait at most before it is asked again."""


class PageClassifierMiddleware:
    """Turns the response of a leased URL into a `PageResponse`, or raises `NoPage`; leaves others alone."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._analyzer = crawl.plan.analyzer
        self._classifier = crawl.plan.model.classifier
        self._threshold = crawl.plan.threshold

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawl_of(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        if meta.LEASE not in request.meta:
            return response
        if response.status != 200:
            raise NoPage(_status_failure(response))
        if not isinstance(response, TextResponse):
            raise NoPage(Failure("not_html", retry=False))
        if not self._crawl.claim(request.meta[meta.LEASE], response.url):
            raise NoPage(Failure("redirect_to_known", retry=False))
        try:
            page = parse_page(response.body, response.url, self._analyzer, response.encoding)
        except UnparsablePage:
            raise NoPage(Failure("unparsable", retry=False)) from None
        page.depth = int(request.meta.get(meta.DEPTH, 0))
        page.relevance = self._classifier.relevance(page)
        page.is_relevant = page.relevance >= self._threshold
        return response.replace(cls=PageResponse, page=page)


def _status_failure(response: Response) -> Failure:
    retry = response.status in RETRIED_STATUSES
    return Failure(f"http_{response.status}", retry, _retry_after(response) if retry else None)


def _retry_after(response: Response) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date), at most an hour; None without one."""
    value = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    try:
        seconds = float(value) if value.isdigit() else parsedate_to_datetime(value).timestamp() - time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)
