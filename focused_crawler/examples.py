"""Fetches the example pages of a topic, politely and safely like any page; used by `scrapy train`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

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
