"""Spider middleware: scores the links of a page and hands them to the frontier before its item moves on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.crawl.analysis import Analysis
from focused_crawler.crawl.link_order import AT_A_TIME
from focused_crawler.crawl.visit import Queued
from focused_crawler.edge.extensions.component import CrawlComponent
from focused_crawler.edge.http import PageResponse, page_item
from focused_crawler.edge.own import make_own
from focused_crawler.safety.printable import printable
from focused_crawler.store.item import PageItem

logger = logging.getLogger(__name__)


class LinkScoringMiddleware(CrawlComponent):
    """Queues a page's links before its item moves on: the page is recorded only when its links are safe.

    A spider that knows nothing of `PageItem` need not: what its callback yields goes its way, and the page's
    item is added here.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._analyst = self._crawl.plan.analyst
        self._steps = self._crawl.steps

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        if not isinstance(response, PageResponse):
            async for output in result:
                yield output
            return
        async for output in result:
            if isinstance(output, PageItem):
                await self._queue_links(response, output)
                if not response.has_item:
                    return
            elif isinstance(output, Request):
                assert response.request is not None
                make_own(output, response.request)
            yield output
        if not response.is_told:
            item = page_item(response)
            await self._queue_links(response, item)
            if response.has_item:
                yield item
        self._session.fail_page(response, "no_item")

    async def _queue_links(self, response: PageResponse, item: PageItem) -> None:
        with self._session.keeping():
            await self._queue(response.analysis, item)
            response.has_item = True

    async def _queue(self, analysis: Analysis, item: PageItem) -> None:
        with self._steps.timing("score"):
            scored = self._analyst.score(analysis)
        visit = self._session.visit_of(item)
        visit.learnt = analysis.learnt
        with self._steps.timing("add"):
            queued = visit.links(item.url, scored[:AT_A_TIME], analysis.depth)
        for first in range(AT_A_TIME, len(scored), AT_A_TIME):
            await asyncio.sleep(0)  # so many would hold the loop for too long
            with self._steps.timing("add"):
                more = visit.links(item.url, scored[first : first + AT_A_TIME], analysis.depth, first)
            queued = queued and more and Queued(queued.new + more.new, queued.held + more.held)
        self._count("seen", item.links)
        if analysis.closed:
            self._count("nofollow", analysis.closed)
        if analysis.cut:
            self._count("cut", analysis.cut)
            logger.info("%d links are too much for their page: %s", analysis.cut, printable(item.url))
        if queued is None:
            self._count("too_deep", item.links)
            return
        scope = self._analyst.scope
        skipped = sum(bool(scope.outside(link.url)) for link in scored) if scope.bounds else 0
        self._count("out_of_scope", skipped)
        self._count("below_threshold", [link.score for link in scored].count(None) - skipped)
        self._count("new", queued.new)
        if queued.held:
            self._count("held", queued.held)

    def _count(self, what: str, by: int) -> None:
        self._stats.inc_value(f"focused/links/{what}", by)
