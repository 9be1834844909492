"""Spider middleware: cuts a page into content blocks (CBP, Lu et al. 2016) before its links are scored."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge.extensions.session import crawl_of
from focused_crawler.edge.http import PageResponse


class BlockPartitionMiddleware:
    """Fills `page.blocks` and `page.links`; a worker process that analysed a page has done it already."""

    def __init__(self, crawl: Crawl) -> None:
        self._analyst = crawl.plan.analyst
        self._steps = crawl.steps

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawl_of(crawler))

    def process_spider_input(self, response: Response) -> None:
        if isinstance(response, PageResponse):
            with self._steps.timing("partition"):
                self._analyst.partition(response.analysis)
