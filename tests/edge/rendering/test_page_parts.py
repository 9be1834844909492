"""What a page gets of what it asks for, without a browser: its requests are made up, and the answers too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from focused_crawler.edge import meta
from focused_crawler.edge.download.slots import ForgetfulDownloader
from focused_crawler.edge.rendering.parts import PageParts
from focused_crawler.edge.rendering.rules import MOST_BYTES, MOST_PARTS, PARTS_AT_A_TIME, PartCache
from tests.wired import wired

LEASE = "http://bees.example/first"
MIB = 1024 * 1024
URLS = [f"http://h{number}.example/x" for number in range(MOST_PARTS)]


@dataclass
class Engine:
    """Answers what is asked of the crawler's own, and remembers it."""

    crawler: Crawler
    size: int = 1
    is_cut: bool = False  # what is longer than it may be
    sent: list[Request] = field(default_factory=list)
    under_way: int = 0
    most: int = 0
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    downloader: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(slots={}))

    async def download_async(self, request: Request) -> Response:
        self.reach(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.has_begun.set()
        await self.may_end.wait()
        await asyncio.sleep(0.01)
        self.under_way -= 1
        if self.is_cut:
            raise DownloadCancelledError("too long")
        if request.url.endswith("/bounce"):
            self.reach(request.replace(url="http://other.example/"))
        return Response(request.url, body=b"x" * self.size)

    def reach(self, request: Request) -> None:
        self.sent.append(request)
        self.crawler.signals.send_catch_log(signals.request_reached_downloader, request=request, spider=None)


@dataclass
class Asked:
    """A request of the page's scripts, and what became of it."""

    url: str
    resource_type: str = "fetch"
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    given: bytes | None = None

    @property
    def request(self) -> Asked:
        return self

    def is_navigation_request(self) -> bool:
        return False

    async def fulfill(self, *, body: bytes, **_: object) -> None:
        self.given = body

    async def abort(self) -> None:
        """Give nothing."""


class Page:
    """Asks."""

    def __init__(self) -> None:
        self.context = SimpleNamespace(route=_nothing, route_web_socket=_nothing)
        self.answer: Callable[[Asked], Awaitable[None]]

    async def route(self, _: str, answer: Callable[[Asked], Awaitable[None]]) -> None:
        self.answer = answer

    async def ask(self, engine: Engine, urls: list[str] = URLS) -> list[Asked]:
        """Ask for all of them at once, and let them come."""
        engine.may_end.set()
        return await self.begin(urls)

    async def begin(self, urls: list[str] = URLS) -> list[Asked]:
        asked = [Asked(url) for url in urls]
        await asyncio.gather(*map(self.answer, asked))
        return asked


async def _nothing(*_: object) -> None:
    pass


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    with wired(tmp_path) as crawler:
        yield crawler


async def begun(crawler: Crawler, **values: Any) -> tuple[Engine, PageParts, Page]:
    """Return a page that may ask, what answers it, and what fetches that."""
    crawler.engine = engine = Engine(crawler, **values)
    parts = PageParts(crawler, HtmlResponse("http://bees.example/"), LEASE, PartCache())
    page = Page()
    await parts.attach(page, Request("http://bees.example/"))
    return engine, parts, page


def blocked(crawler: Crawler, reason: str) -> int:
    return crawler.stats.get_value(f"focused/rendered/blocked/{reason}", 0)


@pytest.mark.asyncio
async def test_hosts_are_not_forgotten_while_their_robots_txt_is_asked(crawler: Crawler) -> None:
    """Their pages' delay is none of what a page asks for, which waits for its rules first."""
    engine, parts, page = await begun(crawler)
    handlers = dict.fromkeys(("http", "https", "ftp", "file", "data", "s3"))
    settings = {"DOWNLOAD_DELAY": 1.0, "DOWNLOAD_HANDLERS": handlers}
    engine.downloader = downloader = ForgetfulDownloader(get_crawler(settings_dict=settings))
    asking = asyncio.ensure_future(page.begin(["http://cdn.example/app.js"]))
    await engine.has_begun.wait()
    downloader._slot_gc()
    _, slot = downloader._get_slot(engine.sent[0])
    assert (slot.delay, slot.concurrency) == (0.0, 2)
    engine.may_end.set()
    await asking
    downloader.close()
    parts.end()


@pytest.mark.asyncio
async def test_what_is_asked_for_at_once_has_a_limit(crawler: Crawler) -> None:
    """It is looked at as the parts come, a few at a time; what has not come by then does not."""
    engine, parts, page = await begun(crawler, size=MIB)
    asked = await page.ask(engine)
    assert sum(len(part.given or b"") for part in asked) == MOST_BYTES
    assert engine.most == PARTS_AT_A_TIME
    assert len(engine.sent) <= MOST_BYTES // MIB + PARTS_AT_A_TIME
    assert blocked(crawler, "limit") == MOST_PARTS - MOST_BYTES // MIB
    parts.end()


@pytest.mark.asyncio
async def test_a_part_that_goes_beyond_the_limit_is_the_last(crawler: Crawler) -> None:
    """The page does not get it; each that came before it let one more be asked for, if they came apart."""
    engine, parts, page = await begun(crawler, size=3 * MIB)
    asked = await page.ask(engine)
    given = sum(part.given is not None for part in asked)
    assert given == 2
    assert PARTS_AT_A_TIME <= len(engine.sent) <= PARTS_AT_A_TIME + given
    parts.end()


@pytest.mark.asyncio
async def test_parts_that_were_cut_count(crawler: Crawler) -> None:
    """As the bytes that came of them."""
    engine, parts, page = await begun(crawler, is_cut=True)
    await page.ask(engine)
    assert len(engine.sent) <= 2 + PARTS_AT_A_TIME
    assert blocked(crawler, "too_large") == len(engine.sent)
    assert blocked(crawler, "limit") == MOST_PARTS - len(engine.sent)
    parts.end()


@pytest.mark.asyncio
async def test_what_waits_when_a_page_is_over_is_not_sent(crawler: Crawler) -> None:
    """What is under way ends by itself."""
    engine, parts, page = await begun(crawler)
    asking = asyncio.ensure_future(page.begin())
    await engine.has_begun.wait()
    parts.end()
    assert not any(part.given for part in await asking)
    engine.may_end.set()
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
    assert len(engine.sent) <= PARTS_AT_A_TIME
    assert blocked(crawler, "over") == MOST_PARTS - len(engine.sent)


@pytest.mark.asyncio
async def test_parts_belong_to_the_lease_of_their_page(crawler: Crawler) -> None:
    """So that they are not sent when it was lost; their hosts are counted, where redirects lead too."""
    engine, parts, page = await begun(crawler)
    await page.ask(
        engine, [f"http://a.example/{number}" for number in range(3)] + ["http://b.example:81/bounce"]
    )
    assert {request.meta[meta.ASKED_FOR] for request in engine.sent} == {LEASE}
    engine.reach(Request("http://c.example/", meta={meta.LEASE: LEASE}))
    engine.reach(Request("http://c.example/robots.txt", meta={meta.ASKED_FOR: LEASE}))
    engine.reach(Request("http://c.example/x.js", meta={meta.ASKED_FOR: "another", meta.PART: "another"}))
    assert parts.hosts == {"a.example": 3, "b.example:81": 1, "other.example": 1}
    parts.end()
    parts.end()
