"""The response that carries a parsed page from the classifier to spider, middlewares and pipelines."""

from __future__ import annotations

from typing import Any

from scrapy.http import HtmlResponse

from focused_crawler.page.model import Page


class PageResponse(HtmlResponse):
    """An HTML response with its `Page`: parsed once, in a downloader middleware, read by all that follow.

    `has_item`: its item is on its way through the pipelines, and will end its lease.
    """

    __slots__ = ("has_item", "page")
    attributes: tuple[str, ...] = (*HtmlResponse.attributes, "page")

    def __init__(self, *args: Any, page: Page, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        self.has_item = False
