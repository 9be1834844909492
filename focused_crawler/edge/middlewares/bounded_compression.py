"""Downloader middleware: decompresses bodies up to the page limit, and counts what cannot be decompressed."""

from __future__ import annotations

import logging
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from focused_crawler.edge.failures import Refused, count
from focused_crawler.edge.meta import LISTING, PART
from focused_crawler.edge.middlewares.content_limits import MAX_ROBOTS_BYTES
from focused_crawler.edge.own import is_robots
from focused_crawler.safety.content import PageLimits
from focused_crawler.safety.settings import read
from focused_crawler.safety.unpacking import (
    BROKEN,
    GZIP,
    MOST_PIECES,
    encodings_of,
    is_in_pieces,
    undone,
    unpacked,
)

MAX_CODINGS = 2
"""Servers send one; more than two, one inside the other, are made to cost time."""


class BoundedCompressionMiddleware(HttpCompressionMiddleware):
    """Replaces Scrapy's: same work, at most FOCUSED_MAX_PAGE_BYTES out, no traceback.

    Of a robots.txt, which may be a gzip file as well, what is read comes out, however long it is.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        # What it warns of is counted and logged here, or harmless: a coding that nobody knows, as "utf-8".
        logging.getLogger(HttpCompressionMiddleware.__module__).setLevel(logging.ERROR)
        self._max_size = read(PageLimits, crawler.settings).max_page_bytes

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("COMPRESSION_ENABLED"):
            raise NotConfigured("COMPRESSION_ENABLED is False")
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        is_file = response.body.startswith(GZIP) and is_robots(request)
        if b"Content-Encoding" not in response.headers and not is_file:
            return response
        if not response.body:  # a download that was stopped, or an empty page: nothing to decompress
            del response.headers[b"Content-Encoding"]
            return response
        if PART not in request.meta and LISTING not in request.meta:
            request.meta.pop("download_maxsize", None)  # what the handler may read is not what may come out
        try:
            return self._decompressed(request, response, len(encodings_of(_header(response))))
        except Refused as refusal:
            raise count(refusal, request, self._crawler) from None

    def _decompressed(self, request: Request, response: Response, codings: int) -> Request | Response:
        if codings > MAX_CODINGS:
            raise Refused("codings", f"compressed {codings} times over")
        try:
            if is_robots(request):
                return _start(response)
            return super().process_response(request, response)
        except BROKEN as error:
            raise Refused("undecodable", str(error)) from None

    def _handle_encoding(
        self, body: bytes, content_encoding: list[bytes], max_size: int
    ) -> tuple[bytes, list[bytes]]:
        for encoding in encodings_of(b",".join(content_encoding).decode("latin-1")):
            if is_in_pieces(body):
                raise Refused("codings", f"compressed in more than {MOST_PIECES} pieces")
            body = undone(body, encoding, max_size + 1)
            if len(body) > max_size:
                raise Refused("decompressed_bytes", f"over {max_size} bytes")
        return body, []


def _header(response: Response) -> str:
    return b",".join(response.headers.getlist(b"Content-Encoding")).decode("latin-1")


def _start(response: Response) -> Response:
    """Return a robots.txt unpacked, one byte further than it is read."""
    limit = MAX_ROBOTS_BYTES + 1
    body = unpacked(response.body, _header(response), limit)
    if body.startswith(GZIP):
        body = undone(body, "gzip", limit)
    response = response.replace(body=body)
    response.headers.pop(b"Content-Encoding", None)
    return response
