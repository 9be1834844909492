"""Live crawls: one reader a crawl for all tabs that look at it, and to each tab only what has changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from focused_crawler.report.dots import Dot
from focused_crawler.report.watch import CrawlWatch, Watched
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.printable import one_line
from focused_crawler.workbench.estimates import Estimates
from focused_crawler.workbench.rendering import render

TICK_SECONDS = 1.0
IDLE_SECONDS = 3.0
"""A crawl that does not run is looked at more seldom: it may go on."""
PING_SECONDS = 15.0
PARTS = ("state", "figures", "frontier", "failures", "hosts", "alarms", "orders")

Message = dict[str, Any]


def parts_of(watched: Watched, names: dict[str, Any]) -> dict[str, str]:
    """Return the parts of the page of a crawl, by their names."""
    return {part: render(f"live/{part}.html", watched=watched, **names) for part in PARTS}


class LiveCrawl:
    """Reads a crawl in a thread of its own while somebody looks at it."""

    def __init__(self, folder: Path, estimates: Estimates) -> None:
        self._folder, self._estimates = folder, estimates
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="live")
        self._changed = asyncio.Condition()
        self._watch: CrawlWatch | None = None
        self._parts: dict[str, str] = {}
        self._dots: list[Dot] = []
        self._ticks = 0
        self.viewers = 0
        self._task = asyncio.ensure_future(self._run())

    async def messages(self, after: int) -> AsyncIterator[Message]:
        """Yield what to show: dots after a position, parts that are not what they were; {} now and then."""
        sent: dict[str, str] = {}
        seen = 0
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(PING_SECONDS), self._changed:
                    while self._ticks == seen:
                        await self._changed.wait()
            seen = self._ticks
            new = [dot for dot in self._dots if dot.position > after]
            changed = {part: html for part, html in self._parts.items() if sent.get(part) != html}
            sent |= changed
            after = new[-1].position if new else after
            yield _message(new, changed)

    async def close(self) -> None:
        """End the thread; nobody looks any more."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        if self._watch is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._watch.close)
        self._thread.shutdown(wait=False)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            pause = await loop.run_in_executor(self._thread, self._read)
            async with self._changed:
                self._ticks += 1
                self._changed.notify_all()
            await asyncio.sleep(pause)

    def _read(self) -> float:
        """Read the crawl and make its parts; return how long to rest."""
        try:
            if self._watch is None:
                self._watch = CrawlWatch(self._folder)
            watched = self._watch.read()
        except FocusedCrawlerError as error:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
            self._parts = {"figures": render("message.html", message=str(error))}
            return IDLE_SECONDS
        self._parts = parts_of(watched, names_of(self._folder, watched, self._estimates))
        self._dots = list(self._watch.dots)
        return TICK_SECONDS if watched.standing.is_running else IDLE_SECONDS


class LiveCrawls:
    """The crawls that somebody looks at."""

    def __init__(self, estimates: Estimates) -> None:
        self._estimates = estimates
        self._crawls: dict[Path, LiveCrawl] = {}

    async def stream(self, folder: Path, after: int) -> AsyncIterator[str]:
        """Yield server-sent events to one tab until it goes away."""
        if folder not in self._crawls:
            self._crawls[folder] = LiveCrawl(folder, self._estimates)
        crawl = self._crawls[folder]
        crawl.viewers += 1
        try:
            async for message in crawl.messages(after):
                yield f"data: {json.dumps(message, separators=(',', ':'))}\n\n" if message else ": alive\n\n"
        finally:
            crawl.viewers -= 1
            if not crawl.viewers:
                self._crawls.pop(folder, None)
                await asyncio.shield(crawl.close())


def names_of(folder: Path, watched: Watched, estimates: Estimates) -> dict[str, Any]:
    """Return what the templates of the parts use beside what was read."""
    standing = watched.standing
    return {
        "topic": standing.run.topic,
        "job": folder.name,
        "known": estimates.of(folder, standing.run, standing.pages),
    }


def dots_of(found: list[Dot]) -> list[list[Any]]:
    """Return dots as a script reads them; no character of a URL can turn what is shown."""
    return [[*dot[:4], one_line(dot.url)] for dot in found]


def _message(new: list[Dot], parts: dict[str, str]) -> Message:
    message: Message = {}
    if new:
        message["dots"] = dots_of(new)
    if parts:
        message["parts"] = parts
    return message
