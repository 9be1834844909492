"""Scrapy download handler that answers out of a virtual web and never touches the network."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, NotConfigured, StopDownload
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from focused_crawler.edge.extensions.session import timing_download
from focused_crawler.safety.errors import ConfigError
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord, answer

_METHODS = ("GET", "HEAD")


def web_from_settings(settings: BaseSettings) -> VirtualWeb | None:
    """Open the web that FOCUSED_WEB names; None if it is not set.

    Scrapy only logs what a handler raises when it is made and then crawls nothing, so a wrong setting has
    to be found before: call this where settings are checked.
    """
    path = settings.get("FOCUSED_WEB")
    latency_from_settings(settings)
    return VirtualWeb(Path(path).expanduser()) if path else None


def latency_from_settings(settings: BaseSettings) -> float:
    """Return FOCUSED_WEB_LATENCY, the seconds every answer takes."""
    value = settings.get("FOCUSED_WEB_LATENCY", 0)
    try:
        latency = float(value)
    except (TypeError, ValueError):
        latency = -1.0
    if not 0 <= latency < math.inf:
        raise ConfigError(f"FOCUSED_WEB_LATENCY is {value!r}; use a number of seconds from 0")
    return latency


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
        self._latency = latency_from_settings(crawler.settings)
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        with timing_download(self.crawler, request):
            record = self._answer(request)
            await self._wait(request, record)
        response = _to_response(request, record)
        if self._is_stopped(signals.headers_received, request, response, body_length=len(record.body)):
            return response.replace(body=b"", flags=["download_stopped"])
        self._check_size(request, record)
        if response.body and self._is_stopped(signals.bytes_received, request, response, data=response.body):
            return response.replace(flags=["download_stopped"])
        return response

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

    def _is_stopped(self, signal: object, request: Request, response: Response, **facts: Any) -> bool:
        """Send a signal of the download; whether a receiver raised StopDownload, as with real handlers."""
        if signal is signals.headers_received:
            facts["headers"] = response.headers
        results = self.crawler.signals.send_catch_log(
            signal=signal, request=request, spider=self.crawler.spider, **facts
        )
        for _, result in results:
            if isinstance(result, Failure) and isinstance(result.value, StopDownload):
                if result.value.fail:
                    result.value.response = response.replace(flags=["download_stopped"])
                    raise result.value
                return True
        return False


def _to_response(request: Request, record: WebRecord) -> Response:
    headers = Headers()
    for name, value in record.headers:
        headers.appendlist(name, value.encode("utf-8", "replace"))
    body = b"" if request.method == "HEAD" else record.body
    response_class = responsetypes.from_args(headers=headers, url=record.url, body=body)
    return response_class(record.url, status=record.status, headers=headers, body=body, protocol="HTTP/1.1")
