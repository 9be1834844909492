"""A user's own spider, middleware and pipeline, with mistakes in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response

from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.edge.spiders.topic import TopicSpider


class OddSpider(TopicSpider):
    name = "odd"

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[Any]:
        if response.url.endswith("/raises"):
            raise RuntimeError("a mistake in a callback")
        if response.url.endswith("/silent"):
            return
        async for item in super().parse(response):
            yield item
        if response.url.endswith("/raises-late"):
            raise RuntimeError("a mistake after the page")


class OddMiddleware:
    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for item in result:
            if not response.url.endswith("/filtered"):
                yield item


class OddPatience:
    """All but what is to be too slow has time, however busy the machine is."""

    def process_request(self, request: Request) -> None:
        if not request.url.endswith("/slow"):
            request.meta["download_timeout"] = 60.0


class OddPipeline:
    async def process_item(self, item: Any) -> Any:
        if item.url.endswith("/dropped"):
            raise DropItem("not wanted")
        if item.url.endswith("/breaks"):
            raise RuntimeError("a mistake in a pipeline")
        if item.url.endswith("/replaced"):
            return {"url": item.url}
        return None if item.url.endswith("/forgotten") else item


class UnmadePipeline:
    def __init__(self) -> None:
        raise RuntimeError("a pipeline that cannot be made")


class UnopenedPipeline:
    def open_spider(self) -> None:
        raise RuntimeError("a pipeline that cannot be opened")


class FullDiskSpider(TopicSpider):
    """Its crawl's database may not grow: what a full disk looks like."""

    name = "full"

    async def start(self) -> AsyncIterator[Any]:
        crawl_of(self.crawler).database.rows("PRAGMA max_page_count = 120")
        async for request in super().start():
            yield request
