"""Decides which pages are fetched again in a browser, and takes the better of both forms."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Self, TypeAlias

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from focused_crawler.crawl.analysis import Analysis, takes_long
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.edge.failures import asked_host
from focused_crawler.edge.rendering.chromium import NoBrowser, find_browser, is_root
from focused_crawler.edge.rendering.ledger import RenderBudget, RenderLedger, View, is_better
from focused_crawler.edge.rendering.needs import MANY_WORDS, Sign, has_scripts, read_signs, why_needed
from focused_crawler.edge.rendering.rules import slot_of
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.aside import Aside
from focused_crawler.safety.extras import is_here, missing
from focused_crawler.safety.printable import printable

if TYPE_CHECKING:
    from focused_crawler.edge.rendering.renderer import Renderer

RENDER = "render"
logger = logging.getLogger(__name__)

Analyse: TypeAlias = Callable[[Request, Response], Awaitable[Analysis]]


class Rendering:
    """Renders the pages that need it, where it has paid, as far as the budget goes.

    It is part of the page's lease. Nothing of a browser is loaded before the first page needs one; where
    there is none, that is logged once, and pages are taken as they were sent.
    """

    def __init__(self, crawler: Crawler, session: CrawlSession, aside: Aside) -> None:
        config = session.crawl.plan.config
        self._crawler = crawler
        self._session = session
        self._aside = aside
        self._analyst = session.crawl.plan.analyst
        self._settings = config.rendering
        self._mode = _mode(config.rendering.mode, is_recorded=config.web is not None)
        self._ledger = RenderLedger()
        self._budget = RenderBudget(config.rendering.share)
        self._renderer: Renderer | None = None

    @classmethod
    def of(cls, crawler: Crawler, session: CrawlSession, aside: Aside) -> Self | None:
        """Return what renders a crawl's pages, None where none are to be."""
        rendering = cls(crawler, session, aside)
        if rendering._settings.mode in {"needed", "all"} and not is_here(RENDER):
            raise missing(RENDER)
        return None if rendering._mode == "off" else rendering

    async def better(
        self, request: Request, response: Response, sent: Analysis, analyse: Analyse
    ) -> tuple[Response, Analysis]:
        """Return the form of a page with more text, and its analysis: as it was sent, or as it is shown."""
        host = asked_host(response.url)
        sign = await self._sign(request, response, sent, host)
        rendered = await self._rendered(request, response) if sign is not None else None
        if sign is None or rendered is None:
            return response, sent
        try:
            shown = await analyse(request, rendered)
        except UnparsablePage:
            return response, sent
        gained = is_better(self._view(shown), self._view(sent))
        self._ledger.record(host, sign, gained=gained, relevant=shown.is_relevant)
        if not gained:
            return response, sent
        self._crawler.stats.inc_value("focused/rendered/gained")
        return rendered, shown

    async def close(self) -> None:
        """End the browser."""
        if self._renderer is not None:
            await self._renderer.close()

    async def _sign(self, request: Request, response: Response, sent: Analysis, host: str) -> Sign | None:
        """Return for which sign a page is to be rendered, None if it is not to be; counts the page."""
        if self._mode == "off":
            return None
        if self._mode == "all":
            return "host"
        sign = await self._found(response, sent, host)
        if sign is None or not self._ledger.is_worth_trying(host, sign):
            self._budget.pass_over()
            return None
        promise = self._ledger.promise(host, sign) * (0.1 + float(request.meta.get(meta.PRIORITY, 0.0)))
        if not self._budget.grants(promise):
            self._crawler.stats.inc_value("focused/rendered/denied")
            return None
        return sign

    async def _found(self, response: Response, sent: Analysis, host: str) -> Sign | None:
        other: Sign | None = "host" if self._ledger.has_gained(host) else None
        if (sent.words >= MANY_WORDS and other is None) or not has_scripts(response.body):
            return None
        body, encoding = response.body, response.encoding if isinstance(response, TextResponse) else None
        signs = await self._aside.do(lambda: read_signs(body, encoding), is_long=takes_long(body))
        view = self._view(sent)
        return why_needed(signs, view.words, view.links) or (other if signs.scripts else None)

    def _view(self, analysis: Analysis) -> View:
        self._analyst.partition(analysis)
        return View(analysis.words, analysis.links or 0, analysis.is_relevant)

    async def _rendered(self, request: Request, response: Response) -> Response | None:
        try:
            with self._session.crawl.steps.timing("render"):
                rendered, hosts = await self._ready().render(response, request.meta[meta.LEASE])
        except NoBrowser as error:
            if self._mode != "off":
                logger.warning(
                    "Pages are taken as they are sent, without a browser: %s", printable(str(error))
                )
            self._mode = "off"
            return None
        self._were_asked(hosts)
        return rendered

    def _ready(self) -> Renderer:
        if not is_here(RENDER):
            raise NoBrowser(str(missing(RENDER)))
        from focused_crawler.edge.rendering.renderer import Renderer  # noqa: PLC0415  (loads Playwright)

        if self._settings.mode == "auto" and is_root():
            raise NoBrowser("as root it has no sandbox; FOCUSED_RENDER=needed renders all the same")
        if self._renderer is None:
            limit = int(self._crawler.settings["FOCUSED_MAX_PAGE_BYTES"])
            self._renderer = Renderer(self._crawler, find_browser(self._settings.browser), limit)
        return self._renderer

    def _were_asked(self, hosts: dict[str, int]) -> None:
        """Let hosts rest: what was asked of one at once counts as if its delay had been obeyed."""
        crawl, now = self._session.crawl, time.time()
        if not crawl.is_polite:
            return
        with self._session.keeping():
            for host, times in hosts.items():
                crawl.frontier.asked(host, now + (times - 1) * self._delay(host))

    def _delay(self, host: str) -> float:
        """Return the seconds between two requests to a host, its Crawl-delay included while it is known."""
        slots, delay = self._crawler.engine.downloader.slots, self._session.crawl.plan.config.host_delay
        names = (host, host.partition(":")[0], slot_of(host))
        return max([delay, *(slots[name].delay for name in names if name in slots)])


def _mode(mode: str, *, is_recorded: bool) -> str:
    """Return what a mode comes to, "auto" included."""
    if mode != "auto":
        return mode
    return "off" if is_recorded else "needed"
