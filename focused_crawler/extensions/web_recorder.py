"""Records a crawl as a virtual web: every response goes into the WARC that FOCUSED_RECORD names."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from focused_crawler.errors import ConfigError
from focused_crawler.virtualweb.writer import WebWriter


class WebRecorder:
    """Writes each response as it came off the network, before any middleware: redirects, robots.txt, errors.

    A crawl that is resumed with the same file appends to it. Requests other than GET are not recorded.
    """

    def __init__(self, path: str | Path, stats: StatsCollector) -> None:
        self._writer = WebWriter(path)
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        path, web = crawler.settings.get("FOCUSED_RECORD"), crawler.settings.get("FOCUSED_WEB")
        if not path:
            raise NotConfigured("FOCUSED_RECORD is not set")
        path = Path(path).expanduser()
        if web and path.resolve() == Path(web).expanduser().resolve():
            raise ConfigError(f"FOCUSED_RECORD is {path}, the web that is read; record to another file")
        recorder = cls(path, crawler.stats)
        crawler.signals.connect(recorder.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        return recorder

    def response_downloaded(self, response: Response, request: Request) -> None:
        if request.method != "GET":
            return
        headers = [
            (name.decode("latin-1"), value.decode("utf-8", "replace"))
            for name, values in response.headers.items()
            for value in values
        ]
        self._writer.write(response.url.partition("#")[0], response.status, headers, response.body)
        self._stats.inc_value("focused/web_recorder/responses")

    def spider_closed(self, spider: Spider) -> None:
        self._writer.close()
