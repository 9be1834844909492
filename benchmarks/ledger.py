"""Run a `scrapy` command and note where the CPU time of its pages goes, room by room.

    python -m benchmarks.ledger REPORT FIRST LAST crawl topic -a topic=...

Of the time between page FIRST and page LAST, in milliseconds a page: the rooms' sum is the whole. A timer
asks each millisecond of CPU time what the main thread is at; the time since it asked last is the room's of
the innermost function that belongs to one. What other threads used meanwhile, and child processes, is apart.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from types import FrameType

from pydispatch import dispatcher
from scrapy import signals
from scrapy.cmdline import execute

INTERVAL = 0.001
THREADS, CHILDREN, NOWHERE = "other threads", "child processes", "elsewhere"
ROOMS = (
    ("focused_crawler/store/database.py", None),  # whose statement it is, its caller says
    ("focused_crawler/store/sqlite_file.py", None),
    ("focused_crawler/page/text/", "tokens"),
    ("focused_crawler/page/blocks", "blocks"),
    ("focused_crawler/page/url.py", "URLs"),
    ("focused_crawler/page/", "parse"),
    ("focused_crawler/classify/", "classify"),
    ("focused_crawler/link_scoring/", "score"),
    ("focused_crawler/frontier/", "frontier"),
    ("focused_crawler/crawl/steering/", "steering"),
    ("focused_crawler/crawl/", "record"),
    ("focused_crawler/store/", "record"),
    ("focused_crawler/edge/download/", "HTTP"),
    ("focused_crawler/edge/", "edge"),
    ("focused_crawler/", "other rooms"),
    ("scrapy/statscollectors.py", "stats"),
    ("scrapy/core/downloader/", "HTTP"),
    ("scrapy/", "Scrapy"),
    ("twisted/", "HTTP"),
    ("asyncio/", "HTTP"),
)
"""Parts of paths, the first that fits, and the room of what stands there; None: it is its caller's."""


class Ledger:
    """Seconds of CPU by room, between two pages of a crawl."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self.ended = 0  # pages
        self.seconds: Counter[str] = Counter()
        self.total = 0.0
        self._children = 0.0
        self._began = self._main = self._all = 0.0

    def watch(self) -> None:
        """Watch the pages that end."""
        signal.signal(signal.SIGPROF, self._ask)
        for kind in (signals.item_scraped, signals.item_dropped):
            dispatcher.connect(self._page_ended, kind, sender=dispatcher.Any, weak=False)

    def _page_ended(self) -> None:
        self.ended += 1
        if self.ended == self._first:
            self._children = children()
            self._main, self._all = time.thread_time(), time.process_time()
            self._began = self._all
            signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
        elif self.ended == self._last:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._ask(signal.SIGPROF, sys._getframe())
            self.seconds[CHILDREN] = children() - self._children
            self.total = time.process_time() - self._began + self.seconds[CHILDREN]

    def _ask(self, _: int, frame: FrameType | None) -> None:
        main, all_threads = time.thread_time(), time.process_time()
        self.seconds[_room_of(frame)] += main - self._main
        self.seconds[THREADS] += max(0.0, all_threads - self._all - (main - self._main))
        self._main, self._all = time.thread_time(), time.process_time()

    def report(self) -> dict[str, float]:
        """Return milliseconds a page by room."""
        pages = self._last - self._first
        rooms = {room: 1000 * seconds / pages for room, seconds in self.seconds.items()}
        return rooms | {"asking": 1000 * self.total / pages - sum(rooms.values())}


def children() -> float:
    """Return the CPU seconds of the processes that this one has started, as far as they still run."""
    ticks = 0
    for path in Path("/proc/self/task").glob("*/children"):
        for child in path.read_text().split():
            stat = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(stat[11]) + int(stat[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _room_of(frame: FrameType | None) -> str:
    while frame is not None:
        room = _room(frame.f_code.co_filename)
        if room is not None:
            return room
        frame = frame.f_back
    return NOWHERE


@cache
def _room(path: str) -> str | None:
    return next((room for part, room in ROOMS if f"/{part}" in path), None)


def main() -> None:
    report, first, last, *words = sys.argv[1:]
    ledger = Ledger(int(first), int(last))
    ledger.watch()
    sys.argv = ["scrapy", *words]
    try:
        execute(sys.argv)
    finally:
        if ledger.ended < int(last):
            sys.exit(f"{ledger.ended} pages ended, not {last}: {' '.join(words)}")
        Path(report).write_text(json.dumps(ledger.report()))


if __name__ == "__main__":
    main()
