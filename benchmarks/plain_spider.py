"""Scrapy by itself, for comparison: run with `scrapy runspider`, outside of the project's settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor


class PlainSpider(Spider):
    """Fetches a list of URLs (`-a urls=FILE`); with `-a follow=1` it queues every link behind the list."""

    name = "plain"
    urls = ""
    follow = ""
    pages = 0  # `-a pages=N`: it ends after so many
    links = LinkExtractor()
    fetched = 0

    async def start(self) -> AsyncIterator[Any]:
        for url in Path(self.urls).read_text().split():  # noqa: ASYNC240  (once, before the crawl)
            yield Request(url, priority=1)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Request]:
        self.fetched += 1
        if self.fetched == int(self.pages):
            raise CloseSpider("pages")
        if self.follow and isinstance(response, TextResponse):
            for link in self.links.extract_links(response):
                yield Request(link.url)
