"""Scrapy by itself, for comparison: run with `scrapy runspider`, outside of the project's settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import Spider
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor


class JobdirSpider(Spider):
    """Follows every link from `-a seed=URL` on and gives one item a page, as Scrapy's tutorial does it."""

    name = "jobdir"
    links = LinkExtractor()

    def __init__(self, seed: str, **arguments: Any) -> None:
        super().__init__(start_urls=[seed], **arguments)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        yield {"url": response.url}
        yield from response.follow_all(self.links.extract_links(response))
