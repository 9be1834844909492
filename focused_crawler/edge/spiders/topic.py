"""The spider of a topic: `scrapy crawl topic -a topic=NAME`, and `scrapy crawl NAME` for those that ship."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.edge import meta
from focused_crawler.edge.arguments import TOPIC_SPIDER, apply_arguments
from focused_crawler.topic.topic import topic_names

# ruff: noqa: PLC0415 - Scrapy loads the spiders to list them, too, which needs nothing of a crawl.


class TopicSpider(Spider):
    """Yields one `PageItem` a page. All else is the work of scheduler, middlewares and pipelines."""

    name = TOPIC_SPIDER

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        from focused_crawler.edge.own import leave_out_rules

        settings = crawler.settings
        apply_arguments(settings, cls.name, kwargs)
        # A page gives one item; Scrapy starts so many tasks a page, 100 by default.
        settings.set("CONCURRENT_ITEMS", 1, priority="addon")
        if (cls.start, cls.parse) == (TopicSpider.start, TopicSpider.parse):
            leave_out_rules(settings)
        return super().from_crawler(crawler, *args)

    async def start(self) -> AsyncIterator[Any]:
        from focused_crawler.crawl.lists.use import LISTED_PRIORITY
        from focused_crawler.edge.extensions.component import crawl_of

        start = crawl_of(self.crawler).plan.start
        for url in start.own:
            yield Request(url, meta={meta.PRIORITY: 1.0}, dont_filter=True)
        for url in start.listed:
            yield Request(url, meta={meta.PRIORITY: LISTED_PRIORITY}, dont_filter=True)

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[Any]:
        from focused_crawler.edge.http import PageResponse, page_item

        if isinstance(response, PageResponse):
            yield page_item(response)


def _spider_of(name: str) -> type[TopicSpider]:
    return type(
        f"{name.title().replace('-', '')}Spider", (TopicSpider,), {"name": name, "__module__": __name__}
    )


globals().update({f"spider_{name}": _spider_of(name) for name in topic_names()})
