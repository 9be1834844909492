"""Scrapy download handler that answers out of a virtual web and never touches the network."""

from __future__ import annotations

import asyncio
from functools import partial

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, NotConfigured
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings
from scrapy.utils._download_handlers import check_stop_download, make_response

from focused_crawler.crawl.config import ComponentSettings, CrawlConfig
from focused_crawler.edge.extensions.component import timing_download
from focused_crawler.safety.settings import read_one
from focused_crawler.virtualweb.exchange import raw
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord, answer

_METHODS = ("GET", "HEAD")


def web_from_settings(settings: BaseSettings) -> VirtualWeb | None:
    """Open the web that FOCUSED_WEB names; None if it is not set.

    Scrapy only logs what a handler raises when it is made and then crawls nothing, so a wrong setting has
    to be found before: call this where settings are checked.
    """
    path = read_one(CrawlConfig, "web", settings)
    read_one(ComponentSettings, "web_latency", settings)
    return VirtualWeb(path) if path is not None else None


class VirtualWebDownloadHandler(BaseDownloadHandler):
    """Handler for http and https; 404 for what the web lacks.

    With a latency, each answer takes that long, and longer where the record's X-Demo-Latency (seconds) says
    so. DOWNLOAD_MAXSIZE, DOWNLOAD_TIMEOUT and the signals of real handlers work as on the real web.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        web = web_from_settings(crawler.settings)
        if web is None:
            raise NotConfigured("FOCUSED_WEB is not set")
        self._web = web
        self._latency: float = read_one(ComponentSettings, "web_latency", crawler.settings)
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        with timing_download(self.crawler, request):
            record = self._answer(request)
            await self._wait(request, record)
        headers = Headers((raw(name), raw(value)) for name, value in record.headers)
        body = b"" if request.method == "HEAD" else record.body
        respond = partial(make_response, record.url, record.status, headers, protocol="HTTP/1.1")
        is_stopped = partial(check_stop_download, crawler=self.crawler, request=request)
        stopped = is_stopped(signals.headers_received, headers=headers, body_length=len(record.body))
        if stopped is not None:
            return respond(stop_download=stopped)
        self._check_size(request, record)
        if body:
            stopped = is_stopped(signals.bytes_received, data=body)
        return respond(body, stop_download=stopped)

    async def close(self) -> None:
        self._web.close()

    def _answer(self, request: Request) -> WebRecord:
        url = request.url.partition("#")[0]
        found = self._web.get(url) if request.method in _METHODS else None
        if found is None:
            return WebRecord(url, 404, [("Content-Type", "text/html"), ("Content-Length", "0")], b"")
        known, since = (request.headers.get(name) or b"" for name in ("If-None-Match", "If-Modified-Since"))
        return answer(found, known.decode("latin-1"), since.decode("latin-1"))

    async def _wait(self, request: Request, record: WebRecord) -> None:
        seconds = self._latency + record.slowness if self._latency else 0.0
        timeout = float(request.meta.get("download_timeout") or self._timeout)
        if seconds:
            await asyncio.sleep(min(seconds, timeout))
        if seconds > timeout:
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {timeout} seconds.")
        request.meta["download_latency"] = seconds

    def _check_size(self, request: Request, record: WebRecord) -> None:
        limit = request.meta.get("download_maxsize", self._max_size)
        if limit and len(record.body) > limit:
            size = len(record.body)
            raise DownloadCancelledError(f"{request.url} has {size} bytes, more than the limit of {limit}")
