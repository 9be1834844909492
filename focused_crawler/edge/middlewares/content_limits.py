"""Downloader middleware: pages of the wanted types and size; all others are given up as early as possible."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response, TextResponse

from focused_crawler.edge.failures import Refused, count
from focused_crawler.edge.meta import LEASE, LISTING, PART
from focused_crawler.edge.own import is_robots
from focused_crawler.edge.rendering.rules import PART_BYTES
from focused_crawler.page.encoding import encoding_of, header_charset, web_encoding
from focused_crawler.safety.content import (
    LISTING_BYTES,
    SNIFFED_BYTES,
    PageLimits,
    binary_format,
    looks_like_html,
    media_type,
)
from focused_crawler.safety.printable import printable
from focused_crawler.safety.settings import read

logger = logging.getLogger(__name__)

MAX_ROBOTS_BYTES = 512 * 1024
"""Longer robots.txt files are cut here (RFC 9309, 2.5, asks for 500 KiB at least)."""


@dataclass(slots=True)
class _Download:
    """What is known of a response while its body arrives."""

    max_bytes: int
    is_sniffed: bool = False  # its type follows from its first bytes
    received: int = 0
    head: bytes = b""
    stopped: str = ""  # why the rest was not read


class ContentLimitsMiddleware:
    """Refuses responses by type and size: from their headers, while the body arrives, and once decompressed.

    The type is asked of pages only (requests with a lease, but of no sitemap or feed), so that a robots.txt
    may be text/plain; the size of all. A download that has to end is stopped without an error, because only
    the finished response shows its status: a redirect or an error page goes on without its body, a success is
    refused. It belongs nearer the engine than `BoundedCompressionMiddleware`. What comes out as text has an
    encoding of the web.
    """

    def __init__(self, content_types: Iterable[str], max_page_bytes: int, crawler: Crawler) -> None:
        self._content_types = frozenset(content_types)
        self._max_page_bytes = max_page_bytes
        self._crawler = crawler
        self._downloads: WeakKeyDictionary[Request, _Download] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        limits = read(PageLimits, crawler.settings)
        middleware = cls(limits.content_types, limits.max_page_bytes, crawler)
        crawler.signals.connect(middleware.headers_received, signals.headers_received)
        crawler.signals.connect(middleware.bytes_received, signals.bytes_received)
        return middleware

    def process_request(self, request: Request) -> None:
        if is_robots(request):
            request.meta["download_maxsize"] = 0  # the handler would drop it whole; bytes_received cuts it

    def headers_received(self, headers: Headers, body_length: Any, request: Request) -> None:
        self._downloads[request] = download = _Download(self._max_bytes(request))
        if is_robots(request):
            return
        kind = media_type(headers.get(b"Content-Type"))
        download.is_sniffed = kind is None and _is_page(request) and b"Content-Encoding" not in headers
        if isinstance(body_length, int) and body_length > download.max_bytes:
            download.stopped = "page_bytes"
        elif _is_page(request) and not self._is_wanted(kind):
            download.stopped = "content_type"
        if download.stopped:
            raise StopDownload(fail=False)

    def bytes_received(self, data: bytes, request: Request) -> None:
        download = self._downloads.get(request)
        if download is None or download.stopped:
            return
        download.received += len(data)
        if download.received > download.max_bytes:
            download.stopped = "robots_bytes" if is_robots(request) else "page_bytes"
        elif download.is_sniffed and len(download.head) < SNIFFED_BYTES:
            download.head += data[:SNIFFED_BYTES]
            if len(download.head) >= SNIFFED_BYTES and not looks_like_html(download.head):
                download.stopped = "content_type"
        if download.stopped:
            raise StopDownload(fail=False)

    def process_response(self, request: Request, response: Response) -> Response:
        download = self._downloads.pop(request, None)
        stopped = download.stopped if download else ""
        if is_robots(request):
            if stopped or len(response.body) > MAX_ROBOTS_BYTES:
                response = response.replace(body=response.body[:MAX_ROBOTS_BYTES])
                self._crawler.stats.inc_value("focused/limits/robots_bytes")
            return self._decodable(response)
        if not 100 <= response.status <= 999:
            raise count(Refused("status", "not of three digits"), request, self._crawler)
        if 200 <= response.status < 300:
            refusal = self._fault(request, response, stopped)
            if refusal:
                raise count(refusal, request, self._crawler)
        return self._decodable(response)

    def _decodable(self, response: Response) -> Response:
        """Return a response whose encoding is settled: nobody who reads its text meets another codec."""
        if not isinstance(response, TextResponse):
            return response
        label = header_charset(response.headers.get(b"Content-Type"))
        if label is not None and web_encoding(label) is None:
            self._crawler.stats.inc_value("focused/charsets/ignored")
            logger.info("Ignored charset %s of %s", printable(label[:40]), printable(response.url))
        return response.replace(encoding=encoding_of(response.body, label))

    def _fault(self, request: Request, response: Response, stopped: str) -> Refused | None:
        """Return why a response is no page for us; the type first, since a film is too long as well."""
        header = response.headers.get(b"Content-Type")
        kind = media_type(header)
        if _is_page(request) and not self._is_wanted(kind):
            return Refused("content_type", (header or b"").decode("latin-1"))
        max_bytes = self._max_bytes(request)
        if stopped == "page_bytes" or len(response.body) > max_bytes:
            return Refused("page_bytes", f"over {max_bytes} bytes")
        if not _is_page(request):
            return None
        if stopped or (kind is None and not looks_like_html(response.body)):
            return Refused("content_type", "none given, and it does not look like HTML")
        if disguised := binary_format(response.body):
            return Refused("disguised", f"{disguised} sent as {kind}")
        return None

    def _is_wanted(self, kind: str | None) -> bool:
        return kind is None or kind in self._content_types

    def _max_bytes(self, request: Request) -> int:
        if is_robots(request):
            return MAX_ROBOTS_BYTES
        if LISTING in request.meta:
            return LISTING_BYTES
        return PART_BYTES if PART in request.meta else self._max_page_bytes


def _is_page(request: Request) -> bool:
    return LEASE in request.meta and LISTING not in request.meta
