"""scrapy-playwright's download handler with one browser, and a context of its own for each page."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from itertools import count

from playwright.async_api import CDPSession, Error, Page
from playwright.async_api import Response as Answer
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from focused_crawler.edge.failures import take_note
from focused_crawler.edge.rendering.chromium import launch_options

NAVIGATION_SECONDS = 10
PAGES_AT_A_TIME = 4


class BrowserDownloadHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """Renders requests; is called by the renderer alone, never by Scrapy's downloader.

    The browser is started by `launch`, not with the crawl. No setting that a user has for scrapy-playwright
    reaches it: a browser that is reached otherwise (PLAYWRIGHT_CDP_URL) would have a network of its own.
    """

    def __init__(self, crawler: Crawler, executable: str | None) -> None:
        super().__init__(crawler)
        self.config = Config.from_settings(
            Settings(
                {
                    "PLAYWRIGHT_LAUNCH_OPTIONS": launch_options(executable),
                    "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": NAVIGATION_SECONDS * 1000,
                    "PLAYWRIGHT_RESTART_DISCONNECTED_BROWSER": False,
                }
            )
        )
        self.config.target_closed_max_retries = 0  # a page that brings the browser down is not shown again
        self.browser_provider_cls = PlaywrightBrowserProvider
        self.process_request_headers, self.abort_request = None, None
        self._numbers = count(1)
        self._agent = str(crawler.settings["USER_AGENT"])
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)  # what fails is counted, in one line

    async def launch(self) -> CDPSession:
        """Start Playwright's driver and the browser, and talk with it; raises Playwright's Error."""
        await self._launch()
        manager = self.browser_provider.playwright_context_manager
        transport = getattr(getattr(manager, "_client", None), "_transport", None)
        end = getattr(transport, "on_error_future", None)
        if end is not None:  # asyncio would log how the driver ended, which the next call says
            end.add_done_callback(take_note)
        await self._maybe_launch_browser()
        session: CDPSession = await self.browser.new_browser_cdp_session()
        return session

    async def render(self, request: Request) -> Response:
        """Return the page of a request as the browser shows it; raises Playwright's Error."""
        name = f"page {next(self._numbers)}"
        request.meta["playwright_context"] = name
        request.meta["playwright_context_kwargs"] = {
            "user_agent": self._agent,
            "service_workers": "block",
            "accept_downloads": False,
            "reduced_motion": "reduce",
        }
        response: Response = await self.download_request(request)
        return response

    async def _get_response_and_download(
        self, request: Request, page: Page, spider: Spider
    ) -> tuple[Answer | None, None]:
        """Go to the page, and wait for no download: none is accepted.

        Nor listen to each answer, as scrapy-playwright does for downloads: what its listener asks of a
        browser that has gone is an error that Playwright logs with its traceback and raises in the next call.
        """
        answer = await page.goto(request.url, **request.meta["playwright_page_goto_kwargs"])
        if answer is not None:  # of its headers asyncio would log the same, if they are waited for in vain
            headers = asyncio.ensure_future(answer.all_headers())
            headers.add_done_callback(take_note)
        return answer, None

    async def _apply_page_methods(self, page: Page, request: Request, spider: Spider) -> None:
        """Apply them, and do not wait for the load event in the end: a page may keep it from coming.

        Its HTML is read next, and encoded, which half a character cannot be: scripts leave one where they cut
        a text within an emoji.
        """
        for method in request.meta["playwright_page_methods"]:
            await method.method(page)
        html = page.content

        async def encodable() -> str:
            return (await html()).encode("utf-8", "replace").decode()

        page.content = encodable  # type: ignore[method-assign, assignment]

    async def forget(self, request: Request) -> None:
        """Close the context of a request, and its page with it."""
        wrapper = self.context_wrappers.pop(request.meta["playwright_context"], None)
        if wrapper is not None:
            with suppress(Error):
                await wrapper.context.close()


async def process_ids(session: CDPSession) -> list[int]:
    """Return the processes of a browser, its own first."""
    answer = await session.send("SystemInfo.getProcessInfo")
    found = sorted(answer["processInfo"], key=lambda process: process["type"] != "browser")
    return [int(process["id"]) for process in found]
