"""Extension: opens the crawl before all other components are made, and closes it after them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.asyncio import CallLaterResult, call_later, create_looping_call

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.endings import code_of, reason_of, without_page
from focused_crawler.crawl.failure import LISTED, Failure, label, why_in_vain
from focused_crawler.crawl.lists.use import count_ended
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.visit import Visit
from focused_crawler.crawl.visit_context import Ending
from focused_crawler.edge import meta
from focused_crawler.edge.beginning import log_beginning
from focused_crawler.edge.crawl_stats import count_ending, is_in_vain, publish, publish_stored, tried_again
from focused_crawler.edge.failures import asked_host
from focused_crawler.edge.http import PageResponse
from focused_crawler.edge.page_lines import add_feed
from focused_crawler.report.page import write_report
from focused_crawler.safety.errors import CrawlError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.interrupts import listen_again
from focused_crawler.safety.printable import printable
from focused_crawler.safety.process import make_room, settle
from focused_crawler.safety.program import as_typed
from focused_crawler.store.foreign import changed, foreign_value
from focused_crawler.store.item import PageItem
from focused_crawler.store.opening import FILE

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.5
"""So often stats are published, and a worker of a fleet reads what the others have done."""

counted = object()
"""Signal: fetches were counted that gave no `PageItem`: revisits, listings, the spider's own, other
workers'."""

budget_changed = object()
"""Signal: the crawl may spend more, or less, than before."""


class LateItem(DropItem):
    """Drops an item whose page is recorded already."""

    def __init__(self) -> None:
        super().__init__("late", log_level="DEBUG")


