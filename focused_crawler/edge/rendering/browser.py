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
from focused_crawler.edge.rendering.chromium import kill_browser, private_bytes
from focused_crawler.edge.rendering.handler import BrowserDownloadHandler, process_ids

MOST_PAGES = 200
"""Rendered by one browser; the next page gets a new one."""

MOST_BYTES = 1024**3
"""Of memory that a browser's processes have to themselves; one above it is killed."""

WATCH_SECONDS = 1.0
CLOSE_SECONDS = 5.0
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
        self._watch = asyncio.ensure_future(self._keep_watch())

    @classmethod
    async def open(cls, crawler: Crawler, executable: str | None) -> Self:
        """Start one; raises Playwright's Error."""
        handler = BrowserDownloadHandler(crawler, executable)
        try:
            session = await handler.launch()
            return cls(handler, session, await process_ids(session))
        except BaseException:
            await _close(handler)
            raise

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
            if not task.done() or (task.exception() is not None and not self._handler.is_alive):
                if not self.is_broken and self._handler.is_alive:
                    raise TimeoutError
                self._die()
                raise BrowserDied("it is gone")
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
        """End it, by force if it does not go by itself."""
        self._watch.cancel()
        if self.is_broken:
            self._handler.context_wrappers.clear()
        if not await _close(self._handler):
            kill_browser(self.processes[0])

    async def _keep_watch(self) -> None:
        """Kill a browser that takes too much memory, or does not answer any more."""
        while not self.is_broken:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    self.processes = await process_ids(self._session)
            except (TimeoutError, Error):
                self._die()
            if private_bytes(self.processes) > MOST_BYTES:
                self._die()

    def _die(self) -> None:
        """Make sure that it is dead, with all pages that it shows."""
        kill_browser(self.processes[0])
        if not self._dead.done():
            self._dead.set_result(None)

    @property
    def is_broken(self) -> bool:
        """Tell whether it is of no more use."""
        return self._dead.done()


async def _close(handler: BrowserDownloadHandler) -> bool:
    """Close a handler with its browser and driver; return whether they have gone."""
    with suppress(Error, TimeoutError, ConnectionError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await handler.close()
            return True
    return False
