"""Spider middleware: scores the links of a page and hands them to the frontier in one call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.extensions.session import CrawlSession, session_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.http import PageResponse
from focused_crawler.items import PageItem
from focused_crawler.page.model import Link, Page
from focused_crawler.scheduler import FocusedScheduler


class LinkScoringMiddleware:
    """Queues a page's links before its item moves on: the page is recorded only when its links are safe."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._crawler = crawler
        self._session = session
        self._scorer = session.crawl.plan.scorer
        self._depth_limit = session.crawl.plan.config.depth_limit

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, PageItem) and isinstance(response, PageResponse):
                with self._session.keeping():
                    self._queue(response.page, output)
                    response.has_item = True
                if not response.has_item:
                    return
            yield output
        self._session.fail_page(response, "no_item")

    def _queue(self, page: Page, item: PageItem) -> None:
        self._scorer.learn(page)
        self._count("seen", len(page.links))
        if self._depth_limit and page.depth >= self._depth_limit:
            self._count("too_deep", len(page.links))
            return
        scores = self._scorer.score(page, page.links)
        best = highest(page.links, scores)
        self._count("below_threshold", sum(score is None for score in scores))
        scheduler = self._crawler.engine.scheduler
        assert isinstance(scheduler, FocusedScheduler)
        links = [Candidate(url, score, page.depth + 1, item.url) for url, score in best.items()]
        self._count("new", scheduler.add_links(links))
        self._session.crawl.record_links(item.url, page.links, scores)

    def _count(self, what: str, by: int) -> None:
        self._crawler.stats.inc_value(f"focused/links/{what}", by)


def highest(links: Sequence[Link], scores: Sequence[float | None]) -> dict[str, float]:
    """Return the highest score of each URL that is to be followed."""
    best: dict[str, float] = {}
    for link, score in zip(links, scores, strict=True):
        if score is not None and score > best.get(link.url, -1.0):
            best[link.url] = score
    return best
