"""Waits until a page in the browser has come to rest, and refuses one that is too large."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from playwright.async_api import Page

from focused_crawler.browser.parts import PageParts

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
