"""Extension: stops the crawl when its pages, relevant pages or minutes are used up."""

from __future__ import annotations

from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import CallLaterResult, call_later

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge.extensions.component import crawl_of, session_of
from focused_crawler.edge.extensions.session import budget_changed, counted


class BudgetExtension:
    """Looks after every page, and when the time is up."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._alarm: CallLaterResult | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.check, signals.item_scraped)
        crawler.signals.connect(extension.check, counted)
        crawler.signals.connect(extension.engine_started, budget_changed)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    @property
    def _crawl(self) -> Crawl:
        return crawl_of(self._crawler)

    def engine_started(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        seconds = self._crawl.plan.budget.seconds
        if seconds:
            self._alarm = call_later(max(0.0, seconds - self._crawl.run_file.seconds), self.check)
        self.check()  # a run that was killed after its last page has nothing left to do

    def check(self, **_: Any) -> None:
        reason = self._crawl.spent()
        if reason is not None:
            session_of(self._crawler).close(reason)

    def spider_closed(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
