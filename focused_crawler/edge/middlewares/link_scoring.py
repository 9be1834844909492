"""Spider middleware: scores the links of a page and hands them to the frontier in one call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.crawl.analysis import Analysis, ScoredLink
from focused_crawler.crawl.steering.url_kinds import refused
from focused_crawler.edge.extensions.session import CrawlComponent
from focused_crawler.edge.http import PageResponse
from focused_crawler.safety.printable import printable
from focused_crawler.store.item import PageItem

logger = logging.getLogger(__name__)

MANY_LINKS = 1_000
"""From so many on, each step with the links of a page has a turn of the loop for itself."""


class LinkScoringMiddleware(CrawlComponent):
    """Queues a page's links before its item moves on: the page is recorded only when its links are safe."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._analyst = self._crawl.plan.analyst
        self._steps = self._crawl.steps

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, PageItem) and isinstance(response, PageResponse):
                with self._session.keeping():
                    scored = self._scored(response.analysis)
                    await self._breathe(scored)
                    self._queue(scored, response.analysis, output)
                    response.has_item = True
                    await self._breathe(scored)
                if not response.has_item:
                    return
            yield output
        self._session.fail_page(response, "no_item")

    def _scored(self, analysis: Analysis) -> list[ScoredLink]:
        with self._steps.timing("score"):
            return self._analyst.score(analysis)

    async def _breathe(self, scored: list[ScoredLink]) -> None:
        """Let others have the loop, where a page has so many links that each step with them takes long."""
        if len(scored) >= MANY_LINKS:
            await asyncio.sleep(0)

    def _queue(self, scored: list[ScoredLink], analysis: Analysis, item: PageItem) -> None:
        with self._steps.timing("add"):
            queued = self._session.visit_of(item).links(item.url, scored, analysis.depth)
        self._count("seen", item.links)
        if analysis.cut:
            self._count("cut", analysis.cut)
            logger.info("%d links are too much for their page: %s", analysis.cut, printable(item.url))
        if queued is None:
            self._count("too_deep", item.links)
            return
        words = self._analyst.config.skipped_words
        skipped = sum(refused(link.url, words) for link in scored) if words else 0
        self._count("url_word", skipped)
        self._count("below_threshold", [link.score for link in scored].count(None) - skipped)
        self._count("new", queued.new)
        if queued.held:
            self._count("held", queued.held)

    def _count(self, what: str, by: int) -> None:
        self._stats.inc_value(f"focused/links/{what}", by)
