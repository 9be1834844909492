"""Extension: shows how the crawl goes, live on a terminal, as a log line now and then elsewhere.

It reads stats on a timer and does nothing at all for a page.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any, Self

from rich.text import Text
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.report.live import LiveDisplay, Speed
from focused_crawler.report.terminal.output import Terminal, assembled
from focused_crawler.report.terminal.progress import Snapshot, closing, closing_facts, log_line, view
from focused_crawler.safety.formats import tidy

logger = logging.getLogger(__name__)

REFRESH_SECONDS = 0.5
BANDS = 5
"""Of the scores of URLs in the frontier."""


class Progress:
    """The display of one crawl, from `spider_opened` to `spider_closed`."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        interval = settings.getfloat(
            "FOCUSED_PROGRESS_INTERVAL"
        )  # seconds between log lines, without a terminal
        if interval <= 0:
            raise NotConfigured("FOCUSED_PROGRESS_INTERVAL is 0")
        self._stats = crawler.stats
        self._console = Terminal(stderr=True)
        self._topic = Path(settings.get("FOCUSED_TOPIC") or "").name
        self._strategy = settings.get("FOCUSED_STRATEGY") or settings.get("FOCUSED_DEFAULT_STRATEGY") or ""
        self._budget = int(settings.getfloat("FOCUSED_PAGES"))
        self._interval = interval
        self._speed = Speed(max(60.0, 3 * interval))
        self._started = time.monotonic()
        self._crawl: Crawl | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:
        spider.crawler.signals.connect(self.spider_closed, signals.spider_closed)  # also of one never opened
        self._started = time.monotonic()
        if (session := spider.crawler.get_extension(CrawlSession)) is not None:
            self._crawl = session.crawl
            self._strategy = session.crawl.run.ordered_by
        self._display = LiveDisplay(
            self._console,
            view=lambda now: view(self._heading, now),
            line=log_line,
            interval=self._interval,
            write=lambda line: logger.info("%s", line),
        )
        self._update()  # the speed is measured from here
        self._timer = create_looping_call(self._update)
        self._timer.start(min(REFRESH_SECONDS, self._interval), now=False)

    def spider_closed(self, reason: str) -> None:
        if self._timer.running:
            self._timer.stop()
        self._display.close()
        facts = closing_facts(self._snapshot(), reason, self._stats.get_value("focused/report_path"))
        if self._display.is_live:
            self._console.print(closing(self._heading, facts))
        else:
            logger.info("Crawl ended: %s", "; ".join(f"{name}: {value}" for name, value in facts))

    def _update(self) -> None:
        self._display.show(self._snapshot())

    @property
    def _heading(self) -> Text:
        return assembled((tidy(self._topic), "bold"), (" by ", "dim"), tidy(self._strategy))

    def _snapshot(self) -> Snapshot:
        elapsed = time.monotonic() - self._started
        stats = self._stats.get_stats()
        if "focused/pages" in stats:  # a resumed crawl begins at the pages it has: no speed before
            self._speed.record(elapsed, stats["focused/pages"] + stats.get("focused/revisits", 0))
        budget = self._budget if self._crawl is None else self._crawl.plan.budget.pages  # which orders change
        return Snapshot.from_stats(stats, budget, self._speed.value, elapsed, **self._more())

    def _more(self) -> dict[str, Any]:
        """Return what no stat says. A shared frontier is not asked: its server would be, each time."""
        if self._crawl is None:
            return {}
        more = {"busiest": self._crawl.hosts.busiest, "judged_by": self._crawl.run.judged_by}
        if self._crawl.plan.config.is_shared:
            return more
        frontier = self._crawl.frontier
        return {**more, "bands": frontier.bands(BANDS), "is_held_back": frontier.stats().is_held_back}
