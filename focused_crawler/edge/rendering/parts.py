"""Answers all that a page in the browser asks for: by what the crawler fetches itself, or not at all."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from playwright.async_api import Error, Page, Route, WebSocketRoute
from playwright.async_api import Request as BrowserRequest
from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from focused_crawler.edge import meta
from focused_crawler.edge.failures import asked_host, classify
from focused_crawler.edge.own import PASSES_BY
from focused_crawler.edge.rendering.rules import (
    PART_BYTES,
    PARTS_AT_A_TIME,
    SENT_HEADERS,
    TOO_LONG,
    Part,
    PartCache,
    PartLimits,
    slot_of,
)

HOST_CONCURRENCY = 2
"""Parts of one page that are asked of a host at a time, one after the other without a pause."""

PART_SECONDS = 6
PASSED_HEADERS = ("Content-Type", "Cache-Control", "Access-Control-Allow-Origin")
POLICY = "object-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'"
"""Said to the browser of every page: frames, workers and forms have no part in its text."""

NOTHING = Part(204, {}, b"")
"""Leaves a window as it is; a navigation that is aborted would leave an error page of the browser's own."""


class PageParts:
    """What one page asks for, from its document on.

    The browser has no network. The document is the response that was fetched before; scripts and what they
    ask for go through the crawler's own downloader, with all its middlewares: robots.txt, the address guard
    (at each hop of a redirect), the limits of size, the recording. A worker that has lost the page's lease
    sends none of it.
    """

    def __init__(self, crawler: Crawler, document: Response, lease: str, cache: PartCache) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._document = document
        self._lease = lease
        self._cache = cache
        self._limits = PartLimits()
        self._room = asyncio.Semaphore(PARTS_AT_A_TIME)
        self._pending = 0
        self._has_document = False
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last = time.monotonic()
        crawler.signals.connect(self._sent, signals.request_reached_downloader)

    async def attach(self, page: Page, request: Request) -> None:
        """Let a page have nothing but what is answered here (`playwright_page_init_callback`)."""
        await page.context.route("**/*", _refuse)  # windows that it opens
        await page.context.route_web_socket("**/*", _close)
        await page.route("**/*", self._answer)

    @property
    def hosts(self) -> dict[str, int]:
        """Return how many requests went to each host, those of redirects too."""
        return self._limits.hosts

    def quiet_for(self) -> float:
        """Return the seconds since the last part came, 0 while one is under way."""
        return 0.0 if self._pending else time.monotonic() - self._last

    def end(self) -> None:
        """Let the page have nothing more; what is under way is not waited for, what waits does not begin."""
        if not self._over.done():
            self._over.set_result(None)
            self._crawler.signals.disconnect(self._sent, signals.request_reached_downloader)

    def _sent(self, request: Request) -> None:
        if meta.PART in request.meta and request.meta.get(meta.ASKED_FOR) == self._lease:
            host = asked_host(request.url)
            self._limits.hosts[host] = self._limits.hosts.get(host, 0) + 1

    async def _answer(self, route: Route) -> None:
        with suppress(Error):  # the page is gone
            part = await self._part(route.request)
            if part is None:
                await route.abort()
            else:
                await route.fulfill(status=part.status, headers=part.headers, body=part.body)

    async def _part(self, asked: BrowserRequest) -> Part | None:
        if asked.is_navigation_request():
            return self._navigation(asked)
        reason = "over" if self._over.done() else None
        reason = reason or self._limits.why_not(asked.resource_type, asked.method, asked.url)
        if reason is not None:
            self._blocked(reason)
            return None
        self._pending += 1
        try:
            return await self._unless_over(asyncio.ensure_future(self._fetch(asked)))
        finally:
            self._pending -= 1
            self._last = time.monotonic()

    async def _unless_over(self, task: asyncio.Task[Part | None]) -> Part | None:
        """Return what comes, None if the page may have nothing more by then; the download goes on."""
        await asyncio.wait((task, self._over), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None

    def _blocked(self, reason: str) -> None:
        self._stats.inc_value(f"focused/rendered/blocked/{reason}")

    def _navigation(self, asked: BrowserRequest) -> Part:
        """Give out the document, once; whatever else the page wants to become, it does not."""
        if self._has_document or asked.frame.parent_frame is not None:
            self._blocked("navigation")
            return NOTHING
        self._has_document = True
        content_type = (self._document.headers.get(b"Content-Type") or b"text/html").decode("latin-1")
        headers = {"Content-Type": content_type, "Content-Security-Policy": POLICY}
        return Part(200, headers, self._document.body)

    async def _fetch(self, asked: BrowserRequest) -> Part | None:
        url = asked.url.partition("#")[0]
        headers = {name: value for name, value in asked.headers.items() if name in SENT_HEADERS}
        is_shared = "authorization" not in headers
        part = self._cache.get(url) if is_shared else None
        if part is not None:
            self._stats.inc_value("focused/rendered/parts/cached")
        else:
            part = await self._fetched(url, headers)
            if part is not None and is_shared:
                self._cache.store(url, part)
        if part is not None and not self._limits.takes(len(part.body)):
            self._blocked("limit")
            return None
        return part

    async def _fetched(self, url: str, headers: dict[str, str]) -> Part | None:
        """Fetch a part when it is its turn, if the page may still have anything then."""
        async with self._room:
            if not self._over.done() and self._limits.has_room:
                return await self._download(url, headers)
            self._blocked("over" if self._over.done() else "limit")
            return None

    async def _download(self, url: str, headers: dict[str, str]) -> Part | None:
        request = Request(url, headers=headers, callback=NO_CALLBACK, meta=self._meta(url))
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:
            reason = classify(error).reason
            if reason in TOO_LONG:
                self._limits.takes(PART_BYTES)
            self._blocked(reason)
            return None
        self._stats.inc_value("focused/rendered/parts")
        passed = {name.lower(): response.headers.get(name) for name in PASSED_HEADERS}
        texts = {name: value.decode("latin-1") for name, value in passed.items() if value}
        return Part(response.status, texts, response.body)

    def _meta(self, url: str) -> dict[str, object]:
        """Return the meta of a part's request; it does not wait in line with the pages of its host."""
        slot = slot_of(asked_host(url))
        slots = self._crawler.engine.downloader.slots
        if slot not in slots:
            slots[slot] = Slot(HOST_CONCURRENCY, 0.0, 0.0)
            slots[slot].lastseen = time.monotonic()  # robots.txt may be asked first: it is not forgotten
        return {
            **PASSES_BY,
            meta.PART: self._document.url,
            meta.ASKED_FOR: self._lease,
            "download_slot": slot,
            "download_timeout": PART_SECONDS,
            "download_maxsize": PART_BYTES,
        }


async def _refuse(route: Route) -> None:
    with suppress(Error):
        if route.request.is_navigation_request():
            await route.fulfill(status=NOTHING.status)
        else:
            await route.abort()


async def _close(socket: WebSocketRoute) -> None:
    with suppress(Error):
        await socket.close()
