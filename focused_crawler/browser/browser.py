"""One browser: it is opened, renders so many pages, is watched over, and is closed or killed."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import Self

from playwright.async_api import CDPSession, Error
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.browser.handler import BrowserDownloadHandler, process_ids
from focused_crawler.rendering.chromium import private_bytes

MOST_PAGES = 200
"""Rendered by one browser; the next page gets a new one."""

MOST_BYTES = 1024**3
"""Of memory that a browser's processes have to themselves; one above it is killed."""

WATCH_SECONDS = 1.0
CLOSE_SECONDS = 5.0
RENDER_SECONDS = 15.0
"""A page that is not there then never will be: an endless loop, most likely."""


class Browser:
    """A running browser, its driver, and the handler that talks to them."""

    def __init__(self, handler: BrowserDownloadHandler, session: CDPSession, processes: list[int]) -> None:
        self._handler = handler
        self._session = session
        self.processes = processes
        self.is_broken = False
        self.borrowers = 0
        self._begun = 0  # pages
        self.has_worked = False
        self._watch = asyncio.ensure_future(self._keep_watch())

    @classmethod
    async def open(cls, crawler: Crawler, executable: str | None) -> Self:
        """Start one; raises Playwright's Error."""
        handler = BrowserDownloadHandler(crawler, executable)
        try:
            browser = await handler.launch()
            session = await browser.new_browser_cdp_session()
            return cls(handler, session, await process_ids(session))
        except BaseException:
            await _close(handler)
            raise

    @property
    def is_worn(self) -> bool:
        """Tell whether the next page is to have another one."""
        return self.is_broken or self._begun >= MOST_PAGES

    async def render(self, request: Request) -> Response:
        """Return a page as it is shown; raises TimeoutError, or Playwright's Error."""
        self._begun += 1
        try:
            async with asyncio.timeout(RENDER_SECONDS):
                response = await self._handler.render(request)
                self.has_worked = True
                return response
        except Error:
            self.is_broken = self.is_broken or not self._handler.is_alive
            raise
        finally:
            await self._forget(request)

    async def _forget(self, request: Request) -> None:
        """Close the page with all that belongs to it; a browser that cannot even do that is broken."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._handler.forget(request)
        except TimeoutError:
            self.is_broken = True

    async def close(self) -> None:
        """End it, by force if it does not go by itself."""
        self._watch.cancel()
        if self.is_broken:
            self._kill()
        await _close(self._handler)
        self._kill()

    async def _keep_watch(self) -> None:
        """Kill a browser that takes too much memory, or does not answer any more."""
        while not self.is_broken:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    self.processes = await process_ids(self._session)
            except (TimeoutError, Error):
                self.is_broken = True
            if private_bytes(self.processes) > MOST_BYTES:
                self.is_broken = True
        self._kill()

    def _kill(self) -> None:
        """Kill the browser's own process; all others of it end with that one."""
        if self.processes:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.processes[0], signal.SIGKILL)


async def _close(handler: BrowserDownloadHandler) -> None:
    with suppress(Error, TimeoutError, ConnectionError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await handler.close()
