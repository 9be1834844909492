"""Extension: obeys what a crawl is told while it runs, through its database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Generator
from typing import Any, Self, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.handover import Rejudged
from focused_crawler.edge.extensions.session import crawl_of, session_of
from focused_crawler.safety.aside import HOLD
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.printable import printable
from focused_crawler.store import orders
from focused_crawler.topic.topic import load_topic

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

judged_anew = object()
"""Signal: all recorded pages were judged by another model."""

_Result = TypeVar("_Result")


class Orders:
    """Looks for an order once a second; one is carried out at a time, beside the crawl.

    One that was cut off is carried out again when the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        self._looking: Any = None  # a looping call of asyncio or Twisted

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        if crawl_of(self._crawler).plan.config.is_shared:
            return  # a fleet's crawl is changed when it has stopped
        self._looking = create_looping_call(self._look)
        self._looking.start(LOOK_SECONDS, now=True)

    def spider_closed(self) -> None:
        if self._looking is not None:
            self._looking.stop()
        if self._task is not None:
            self._task.cancel()

    def _look(self) -> None:
        if self._task is not None and not self._task.done():
            return
        with session_of(self._crawler).keeping():
            order = orders.next_order(crawl_of(self._crawler).database)
            if order is not None:
                self._task = asyncio.ensure_future(self._obey(order))

    async def _obey(self, order: orders.Order) -> None:
        crawl, session = crawl_of(self._crawler), session_of(self._crawler)
        with session.keeping():
            try:
                answer = await self._carry_out(order)
            except FocusedCrawlerError as error:
                if crawl.database.failure is not None:
                    raise
                answer = str(error)
                logger.error("Order %s: %s", printable(order.what), printable(answer))
            crawl.journal.write(lambda: orders.carried_out(crawl.database, order, answer))
            crawl.journal.commit()
            crawl.write_run()

    async def _carry_out(self, order: orders.Order) -> str:
        if order.what != orders.MODEL:
            raise CrawlError(f"no order {order.what!r} is known to this version")
        crawl = crawl_of(self._crawler)
        config = crawl.plan.config

        def analyst() -> Analyst:
            return Analyst.make(config, load_topic(config.topic))

        new, replaying = [await asyncio.to_thread(analyst) for _ in range(2)]
        logger.info("The crawl is judged by %s from now on; its pages are judged anew", new.model.judge_name)
        outcome: Rejudged = await _half_the_time(crawl.change_model(new, replaying))
        logger.info("%s", outcome)
        self._crawler.signals.send_catch_log(judged_anew)
        return str(outcome)


async def _half_the_time(parts: Generator[object, None, _Result]) -> _Result:
    """Do all of it on the loop, which has as long for the crawl after some parts as they took."""
    began = time.perf_counter()
    while True:
        try:
            next(parts)
        except StopIteration as done:
            result: _Result = done.value
            return result
        took = time.perf_counter() - began
        if took >= HOLD:
            await asyncio.sleep(took)
            began = time.perf_counter()
