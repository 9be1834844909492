"""Extension: obeys what a crawl is told while it runs, through its database."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.edge.extensions.session import crawl_of, session_of
from focused_crawler.safety.aside import giving_way
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.printable import one_line, printable
from focused_crawler.store import orders
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import load_topic

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

_SHARE = 1.0
"""The loop has as long for the crawl as an order takes of it."""

judged_anew = object()
"""Signal: all recorded pages were judged by another model."""


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
        if self._looking is None:
            return
        self._looking.stop()
        if self._task is not None:
            self._task.cancel()
        crawl = crawl_of(self._crawler)
        with suppress(CrawlError), read_crawl(crawl.folder) as database:
            if orders.next_order(database) is not None:
                logger.warning(
                    "Told to judge its pages by the topic's model, the crawl ended before that was done: it"
                    " does so when it goes on; so does, at once, scrapy train %s --accept --crawl %s",
                    one_line(crawl.plan.config.topic),
                    one_line(str(crawl.folder)),
                )

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
        logger.info("Told to judge by %s from now on, and all pages anew", new.model.judge_name)
        outcome = await giving_way(crawl.change_model(new, replaying), rest=_SHARE)
        logger.info("%s", outcome)
        self._crawler.signals.send_catch_log(judged_anew)
        return str(outcome)
