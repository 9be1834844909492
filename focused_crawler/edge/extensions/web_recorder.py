"""Records a crawl as a virtual web: every response goes into the WARC that FOCUSED_RECORD names."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings

from focused_crawler.crawl.endings import STORAGE_FAILED
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.safety.content import NOT_MODIFIED
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.job import unwritable
from focused_crawler.virtualweb.exchange import Exchange, head_of
from focused_crawler.virtualweb.writer import WebWriter

logger = logging.getLogger(__name__)


class WebRecorder:
    """Writes each response as it came off the network, before any middleware: redirects, robots.txt, errors.

    Its head is that of the wire, and so is its request's, but for passwords and cookies. Of a response that
    did not come over the network (from a web) the head is made of its headers, and there is no request.

    A crawl that is resumed with the same file appends to it. Requests other than GET are not recorded, nor
    are answers that a page has not changed (304), which are true of one client only. When the file cannot be
    written the crawl ends: a page that is not recorded is fetched again by the next run.
    """

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler = crawler
        self._writer = WebWriter(path)
        self._heads: WeakKeyDictionary[Request, tuple[bytes, bytes]] = WeakKeyDictionary()
        self._failure: CrawlError | None = None
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        path, web = crawler.settings.get("FOCUSED_RECORD"), crawler.settings.get("FOCUSED_WEB")
        if not path:
            raise NotConfigured("FOCUSED_RECORD is not set")
        path = Path(path).expanduser()
        if web and path.resolve() == Path(web).expanduser().resolve():
            raise ConfigError(f"FOCUSED_RECORD is {path}, the web that is read; record to another file")
        recorder = cls(crawler, path)
        recorder._writer.describe(_about(crawler.settings))
        crawler.signals.connect(recorder.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        return recorder

    def response_downloaded(self, response: Response, request: Request) -> None:
        if request.method != "GET" or self._failure is not None or response.status == NOT_MODIFIED:
            return
        try:
            self._writer.record(_exchange(response, *self._heads.pop(request, (b"", b""))))
        except OSError as error:
            self._give_up(unwritable(self._writer.path, error))
        else:
            self._crawler.stats.inc_value("focused/web_recorder/responses")

    def note_heads(self, request: Request, sent: bytes, received: bytes) -> None:
        """Keep the heads of an exchange until its response is there."""
        if request.method == "GET":
            self._heads[request] = sent, received

    def spider_closed(self) -> None:
        try:
            self._writer.close()
        except OSError as error:  # what was written last is still in its buffer
            if self._failure is None:
                logger.error("%s", unwritable(self._writer.path, error))

    def _give_up(self, failure: CrawlError) -> None:
        self._failure = failure
        session = self._crawler.get_extension(CrawlSession)
        if session is not None:
            session.give_up(failure)
            return
        logger.error("%s", failure)
        self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=STORAGE_FAILED))


_SECRETS = frozenset((b"authorization", b"cookie", b"proxy-authorization"))


def _about(settings: BaseSettings) -> dict[str, str]:
    return {
        "isPartOf": str(settings.get("FOCUSED_TOPIC") or settings.get("BOT_NAME") or ""),
        "http-header-user-agent": str(settings.get("USER_AGENT") or ""),
        "robots": "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
    }


def _exchange(response: Response, sent: bytes, received: bytes) -> Exchange:
    return Exchange(
        response.url.partition("#")[0],
        received or head_of(response.status, _headers(response), response.protocol or "HTTP/1.1"),
        response.body,
        b"".join(line for line in sent.splitlines(keepends=True) if _name(line) not in _SECRETS),
        _why_cut(response),
        str(response.ip_address or ""),
    )


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()


def _headers(response: Response) -> list[tuple[bytes, bytes]]:
    """Return the headers as Scrapy has them, for a body that is not in chunks."""
    pairs = [(name, value) for name, values in response.headers.items() for value in values]
    kept = [(name, value) for name, value in pairs if name.lower() != b"transfer-encoding"]
    has_length = any(name.lower() == b"content-length" for name, _ in kept)
    return kept if has_length else [*kept, (b"Content-Length", b"%d" % len(response.body))]


def _why_cut(response: Response) -> str:
    """Return why the body is not whole, in the words of WARC; nothing if it is."""
    if "download_stopped" in response.flags:
        return "length" if response.body else "unspecified"  # too large, or of an unwanted type
    return "disconnect" if "dataloss" in response.flags else ""