class CrawlSession:
    """Holds the one `Crawl` that scheduler, middlewares and pipelines work on."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler = crawler
        self.crawl = crawl
        crawl.visits.context.listener = self._visit_ended
        self._closing: asyncio.Task[None] | None = None
        self._failure: CrawlError | None = None
        self._in_vain = ""  # the reason, where not one page came
        self._is_sound = False  # what the database holds was looked at, and is what a crawl writes
        self._ticking: Any = None  # a looping call of asyncio or Twisted
        self._alarm: CallLaterResult | None = None  # for what waits to be committed

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        listen_again()  # a database may hang as it is opened
        config = CrawlConfig.from_settings(crawler.settings)
        if config.web is None:
            make_room(config.concurrency)
        session = cls(crawler, open_crawl(CrawlPlan.make(config)))
        if not config.is_shared:  # else the last worker writes it
            add_feed(crawler.settings, session.crawl.feed, session.give_up)
        crawler.signals.connect(session.spider_opened, signals.spider_opened)
        crawler.signals.connect(session.spider_error, signals.spider_error)
        crawler.signals.connect(session.item_lost, signals.item_dropped)
        crawler.signals.connect(session.item_lost, signals.item_error)
        crawler.signals.connect(session.spider_closed, signals.spider_closed)
        return session

    def spider_opened(self) -> None:
        listen_again()
        settle()
        crawl = self.crawl
        if crawl.plan.config.is_shared:
            self._crawler.signals.connect(self.count_from_now, signals.request_left_downloader)
        crawl.journal.wake = self._commit_later
        publish(crawl, self._crawler.stats)
        self._ticking = create_looping_call(self._tick)
        self._ticking.start(TICK_SECONDS, now=False)
        log_beginning(crawl, self._crawler.settings.get("FOCUSED_CONTACT"))

    def _commit_later(self, seconds: float) -> None:
        self._alarm = call_later(seconds, self._ring)

    def _ring(self) -> None:
        with self.keeping():
            self.crawl.journal.woken()

    def _tick(self) -> None:
        is_shared = self.crawl.plan.config.is_shared
        with self.keeping():
            if is_shared:
                self.crawl.tick()
            publish(self.crawl, self._crawler.stats)
        if is_shared:
            self._crawler.signals.send_catch_log(counted)

    def count_from_now(self, request: Request, later: float = 0.0) -> None:
        """Let the delay of a host count from now, unless its request was taken less than `later` seconds ago.

        When a request goes out is known too early only: before its connection is made. With other workers the
        delay counts from the answer, as another one may be the next to ask.
        """
        if not self.crawl.is_polite:
            return
        downloader, now = self._crawler.engine.downloader, time.monotonic()
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None and now - slot.lastseen < later:
            return
        if slot is not None:
            slot.lastseen = now
        with self.keeping():
            self.crawl.frontier.asked(asked_host(request.url), time.time())

    def visit_of(self, about: Request | Response | PageItem) -> Visit:
        """Return the visit that a request, its response or its item belongs to."""
        lease = about.requested_url if isinstance(about, PageItem) else about.meta[meta.LEASE]
        return self.crawl.visits.of(lease)

    def fail(self, visit: Visit, failure: Failure) -> None:
        """End a visit without a page; one that is over stays as it is."""
        with self.keeping():
            visit.fail(failure, time.time())

    def _visit_ended(self, ending: Ending) -> None:
        """Count a visit that ended without a new page."""
        failure = ending.failure
        count_ending(ending, self._crawler.stats)
        if ending.is_revisit or failure is LISTED:
            self._crawler.signals.send_catch_log(counted)
        if failure.refused_by is not None:
            self.crawl.ledger.refused(failure.refused_by, time.monotonic())
            wish = "" if failure.retry_after is None else f" and asks us to wait {failure.retry_after:.0f} s"
            logger.info("%s refuses%s (%s)", printable(failure.refused_by), wish, label(failure.reason))

    @property
    def failure(self) -> CrawlError | None:
        """Return what kept the crawl from being written down, None if nothing did."""
        return self.crawl.database.failure

    @property
    def ending(self) -> str:
        """Return the reason of its end in `crawl.endings`, which run.json has less exactly."""
        if self.failure is not None:
            return reason_of(self.failure)
        reason = self.crawl.run.reason
        return self._in_vain if self._in_vain and not code_of(reason) else reason

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """End the crawl when its database fails in here (a full disk): nothing more could be stored."""
        try:
            yield
        except CrawlError as error:
            self.give_up(error)
        except Exception:
            file = self.crawl.folder / FILE
            found = None if self._is_sound else foreign_value(file)
            if found is None:
                self._is_sound = True  # one look: it takes as long as the file is large
                raise
            self.give_up(changed(file, found))

    def give_up(self, error: CrawlError) -> None:
        """End the crawl, if it does not end already; only the first failure is reported."""
        if self._failure is not None:
            return
        self._failure = error
        self.crawl.database.abandon(error)
        logger.error("%s", error)
        self.close(reason_of(error))

    def close(self, reason: str) -> None:
        """End the crawl, if it does not end already."""
        engine = self._crawler.engine
        if engine.spider is not None and self._closing is None:
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason=reason))

    def fail_page(self, response: Response | None, reason: str) -> None:
        """End the visit of a page that gave no item."""
        if isinstance(response, PageResponse) and not response.has_item:
            self.fail(self.visit_of(response), Failure(reason, retry=False))

    def count_own(self) -> None:
        """Count an answer to a request of the spider's own."""
        with self.keeping():
            self.crawl.count_own()
        self._crawler.signals.send_catch_log(counted)

    def count_late(self, url: str) -> None:
        """Count and log an answer that came when its lease had expired, and its page is there already."""
        self._crawler.stats.inc_value("focused/late_answers")
        logger.info("Late, and fetched again meanwhile: %s (FOCUSED_LEASE_SECONDS)", printable(url))

    def spider_error(self, response: Response | None) -> None:
        """End the visit of a page that a callback or middleware broke on."""
        self.fail_page(response, "spider_error")

    def item_lost(self, item: Any, exception: Exception | None = None) -> None:
        """End the visit of a page that some pipeline dropped or broke on."""
        if isinstance(item, PageItem) and not isinstance(exception, LateItem):
            self.fail(self.visit_of(item), Failure("item_lost", retry=False))

    def item_replaced(self, item: PageItem, kind: str) -> None:
        """End the visit of a page of which pipelines gave back something else, before it was recorded."""
        if self.crawl.visits.is_out(item.requested_url):
            logger.error(
                "Not recorded: %s (a pipeline's process_item returned %s, and not the PageItem that it got)",
                printable(item.url),
                kind,
            )
            self.item_lost(item)

    def spider_closed(self, reason: str) -> None:
        known = self.crawl.store.counters["known"]
        if not self.crawl.rate.pages and known:
            before = self.crawl.plan.config.known
            logger.info("Nothing new: %s unchanged since %s", plural(known, "page"), before)
        elif is_in_vain(self.crawl, self._crawler.stats) and self.failure is None and reason != "shutdown":
            failures = self.crawl.failures() or tried_again(self._crawler.stats)
            self._in_vain = without_page(failures)
            logger.error("Not one page was fetched: %s", as_typed(why_in_vain(failures)))
        if self._ticking is not None:
            self._ticking.stop()
        if self._alarm is not None:
            self._alarm.cancel()
        with self.keeping():
            publish(self.crawl, self._crawler.stats)
        with self.keeping():
            self.crawl.end(reason)
            if self.crawl.coordinator.is_last:
                self.update_lists()
                path = write_report(self.crawl.folder)
                self._crawler.stats.set_value("focused/report_path", str(path))
        if self.failure is not None:
            publish_stored(self.crawl, self._crawler.stats)

    def update_lists(self) -> None:
        """Count a crawl that is over into the lists of its topic; where they cannot be written, log it."""
        plan, crawl = self.crawl.plan, self.crawl
        if self.failure is not None:
            return
        try:
            count_ended(plan.topic, plan.config, crawl.folder, crawl.run)
        except (TopicError, CrawlError) as error:
            logger.warning("Not counted: %s", printable(str(error)))


def open_crawl(plan: CrawlPlan) -> Crawl:
    """Open or go on with a crawl, alone or as one worker of several; raises CrawlError."""
    if not plan.config.is_shared:
        return Crawl(plan)
    from focused_crawler.fleet.beginning import join  # noqa: PLC0415 - loads psycopg

    return join(plan)
