"""One browser: it is opened, renders so many pages, is watched over, and is closed or killed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self

from playwright.async_api import CDPSession, Error
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.edge.failures import take_note
from focused_crawler.edge.rendering.chromium import (
    driver_of,
    drivers,
    first_line,
    kill,
    private_bytes,
    processes_of,
)
from focused_crawler.edge.rendering.handler import BrowserDownloadHandler, process_ids
from focused_crawler.safety.workers import kill_in_the_end

MOST_PAGES = 200
"""Rendered by one browser; the next page gets a new one."""

MOST_BYTES = 1024**3
"""Of memory that a browser's processes have to themselves; one above it is killed."""

WATCH_SECONDS = 1.0
OPEN_SECONDS = 40.0
"""Its driver and the browser have to be there then; Playwright gives the browser 30, the driver any time."""
CLOSE_SECONDS = 5.0
"""For an answer as well: a browser or driver that gives none is dead, stopped ones among them."""
RENDER_SECONDS = 15.0
"""A page that is not there then never will be: an endless loop, most likely."""


class BrowserDied(Exception):
    """The browser is gone, with the page that it was to show."""


class Browser:
    """A running browser, its driver, and the handler that drives them."""

    def __init__(self, handler: BrowserDownloadHandler, session: CDPSession, processes: list[int]) -> None:
        self._handler = handler
        self._session = session
        self.processes = processes
        self._dead: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.borrowers = 0
        self._begun = 0  # pages
        self.has_worked = False
        self._driver = driver_of(processes[0])
        self._watch = asyncio.ensure_future(self._keep_watch())
        kill_in_the_end(self)

    @classmethod
    async def open(cls, crawler: Crawler, executable: str | None) -> Self:
        """Start one; raises Playwright's Error or OSError, or BrowserDied if it hangs or dies meanwhile."""
        handler, starting = BrowserDownloadHandler(crawler, executable), _Starting()
        try:
            session = await handler.launch()
            return cls(handler, session, await process_ids(session))
        except BaseException as error:
            starting.kill_at_once()
            await _close(handler)
            if isinstance(error, Exception) and starting.is_late:
                raise BrowserDied(f"it did not start within {OPEN_SECONDS:.0f} s") from None
            if type(error) is Exception:  # Playwright's word for a driver that has gone
                raise BrowserDied(first_line(error)) from None
            raise
        finally:
            starting.end()

    @property
    def is_worn(self) -> bool:
        """Tell whether the next page is to have another one."""
        return self.is_broken or self._begun >= MOST_PAGES

    async def render(self, request: Request) -> Response:
        """Return a page as it is shown; raises TimeoutError, BrowserDied or Playwright's Error."""
        self._begun += 1
        task = asyncio.ensure_future(self._handler.render(request))
        task.add_done_callback(take_note)
        try:
            await asyncio.wait(
                (task, self._dead), timeout=RENDER_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if not task.done() or task.exception() is not None:
                if not await self._answers():
                    raise BrowserDied("it is gone, or hangs")
                if not task.done():
                    raise TimeoutError
            response = task.result()
        finally:
            task.cancel()
            await self._forget(request)
        self.has_worked = True
        return response

    async def _forget(self, request: Request) -> None:
        """Close the page with all that belongs to it; a browser that cannot even do that is dead."""
        if self.is_broken:
            return
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._handler.forget(request)
        except TimeoutError:
            self._die()

    async def close(self) -> None:
        """End it, by force what does not go by itself."""
        self._watch.cancel()
        processes = processes_of(self.processes[0], self._driver)
        if self.is_broken:
            self._handler.context_wrappers.clear()
        await _close(self._handler)
        kill(processes)

    def kill_at_once(self) -> None:
        """End its processes, whatever they are at."""
        kill(processes_of(self.processes[0], self._driver))

    async def _keep_watch(self) -> None:
        """Kill a browser that takes too much memory, or does not answer any more."""
        while not self.is_broken:
            await asyncio.sleep(WATCH_SECONDS)
            if await self._answers() and private_bytes(self.processes) > MOST_BYTES:
                self._die()

    async def _answers(self) -> bool:
        """Tell whether it still does what it is asked for; if not it is dead."""
        if not self.is_broken:
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    self.processes = await process_ids(self._session)
            except (TimeoutError, Error):
                self._die()
        return not self.is_broken

    def _die(self) -> None:
        """Make sure that it is dead, with all pages that it shows."""
        kill(processes_of(self.processes[0]))
        if not self._dead.done():
            self._dead.set_result(None)

    @property
    def is_broken(self) -> bool:
        """Tell whether it is of no more use."""
        return self._dead.done()


class _Starting:
    """A driver on its way, with its browser: what is there too late is killed, and so Playwright ends."""

    def __init__(self) -> None:
        self._others = drivers()
        self.is_late = False
        self._deadline = asyncio.get_running_loop().call_later(OPEN_SECONDS, self._give_up)
        kill_in_the_end(self)

    def _give_up(self) -> None:
        self.is_late = True
        self.kill_at_once()

    def kill_at_once(self) -> None:
        """End its processes, whatever they are at."""
        for driver in drivers() - self._others:
            kill(processes_of(driver, driver))

    def end(self) -> None:
        """Watch it no more."""
        self._deadline.cancel()


async def _close(handler: BrowserDownloadHandler) -> None:
    """Close a handler with its browser and driver, if they can be in time."""
    with suppress(Error, TimeoutError, ConnectionError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await handler.close()
