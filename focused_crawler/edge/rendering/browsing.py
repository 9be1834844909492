"""A browser for a person: every page that it shows, with the way there, as its own history has it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Error, Page, async_playwright

from focused_crawler.discovery.recording import HistoryStep, way
from focused_crawler.edge.rendering.chromium import NoBrowser, first_line, is_root

FLAGS = ("--no-first-run", "--disable-sync", "--disable-breakpad", "--no-pings")
LINK = "link"
"""How a history calls what was clicked, and where scripts led."""
AGAIN = 0.1
"""Seconds until a tab that told nothing is asked again."""
PATIENCE = 5.0
"""Seconds that a tab has to tell: one that changes its process may never answer."""

Shown = Callable[[tuple[str, ...]], None]


async def browse(executable: str | None, start: str | None, shown: Shown, ended: asyncio.Event) -> None:
    """Show a browser until it is closed or `ended` is set; tell the way to each page. Raises NoBrowser.

    It is driven through a pipe: there is no port that anybody could connect to. Its profile is new, and
    forgotten.
    """
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable,
                headless=False,
                args=list(FLAGS),
                chromium_sandbox=not is_root(),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                ignore_default_args=["--disable-popup-blocking"],  # Playwright's default
            )
        except (Error, OSError) as error:
            why = "there is no screen" if "XServer" in str(error) else first_line(error)
            raise NoBrowser(why) from None
        browser.on("disconnected", lambda _: ended.set())
        context = await browser.new_context(no_viewport=True, accept_downloads=False)
        tabs = _Tabs(context, shown, ended)
        page = await context.new_page()
        if start is not None:
            with suppress(Error):  # it is shown what failed
                await page.goto(start)
        await ended.wait()
        tabs.close()
        with suppress(Error):
            await browser.close()


class _Tabs:
    """The open tabs, each with the way to its page."""

    def __init__(self, context: BrowserContext, shown: Shown, ended: asyncio.Event) -> None:
        self._context, self._shown, self._ended = context, shown, ended
        self._ways: dict[Page, Callable[[], Awaitable[tuple[str, ...]]]] = {}  # as they are when asked for
        self._tasks: set[asyncio.Task[None]] = set()
        context.on("page", lambda page: self._start(self._follow(page)))

    def close(self) -> None:
        """Look at no tab any more."""
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Any) -> None:
        self._tasks.add(task := asyncio.ensure_future(work))
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, page: Page) -> None:
        """Note where a tab goes, from the page on that opened it."""
        has_moved = asyncio.Event()
        has_moved.set()  # it may have, before anybody could look
        page.on("framenavigated", lambda frame: has_moved.set() if frame == page.main_frame else None)
        page.on("close", lambda _: self._closed(page))
        before: tuple[str, ...] | None = None
        kinds: dict[int, HistoryStep] = {}

        async def way_here() -> tuple[str, ...]:
            session = await self._context.new_cdp_session(page)
            history = await session.send("Page.getNavigationHistory")
            await session.detach()
            return way(before or (), _steps(history, kinds))

        self._ways[page] = way_here
        while not page.is_closed():
            await has_moved.wait()
            has_moved.clear()
            try:
                async with asyncio.timeout(PATIENCE):
                    if before is None:
                        before = await self._way_to(await page.opener())
                    self._shown(await way_here())
            except (Error, TimeoutError):  # on its way from one process to another, for one
                has_moved.set()
                await asyncio.sleep(AGAIN)

    async def _way_to(self, opener: Page | None) -> tuple[str, ...]:
        """Return the way to the page that a tab shows now: it may have moved a moment ago."""
        way_there = self._ways.get(opener) if opener is not None else None
        with suppress(Error):  # of an opener that is gone
            return () if way_there is None else await way_there()
        return ()

    def _closed(self, page: Page) -> None:
        self._ways.pop(page, None)
        if not self._context.pages:
            self._ended.set()


def _steps(history: dict[str, Any], known: dict[int, HistoryStep]) -> list[HistoryStep]:
    """Return the steps of a tab to the page that it shows, and add them to those that are known by number.

    A history forgets all but 50 entries, and how a page was reached when it is loaded again.
    """
    entries = history["entries"][: history["currentIndex"] + 1]
    earlier = [step for number, step in known.items() if number < entries[0]["id"]]
    for entry in entries:
        is_link = entry["transitionType"] == LINK
        step = known.setdefault(entry["id"], HistoryStep(entry["url"], is_link))
        known[entry["id"]] = step._replace(url=entry["url"])
    return earlier + [known[entry["id"]] for entry in entries]
