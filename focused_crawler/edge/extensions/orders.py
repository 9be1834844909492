"""Extension: obeys the orders that a crawl receives while it runs, through its database."""

from __future__ import annotations

import asyncio
import logging
import shlex
from contextlib import suppress
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.changes import add_pages, change_budget, change_model
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.ordering import limits_of, urls_of
from focused_crawler.edge.extensions.component import crawl_of, session_of
from focused_crawler.edge.extensions.session import budget_changed
from focused_crawler.safety.aside import giving_way
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.printable import one_line, printable
from focused_crawler.safety.program import as_typed
from focused_crawler.store import orders
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import load_topic

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

_SHARE = 1.0
"""The loop has as long for the crawl as an order takes of it."""

_JUDGING = (orders.MODEL, orders.MARKS)

judged_anew = object()
"""Signal: all recorded pages were judged by another model."""


class Orders:
    """Looks for an order once a second; one is carried out at a time, beside the crawl.

    One that was cut off is carried out again when the crawl goes on, but for what was about its end. A worker
    of a fleet obeys one kind, to stop, and so do all the others.
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

    @property
    def _crawl(self) -> Crawl:
        return crawl_of(self._crawler)

    def spider_opened(self) -> None:
        crawl = self._crawl
        if not crawl.plan.config.is_shared:
            crawl.journal.write(self._settle)
        look = self._look_with_others if crawl.plan.config.is_shared else self._look
        self._looking = create_looping_call(look)
        self._looking.start(LOOK_SECONDS, now=True)

    def _settle(self) -> None:
        """Let go of orders that came when the run before had ended, and this one was not begun."""
        crawl, answer = self._crawl, "the crawl had ended before"
        for what in (orders.STOP, orders.BUDGET):
            orders.all_carried_out(crawl.database, what, answer, crawl.last_order)

    def spider_closed(self) -> None:
        if self._looking is None:
            return
        self._looking.stop()
        if self._task is not None:
            self._task.cancel()
        crawl = self._crawl
        with suppress(CrawlError), read_crawl(crawl.folder) as database:
            order = orders.next_order(database)
            if order is not None and order.what in _JUDGING and not crawl.plan.config.is_shared:
                logger.warning(
                    as_typed(
                        "Ordered to judge its pages by the topic's model, the crawl ended before that was"
                        " done: it does so when it goes on; so does, at once,"
                        " scrapy train %s --accept --crawl %s"
                    ),
                    one_line(shlex.quote(crawl.plan.config.topic)),
                    one_line(shlex.quote(str(crawl.folder))),
                )

    def _look(self) -> None:
        if self._task is not None and not self._task.done():
            return
        with session_of(self._crawler).keeping():
            order = orders.next_order(self._crawl.database)
            if order is not None:
                self._task = asyncio.ensure_future(self._obey(order))

    def _look_with_others(self) -> None:
        """Stop when all workers are told to; the first of them writes down that it was carried out."""
        crawl, session = self._crawl, session_of(self._crawler)
        with session.keeping():
            order = orders.newer(crawl.database, orders.STOP, crawl.last_order)
            if order is not None:
                answer = "its workers stop"
                crawl.journal.write(lambda: orders.all_carried_out(crawl.database, orders.STOP, answer))
                self._close()

    async def _obey(self, order: orders.Order) -> None:
        crawl, session = self._crawl, session_of(self._crawler)
        with session.keeping():
            try:
                answer = await self._carry_out(order)
            except FocusedCrawlerError as error:
                if crawl.database.failure is not None:
                    raise
                answer = str(error)
                logger.error("Order %s: %s", printable(order.what), printable(answer))
            crawl.recorder.decision("order", order.what, detail=answer)
            crawl.journal.write(lambda: orders.carried_out(crawl.database, order, answer))
            crawl.journal.commit()
            crawl.write_run()
            if order.what == orders.STOP:
                self._close()

    async def _carry_out(self, order: orders.Order) -> str:
        match order.what:
            case orders.MODEL | orders.MARKS:
                return await self._judge_anew()
            case orders.BUDGET:
                answer = change_budget(self._crawl, limits_of(order.detail))
                self._crawler.signals.send_catch_log(budget_changed)
                return answer
            case orders.ADD:
                return add_pages(self._crawl, urls_of(order.detail))
            case orders.STOP:
                return "it stops; the same command goes on from here"
        raise CrawlError(f"no order {order.what!r} is known to this version")

    async def _judge_anew(self) -> str:
        config = self._crawl.plan.config

        def analyst() -> Analyst:
            return Analyst.make(config, load_topic(config.topic))

        new, replaying = [await asyncio.to_thread(analyst) for _ in range(2)]
        logger.info("Ordered to judge by %s from now on, and all pages anew", new.model.judge_name)
        outcome = await giving_way(change_model(self._crawl, new, replaying), rest=_SHARE)
        logger.info("%s", outcome)
        self._crawler.signals.send_catch_log(judged_anew)
        return str(outcome)

    def _close(self) -> None:
        logger.info("Ordered to stop")
        session_of(self._crawler).close("told_to_stop")
