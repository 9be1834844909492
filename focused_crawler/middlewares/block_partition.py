"""Spider middleware: cuts a page into content blocks (CBP, Lu et al. 2016) before its links are scored."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.extensions.session import crawl_of
from focused_crawler.http import PageResponse
from focused_crawler.page.blocks import partition


class BlockPartitionMiddleware:
    """Fills `page.blocks` and `page.links`."""

    def __init__(self, alpha: float, min_words: int, context_words: int) -> None:
        self._alpha = alpha
        self._min_words = min_words
        self._context_words = context_words

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        config = crawl_of(crawler).plan.config
        return cls(config.block_alpha, config.block_min_words, config.context_words)

    def process_spider_input(self, response: Response) -> None:
        if isinstance(response, PageResponse):
            partition(response.page, self._alpha, self._min_words, self._context_words)
