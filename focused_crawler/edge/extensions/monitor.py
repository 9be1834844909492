"""Extension: reports once when a crawl stagnates or diffuses, with advice, and ends it if it is to."""

from __future__ import annotations

import logging
from functools import partial
from math import exp
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.estimated import estimate_now
from focused_crawler.crawl.steering.advice import Situation, message
from focused_crawler.crawl.steering.inputs import (
    advised_marks,
    is_told_since,
    last_decision,
    read_facts,
    seen_after,
    watch,
)
from focused_crawler.crawl.steering.monitor import Alarm, FrontierFacts, Monitor, Seen
from focused_crawler.edge.extensions.component import crawl_of, session_of
from focused_crawler.edge.extensions.orders import judged_anew
from focused_crawler.edge.extensions.session import counted
from focused_crawler.page.url import host_of
from focused_crawler.safety.printable import printable
from focused_crawler.safety.program import as_typed
from focused_crawler.store.item import GOOD, PageItem, judged
from focused_crawler.topic.topic import typed

logger = logging.getLogger(__name__)


class CrawlMonitor:
    """Receives every recorded page, and reads the frontier when there may be an alarm.

    Where several processes share a crawl, those of all of them, as the database has them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._monitor = Monitor()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_opened, judged_anew)
        crawler.signals.connect(extension.page_recorded, signals.item_scraped)
        crawler.signals.connect(extension.pages_counted, counted)
        crawler.signals.connect(extension.idle, signals.spider_idle)
        return extension

    @property
    def _crawl(self) -> Crawl:
        return crawl_of(self._crawler)

    @property
    def _is_shared(self) -> bool:
        return self._crawl.coordinator.is_shared

    def spider_opened(self) -> None:
        analyst = self._crawl.plan.analyst
        threshold = exp(GOOD) if analyst.watched_by else analyst.model.threshold
        self._monitor = watch(self._crawl.database, threshold)

    def page_recorded(self, item: Any, **_: Any) -> None:
        if self._is_shared or not isinstance(item, PageItem):
            return
        if self._crawl.rate.pages == self._monitor.pages:
            return  # it was recorded before, and revisited
        self._monitor.record(Seen(*judged(item), host_of(item.url)))
        if self._monitor.due():
            self._check()

    def pages_counted(self) -> None:
        """Take in what all workers have recorded, where there are others."""
        if not self._is_shared:
            return
        with session_of(self._crawler).keeping():
            for seen in seen_after(self._crawl.database, self._monitor.pages):
                self._monitor.record(seen)
        if self._monitor.due():
            self._check()

    def idle(self) -> None:
        """Look when nothing is under way: the crawl is about to end if nothing is left to fetch."""
        self.pages_counted()
        if not len(self._crawl.frontier) and self._monitor.pages:
            self._check()

    def _facts(self) -> FrontierFacts:
        crawl = self._crawl
        if not crawl.run.has_frontier:
            frontier = crawl.frontier.stats()
            return FrontierFacts(frontier.pending, hosts=frontier.hosts, dropped=frontier.dropped)
        return read_facts(crawl.database, estimate_now(crawl.run, crawl.database))

    def _check(self) -> None:
        with session_of(self._crawler).keeping():  # the database may fail when it is asked, too
            facts = self._facts()
            if not facts.pending and self._crawl.frontier.has_more():
                return  # what is left is on its way from one worker to another: the next page asks again
            alarm = self._monitor.alarm(facts)
            if alarm is None:
                return
            last, is_new = last_decision(self._crawl.database), True
            if self._is_shared:  # another worker may have told
                self.spider_opened()
                is_new = self._monitor.alarm(facts) is not None
            if is_new:
                self._report(alarm, last)
            if self._crawl.plan.config.stops_on_alarm and facts.pending:  # else it ends by itself
                session_of(self._crawler).close(alarm.kind)

    def _report(self, alarm: Alarm, last: int) -> None:
        text = message(alarm, self._situation())
        logger.warning("%s %s", alarm.kind.capitalize(), printable(as_typed(text)))
        self._crawl.journal.write(partial(self._record, alarm.kind, text, last))
        self._crawler.stats.inc_value(f"focused/alarms/{alarm.kind}")

    def _record(self, kind: str, text: str, last: int) -> None:
        """Store an alarm, as part of the transaction, unless another worker's has been since then."""
        if not is_told_since(self._crawl.database, last):
            self._crawl.store.record_decision("alarm", kind, detail=text, run=self._crawl.run_id)

    def _situation(self) -> Situation:
        crawl, analyst = self._crawl, self._crawl.plan.analyst
        return Situation(
            topic=typed(crawl.plan.topic),
            strategy=crawl.run.strategy,
            is_trained=analyst.model.trained,
            marks=advised_marks(crawl.folder, analyst.taxonomy),
            host_pages=crawl.plan.config.host_pages,
        )
