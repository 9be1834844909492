"""Renders pages: keeps a browser ready once one is needed, and gets another when that one is worn or dies."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import Any

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as BrowserTimeoutError
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy_playwright.page import PageMethod

from focused_crawler.edge.rendering.browser import Browser, BrowserDied
from focused_crawler.edge.rendering.chromium import NoBrowser, first_line
from focused_crawler.edge.rendering.handler import PAGES_AT_A_TIME
from focused_crawler.edge.rendering.parts import PageParts
from focused_crawler.edge.rendering.rules import PartCache
from focused_crawler.safety.printable import printable

REST = 0.3
"""Seconds without a request and without a change of the page until it has come to rest."""

RESTLESS = 2.0
"""Seconds without a request until a page that changes all the time (a clock) is taken as it is."""

LONGEST = 8.0
POLL = 0.1
STUCK = 4.0
"""Seconds until a page whose scripts let nothing else happen is given up."""

_WATCH = """
globalThis.changed = performance.now();
new MutationObserver(() => { globalThis.changed = performance.now(); })
    .observe(document, {subtree: true, childList: true, characterData: true});
"""
_STATE = "[document.readyState != 'loading', (performance.now() - globalThis.changed) / 1000]"
_SIZE = "document.documentElement ? document.documentElement.outerHTML.length : 0"


class PageTooLarge(Exception):
    """What scripts made of a page is longer than a page may be."""


async def settle(page: Page, parts: PageParts, most_characters: int) -> None:
    """Return when the page has come to rest, or will not.

    Raises PageTooLarge, TimeoutError or Playwright's Error.

    Looks from a world of its own, in which the page's scripts can change nothing.
    """
    async with asyncio.timeout(STUCK):
        world = await _World.of(page)
        await world.evaluate(_WATCH)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        await asyncio.sleep(POLL)
        is_read, quiet = await world.evaluate(_STATE)
        calm = parts.quiet_for()
        if is_read and (min(calm, quiet) >= REST or calm >= RESTLESS):
            break
    parts.end()
    size = await world.evaluate(_SIZE)
    if size > most_characters:
        raise PageTooLarge(f"{size} characters")


class _World:
    """Evaluates expressions in a world of JavaScript beside that of the page."""

    def __init__(self, session: Any, context: int) -> None:
        self._session = session
        self._context = context

    @classmethod
    async def of(cls, page: Page) -> _World:
        session = await page.context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]["id"]
        world = await session.send("Page.createIsolatedWorld", {"frameId": frame})
        return cls(session, world["executionContextId"])

    async def evaluate(self, expression: str) -> Any:
        what = {"expression": expression, "contextId": self._context, "returnByValue": True}
        async with asyncio.timeout(STUCK):
            answer = await self._session.send("Runtime.evaluate", what)
        return answer["result"].get("value")


logger = logging.getLogger(__name__)

MOST_DEATHS = 5
"""Browsers that break in a row, without one page between, until there is no use in starting another."""

_OUTDATED = (b"ETag", b"Last-Modified", b"Content-Encoding", b"Content-Length")
"""Headers of a document that do not apply to what scripts make of it."""


class Renderer:
    """Hands pages to a browser; no more than a few at a time."""

    def __init__(self, crawler: Crawler, executable: str | None, most_bytes: int) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._executable = executable
        self._most_bytes = most_bytes
        self._cache = PartCache()
        self._room = asyncio.Semaphore(PAGES_AT_A_TIME)
        self._opening = asyncio.Lock()
        self._browser: Browser | None = None
        self._retired: set[Browser] = set()
        self._deaths = 0

    async def render(self, document: Response, lease: str) -> tuple[Response | None, dict[str, int]]:
        """Return a page as a browser shows it, None if it does not; and the hosts that were asked, how often.

        Raises NoBrowser.
        """
        async with self._room:
            try:
                browser = await self._borrow()
            except BrowserDied as error:
                self._failed(document, "browser", str(error))
                return None, {}
            parts = PageParts(self._crawler, document, lease, self._cache)
            try:
                rendered = await browser.render(self._request(document, parts))
            except Exception as error:  # a driver breaks in many ways, and the page is there in any case
                self._failed(document, _reason(error, browser), first_line(error))
                return None, parts.hosts
            finally:
                parts.end()
                browser.borrowers -= 1
                await self._close_unused(browser)
        shown = _shown(document, rendered)
        if shown is None or len(shown.body) > self._most_bytes:
            self._failed(document, "page" if shown is None else "page_bytes", "it became something else")
            return None, parts.hosts
        self._stats.inc_value("focused/rendered")
        return shown, parts.hosts

    async def close(self) -> None:
        """End all browsers."""
        browsers = {*self._retired, *([self._browser] if self._browser else [])}
        self._browser = None
        for browser in browsers:
            await browser.close()

    def _request(self, document: Response, parts: PageParts) -> Request:
        rest = PageMethod(partial(settle, parts=parts, most_characters=self._most_bytes))
        return Request(
            document.url,
            meta={
                "playwright": True,
                "playwright_page_init_callback": parts.attach,
                "playwright_page_goto_kwargs": {"wait_until": "commit"},
                "playwright_page_methods": [rest],
            },
        )

    async def _borrow(self) -> Browser:
        async with self._opening:
            if self._browser is not None and self._browser.is_worn:
                await self._retire(self._browser)
            if self._browser is None:
                self._browser = await self._open()
            self._browser.borrowers += 1
            return self._browser

    async def _retire(self, browser: Browser) -> None:
        """Let a browser go, when nobody uses it any more."""
        self._deaths = 0 if browser.has_worked else self._deaths + 1
        self._browser = None
        self._retired.add(browser)
        await self._close_unused(browser)

    async def _open(self) -> Browser:
        if self._deaths >= MOST_DEATHS:
            raise NoBrowser(f"{self._deaths} in a row broke")
        try:
            browser = await Browser.open(self._crawler, self._executable)
        except BrowserDied:
            self._deaths += 1
            raise
        except (Error, OSError) as error:
            raise NoBrowser(first_line(error)) from None
        self._stats.inc_value("focused/rendered/browsers")
        return browser

    async def _close_unused(self, browser: Browser) -> None:
        if browser in self._retired and not browser.borrowers:
            self._retired.discard(browser)
            await browser.close()

    def _failed(self, document: Response, reason: str, detail: str) -> None:
        self._stats.inc_value(f"focused/rendered/failed/{reason}")
        logger.info("Not rendered: %s (%s, %s)", printable(document.url), reason, printable(detail))


def _reason(error: Exception, browser: Browser) -> str:
    """Return the class under which a page that is not shown is counted."""
    if isinstance(error, TimeoutError | BrowserTimeoutError):
        return "timeout"
    if isinstance(error, PageTooLarge):
        return "page_bytes"
    return "browser" if browser.is_broken else "page"


def _shown(document: Response, rendered: Response) -> Response | None:
    """Return a fetched response with the body that a browser made of it; None if it is another page's."""
    if not isinstance(rendered, HtmlResponse) or not rendered.url.startswith(("http://", "https://")):
        return None  # about:blank, or an error page of the browser's own
    headers = document.headers.copy()
    for name in _OUTDATED:
        headers.pop(name, None)
    headers[b"Content-Type"] = b"text/html; charset=utf-8"
    body = rendered.text.encode("utf-8", "replace")
    flags = [*document.flags, "rendered"]
    return document.replace(cls=HtmlResponse, headers=headers, body=body, flags=flags, encoding="utf-8")
