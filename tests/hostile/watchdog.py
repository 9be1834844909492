"""What is measured inside a command's process: the event loop's longest turn, its memory, its statistics."""

from __future__ import annotations

import asyncio.events
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.statscollectors import MemoryStatsCollector

FILE = "HOSTILE_WATCHDOG"
STATS = "HOSTILE_STATS"


def install() -> None:
    """Time every callback of the loop; the longest, in seconds of CPU, stands in the file that is named."""
    run, file, longest = asyncio.events.Handle._run, Path(os.environ[FILE]), 0.0

    def timed(handle: Any) -> None:
        nonlocal longest
        if not KeptStats.is_crawling:
            run(handle)
            return
        began, wall = time.thread_time(), time.monotonic()
        run(handle)
        held = time.thread_time() - began
        if held > longest:
            longest = held
            file.write_text(json.dumps({"cpu": held, "wall": time.monotonic() - wall, "by": repr(handle)}))

    asyncio.events.Handle._run = timed  # type: ignore[method-assign]


class KeptStats(MemoryStatsCollector):
    """Writes what was counted, and the most memory that was held (bytes), into the file that is named."""

    is_crawling = False  # in this process: not what opens the crawl, nor what draws its report

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _opened(self) -> None:
        KeptStats.is_crawling = True

    def _closed(self) -> None:
        KeptStats.is_crawling = False

    def _persist_stats(self, stats: dict[str, Any]) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        Path(os.environ[STATS]).write_text(json.dumps({**stats, "peak": peak}, default=str))
