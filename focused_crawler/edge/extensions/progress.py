"""Extension: shows how the crawl goes, live on a terminal, as a log line now and then elsewhere.

It reads stats on a timer and does nothing at all for a page.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self, TextIO, TypeGuard, cast

from rich.console import Console
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.text import Text
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import create_looping_call

from focused_crawler.report.live import Snapshot, Speed, closing, closing_facts, display, log_line
from focused_crawler.safety.formats import tidy

logger = logging.getLogger(__name__)

REFRESH_SECONDS = 0.5


class Progress:
    """The display of one crawl, from `spider_opened` to `spider_closed`."""

    def __init__(
        self,
        stats: StatsCollector,
        console: Console,
        *,
        topic: str,
        strategy: str,
        budget: int,
        interval: float,
    ) -> None:
        """Budget: pages, 0 for none. Interval: seconds between log lines, without a terminal."""
        self._stats = stats
        self._console = console
        self._topic, self._strategy = topic, strategy
        self._budget = budget
        self._interval = interval
        self._speed = Speed(max(60.0, 3 * interval))
        self._started = time.monotonic()
        self._live: Live | None = None
        self._screen = ExitStack()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        interval = settings.getfloat("FOCUSED_PROGRESS_INTERVAL")
        if interval <= 0:
            raise NotConfigured("FOCUSED_PROGRESS_INTERVAL is 0")
        progress = cls(
            crawler.stats,
            Console(stderr=True),
            topic=Path(settings.get("FOCUSED_TOPIC") or "").name,
            strategy=settings.get("FOCUSED_STRATEGY") or settings.get("FOCUSED_DEFAULT_STRATEGY") or "",
            budget=int(settings.getfloat("FOCUSED_PAGES")),
            interval=interval,
        )
        crawler.signals.connect(progress.spider_opened, signals.spider_opened)
        crawler.signals.connect(progress.spider_closed, signals.spider_closed)
        return progress

    def spider_opened(self, spider: Spider) -> None:
        self._started = time.monotonic()
        self._look()  # the speed is measured from here
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._open_screen()
        self._timer = create_looping_call(self._beat)
        self._timer.start(REFRESH_SECONDS if self._live else self._interval, now=False)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        if self._timer.running:
            self._timer.stop()
        self._screen.close()
        now, report = self._look(), self._stats.get_value("focused/report_path")
        if self._live:
            self._console.print(closing(self._heading, now, reason, report))
        else:
            facts = closing_facts(now, reason, report)
            logger.info("Crawl ended: %s", "; ".join(f"{name}: {value}" for name, value in facts))

    @property
    def _heading(self) -> Text:
        return Text.assemble((tidy(self._topic), "bold"), (" by ", "dim"), tidy(self._strategy))

    def _look(self) -> Snapshot:
        elapsed = time.monotonic() - self._started
        stats = self._stats.get_stats()
        if (
            "focused/pages" in stats
        ):  # a resumed crawl begins at the pages it has: no speed until they are known
            self._speed.record(elapsed, stats["focused/pages"] + stats.get("focused/revisits", 0))
        return Snapshot.from_stats(stats, self._budget, self._speed.value, elapsed)

    def _beat(self) -> None:
        now = self._look()
        if self._live:
            self._live.update(display(self._heading, now), refresh=True)
        else:
            logger.info("%s", log_line(now))

    def _open_screen(self) -> None:
        """Take the terminal, and see to it that it is given back however the process ends."""
        live = Live(
            display(self._heading, self._look()),
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # a feed may be written there
        )
        self._live = self._screen.enter_context(live)
        for handler in logging.getLogger().handlers:
            if _writes_to_terminal(handler):
                self._screen.enter_context(_diverted(handler, self._console))
        atexit.register(self._screen.close)
        self._screen.callback(atexit.unregister, self._screen.close)


def _writes_to_terminal(handler: logging.Handler) -> TypeGuard[logging.StreamHandler[TextIO]]:
    return type(handler) is logging.StreamHandler and handler.stream.isatty()


@contextmanager
def _diverted(handler: logging.StreamHandler[TextIO], console: Console) -> Iterator[None]:
    """Let a log handler write above the live display, and only what matters there: warnings and worse."""
    stream, level = handler.stream, handler.level
    handler.setStream(cast("TextIO", FileProxy(console, stream)))
    handler.setLevel(max(level, logging.WARNING))
    try:
        yield
    finally:
        handler.setStream(stream)
        handler.setLevel(level)
