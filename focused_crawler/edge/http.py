"""The response that carries the visit of a page to all that follow, and what its headers mean."""

from __future__ import annotations

import time
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse

from focused_crawler.crawl.analysis import Analysis
from focused_crawler.crawl.steering.revisit_store import Validators
from focused_crawler.edge import meta
from focused_crawler.page.model import Page
from focused_crawler.page.nofollow import ROBOTS_TAG, nofollow_of
from focused_crawler.page.url import normalise
from focused_crawler.store.item import PageItem

LONGEST_VALIDATOR = 1000
"""Characters of an ETag or a date that are stored; a longer one is left out: half of one is worth nothing."""


class PageResponse(HtmlResponse):
    """An HTML response with its analysis: parsed once, in a downloader middleware, read by all that follow.

    `has_item`: its item is on its way through the pipelines, and will end its lease. `is_told`: its item was
    made, by its spider or for it.
    """

    __slots__ = ("analysis", "has_item", "is_told")
    attributes: tuple[str, ...] = (*HtmlResponse.attributes, "analysis")

    def __init__(self, *args: Any, analysis: Analysis, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.analysis = analysis
        self.has_item = self.is_told = False

    @classmethod
    def of(cls, response: TextResponse, analysis: Analysis) -> Self:
        """Return a response with its analysis, and in the encoding that was found."""
        parts = {name: getattr(response, name) for name in TextResponse.attributes}
        return cls(**parts, analysis=analysis)

    @property
    def page(self) -> Page:
        """Return the page with its sections, blocks and links."""
        return self.analysis.page


def page_item(response: PageResponse) -> PageItem:
    response.is_told = True
    analysis = response.analysis
    focus = analysis.focus
    etag, last_modified = validators_of(response)
    return PageItem(
        url=normalise(response.url) or response.url,
        requested_url=response.meta[meta.LEASE],
        parent=response.meta.get(meta.PARENT),
        depth=analysis.depth,
        title=analysis.title,
        relevance=analysis.relevance,
        is_relevant=analysis.is_relevant,
        links=analysis.links or 0,
        status=response.status,
        size=len(response.body),
        fetched_at=time.time(),
        checksum=analysis.checksum,
        etag=etag,
        last_modified=last_modified,
        category=None if focus is None else focus.category,
        log_rd=None if focus is None else focus.log_rd,
        hubness=analysis.hubness,
        by_content=analysis.by_content,
        text=analysis.text,
    )


def nofollow_for(response: Response, wish: str, crawler: Crawler) -> str:
    """Return how links of a page are read: `wish`, FOCUSED_NOFOLLOW, unless its headers say otherwise."""
    if ROBOTS_TAG not in response.headers:
        return wish
    tags = (value.decode("latin-1") for value in response.headers.getlist(ROBOTS_TAG))
    return nofollow_of(wish, tags, user_agent_of(crawler))


def validators_of(response: Response) -> Validators:
    """Return by what the server distinguishes this version of a page from others."""
    headers = response.headers
    return Validators(_validator(headers.get(b"ETag")), _validator(headers.get(b"Last-Modified")))


def _validator(header: bytes | None) -> str | None:
    text = (header or b"").decode("latin-1").strip()
    is_usable = 0 < len(text) <= LONGEST_VALIDATOR and text.isascii() and text.isprintable()
    return text if is_usable else None


def user_agent_of(crawler: Crawler) -> str:
    """Return the name of the host whose rules apply."""
    return str(crawler.settings.get("ROBOTSTXT_USER_AGENT") or crawler.settings["USER_AGENT"])
