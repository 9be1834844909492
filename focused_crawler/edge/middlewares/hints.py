"""Downloader middleware: says, once a kind, which default of ours makes a spider's own request fail."""

from __future__ import annotations

import logging
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotSupported
from scrapy.http import Headers
from scrapy.settings import SETTINGS_PRIORITIES

from focused_crawler.edge.failures import AddressRefused, NoPage, own_refused
from focused_crawler.edge.own import is_users
from focused_crawler.safety.printable import printable

logger = logging.getLogger(__name__)

ROBOTS, CERTIFICATES, COOKIES = "ROBOTSTXT_OBEY", "DOWNLOAD_VERIFY_CERTIFICATES", "COOKIES_ENABLED"
NETWORKS, PAGE_BYTES, HANDLERS = "FOCUSED_ALLOWED_NETWORKS", "FOCUSED_MAX_PAGE_BYTES", "DOWNLOAD_HANDLERS"


class HintsMiddleware:
    """Hears of errors that nobody has dealt with, and of cookies that are lost; costs a page nothing.

    Of a setting that the user has made it says nothing, nor of visits: they are to be as careful.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._said: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.own_refused, own_refused)
        if not crawler.settings.getbool(COOKIES):
            crawler.signals.connect(middleware.request_scheduled, signals.request_scheduled)
        return middleware

    def process_exception(self, request: Request, exception: Exception) -> None:
        if not is_users(request):
            return
        if isinstance(exception, NoPage) and exception.failure.reason == "robots":
            self._say(ROBOTS, f"{ROBOTS} is True, and robots.txt forbids", request)
        elif isinstance(exception, NotSupported):
            self._say(HANDLERS, f"{HANDLERS} has http and https alone, and not the scheme of", request)
        elif isinstance(exception, AddressRefused) and request.meta.get("proxy"):
            self._say(HANDLERS, f"{HANDLERS} has the guarded one, which lets no proxy ask for", request)
        elif isinstance(exception, AddressRefused):
            self._say(NETWORKS, f"{NETWORKS} does not name the network of", request)
        elif "certificate verify failed" in str(exception):
            self._say(CERTIFICATES, f"{CERTIFICATES} is True, and nobody vouches for", request)

    def own_refused(self, request: Request, reason: str) -> None:
        """Look at why an answer is given up."""
        if reason in ("page_bytes", "decompressed_bytes"):
            self._say(PAGE_BYTES, f"{PAGE_BYTES} is less than the size of", request)

    def request_scheduled(self, request: Request) -> None:
        """Look at what a spider asks for: cookies of its own; a form, whose answer may set some."""
        if request.cookies:
            self._say(COOKIES, f"{COOKIES} is False, and no cookies are sent to", request)
        elif request.method == "POST" and is_users(request):
            self._crawler.signals.connect(self.headers_received, signals.headers_received)

    def headers_received(self, headers: Headers, request: Request) -> None:
        if request.method == "POST" and b"Set-Cookie" in headers:
            self._say(COOKIES, f"{COOKIES} is False, and the cookie is lost that was set by", request)

    def _say(self, setting: str, what: str, request: Request) -> None:
        is_ours = self._crawler.settings.getpriority(setting) == SETTINGS_PRIORITIES["addon"]
        if is_ours and setting not in self._said:
            self._said.add(setting)
            logger.warning(
                "%s %s (a default of the add-on: docs/how-to/addon.md)", what, printable(request.url)
            )
