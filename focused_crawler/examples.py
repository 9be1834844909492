"""Example pages: saved ones, and those that are fetched, politely and safely like any page."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from focused_crawler.command import crawl_to_end
from focused_crawler.errors import TopicError
from focused_crawler.failures import failure_of
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.text.tokens import Analyzer


class ExamplesSpider(Spider):
    """Fills `fetched` (URL -> Page) and `missing` (URL -> why) with what became of each URL it was given."""

    name = "examples"

    def __init__(self, urls: Iterable[str], analyzer: Analyzer, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._urls = list(urls)
        self._analyzer = analyzer
        self.fetched: dict[str, Page] = {}
        self.missing: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Any]:
        for url in self._urls:
            yield Request(url, errback=self.failed, cb_kwargs={"example": url}, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> None:
        example = str(kwargs["example"])
        try:
            if not isinstance(response, TextResponse):
                self.missing[example] = "not HTML"
            else:
                page = parse_page(response.body, response.url, self._analyzer, response.encoding)
                self.fetched[example] = page
        except UnparsablePage:
            self.missing[example] = "unparsable"

    def failed(self, failure: Failure) -> None:
        """Note why an example could not be had."""
        request: Request = failure.request  # type: ignore[attr-defined]
        response = getattr(failure.value, "response", None)
        reason = f"HTTP {response.status}" if response is not None else failure_of(failure).reason
        self.missing[str(request.cb_kwargs["example"])] = reason


def fetch_pages(process: CrawlerProcessBase, urls: list[str], analyzer: Analyzer) -> dict[str, Page]:
    """Return the pages that could be had, by URL; says on stderr how many could not, and why."""
    if not urls:
        return {}
    crawler = process.create_crawler(ExamplesSpider)
    crawler.settings.set("FOCUSED_TOPIC", "", priority="cmdline")  # no crawl of it yet
    crawl_to_end(process, crawler, urls=urls, analyzer=analyzer)
    spider = crawler.spider
    assert isinstance(spider, ExamplesSpider)
    if spider.missing:
        reasons = Counter(spider.missing.values()).most_common()
        text = ", ".join(f"{reason} {number}x" for reason, number in reasons)
        Console(stderr=True).print(f"{len(spider.missing)} of {len(urls)} pages could not be had: {text}")
    return spider.fetched


def read_page(path: Path, analyzer: Analyzer) -> Page:
    """Return a saved page; raises TopicError for a file that is no HTML."""
    try:
        return parse_page(path.read_bytes(), path.absolute().as_uri(), analyzer)
    except UnparsablePage as error:
        raise TopicError(f"{path} cannot be an example ({error}); save the page as HTML again") from None
