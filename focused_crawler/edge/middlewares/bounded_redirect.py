"""Downloader middlewares: redirects that lead to another web page, and no further than REDIRECT_MAX_TIMES."""

from __future__ import annotations

from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import (
    BaseRedirectMiddleware,
    MetaRefreshMiddleware,
    RedirectMiddleware,
)
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.referer import RefererMiddleware

from focused_crawler.edge.failures import Refused, count
from focused_crawler.edge.meta import LEASE
from focused_crawler.page.url import normalise
from focused_crawler.safety.content import REDIRECTS, refresh_head

Result = Request | Response


class _Quiet(BaseRedirectMiddleware):
    """What both have in common: a visit says nothing to the next server of where the redirect came from."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler.settings)  # Scrapy's warns where there is no referer to handle
        middleware.crawler = crawler
        return middleware

    def handle_referer(self, request: Request, response: Response) -> None:
        request.headers.pop(b"Referer", None)
        referer = None if LEASE in request.meta else self.crawler.get_spider_middleware(RefererMiddleware)
        if referer is not None:
            referer.get_processed_request(request, response)


class BoundedRedirectMiddleware(_Quiet, RedirectMiddleware):
    """Replaces Scrapy's: refuses and counts each redirect that cannot be followed."""

    def process_response(self, request: Request, response: Response) -> Result:  # type: ignore[override]
        location = response.headers.get(b"Location")
        if location is None or response.status not in REDIRECTS or request.meta.get("dont_redirect"):
            return response
        try:
            _check_location(location)
            return self._follow(request, response)
        except Refused as refusal:
            raise count(refusal, request, self.crawler) from None

    def _follow(self, request: Request, response: Response) -> Result:
        try:
            result = super().process_response(request, response)
        except ValueError as error:
            raise Refused("redirect_location", str(error)) from None
        except IgnoreRequest:
            raise Refused("redirect_hops", f"more than {self.max_redirect_times}") from None
        if isinstance(result, Request) and normalise(result.url) is None:
            raise Refused("redirect_location", result.url)
        return result


class BoundedMetaRefreshMiddleware(_Quiet, MetaRefreshMiddleware):
    """Replaces Scrapy's; a page whose refresh leads nowhere stays, for it is a page, and so does one that
    shows itself anew now and then.
    """

    def process_response(self, request: Request, response: Response) -> Result:  # type: ignore[override]
        head = _head(response)
        if head is None:
            return response
        try:
            result = super().process_response(request, head)
        except (ValueError, IgnoreRequest):
            result = None
        if result is head:
            return response
        if result is None or (isinstance(result, Request) and normalise(result.url) is None):
            self.crawler.stats.inc_value("focused/limits/refresh_location")
            return response
        if isinstance(result, Request) and normalise(result.url) == normalise(response.url):
            return response
        return result


def _head(response: Response) -> HtmlResponse | None:
    """Return the part of a page that may hold a refresh; None where there is none."""
    if not isinstance(response, HtmlResponse):
        return None
    head = refresh_head(response.body)
    return None if head is None else HtmlResponse(response.url, body=head, encoding=response.encoding)


def _check_location(header: bytes) -> None:
    location = header.decode("utf-8", "backslashreplace").strip()
    if not location:
        raise Refused("redirect_location", "empty")
    try:
        scheme = urlsplit(location).scheme
    except ValueError as error:
        raise Refused("redirect_location", str(error)) from None
    if scheme not in {"", "http", "https"}:
        raise Refused("redirect_scheme", location)
