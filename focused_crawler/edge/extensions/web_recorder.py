"""Records a crawl as a virtual web: every response goes into the WARC that FOCUSED_RECORD names."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.safety.content import NOT_MODIFIED
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.job import unwritable
from focused_crawler.virtualweb.writer import WebWriter

logger = logging.getLogger(__name__)


class WebRecorder:
    """Writes each response as it came off the network, before any middleware: redirects, robots.txt, errors.

    A crawl that is resumed with the same file appends to it. Requests other than GET are not recorded, nor
    are answers that a page has not changed (304), which are true of one client only. When the file cannot be
    written the crawl ends: a page that is not recorded is fetched again by the next run.
    """

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler = crawler
        self._writer = WebWriter(path)
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
        crawler.signals.connect(recorder.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        return recorder

    def response_downloaded(self, response: Response, request: Request) -> None:
        if request.method != "GET" or self._failure is not None or response.status == NOT_MODIFIED:
            return
        headers = [
            (name.decode("latin-1"), value.decode("utf-8", "replace"))
            for name, values in response.headers.items()
            for value in values
        ]
        try:
            self._writer.write(response.url.partition("#")[0], response.status, headers, response.body)
        except OSError as error:
            self._give_up(unwritable(self._writer.path, error))
        else:
            self._crawler.stats.inc_value("focused/web_recorder/responses")

    def spider_closed(self, spider: Spider) -> None:
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
        self._closing = asyncio.ensure_future(
            self._crawler.engine.close_spider_async(reason="storage_failed")
        )
