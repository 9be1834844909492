from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.failure import Failure
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.edge.failures import NoPage
from focused_crawler.edge.http import PageResponse
from focused_crawler.edge.middlewares.page_classifier import PageClassifierMiddleware
from focused_crawler.frontier.base import LONGEST_WAIT, Candidate
from tests.wired import TOPIC, leased, wired

URL = "http://bees.example/"
HTML = b"<title>Bees</title><p>Bees keep honey in the hive. A bee, its hive, its honey."


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    with wired(tmp_path, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS_PER_DOMAIN=8) as crawler:
        yield crawler


@pytest.fixture
def crawl(crawler: Crawler) -> Crawl:
    """The crawl of it, with one URL out."""
    crawl = crawl_of(crawler)
    crawl.frontier.add([Candidate(URL, 1.0)])
    crawl.next_visit(time())
    return crawl


@pytest.fixture
def middleware(crawler: Crawler, crawl: Crawl) -> PageClassifierMiddleware:
    return PageClassifierMiddleware.from_crawler(crawler)


async def classified(
    middleware: PageClassifierMiddleware, response: Response, **values: object
) -> Response | PageResponse:
    return await middleware.process_response(Request(URL, meta=leased(URL, **values)), response)


@pytest.mark.asyncio
async def test_a_page_is_parsed_and_judged(middleware: PageClassifierMiddleware) -> None:
    """The response carries its page from here on; all else of it stays."""
    response = HtmlResponse(URL, body=HTML, headers={"Server": "x"})
    result = await classified(middleware, response, **{meta.DEPTH: 3, meta.PATH: b"\xff"})
    assert isinstance(result, PageResponse)
    assert (result.url, result.body, result.headers["Server"]) == (URL, HTML, b"x")
    assert (result.page.title, result.page.depth, result.page.path) == ("Bees", 3, b"\xff")
    assert result.page.is_relevant
    assert 0.5 < result.page.relevance <= 1.0
    assert not result.has_item


@pytest.mark.asyncio
async def test_the_threshold_is_the_topics(tmp_path: Path) -> None:
    """From it on a page is relevant."""
    with wired(tmp_path, TOPIC=f"{TOPIC}[thresholds]\nrelevance = 1.0") as crawler:
        middleware = PageClassifierMiddleware.from_crawler(crawler)
        result = await classified(middleware, HtmlResponse(URL, body=HTML))
        assert not result.page.is_relevant


@pytest.mark.asyncio
async def test_what_was_not_leased_is_no_page(middleware: PageClassifierMiddleware) -> None:
    """Robots.txt, and a user's own requests, pass as they are, errors too."""
    response = Response("http://bees.example/robots.txt", status=500)
    assert await middleware.process_response(Request(URL), response) is response


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "retry", "host"),
    [
        (404, False, None),
        (410, False, None),
        (403, False, None),
        (204, False, None),
        (500, True, None),
        (429, True, "bees.example"),
        (503, True, "bees.example"),
    ],
)
async def test_only_200_is_a_page(
    status: int, retry: bool, host: str | None, middleware: PageClassifierMiddleware
) -> None:
    """What a server may mend is worth another try; 429 and 503 speak for the whole host."""
    with pytest.raises(NoPage) as raised:
        await classified(middleware, HtmlResponse(URL, status=status, body=HTML))
    assert raised.value.failure == Failure(f"http_{status}", retry, None, host)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("999999999", LONGEST_WAIT),
        ("soon", None),
        ("-1", None),
        ("²", None),
        ("", None),
    ],
)
async def test_retry_after(header: str, seconds: float | None, middleware: PageClassifierMiddleware) -> None:
    """In seconds, and no longer than we are willing to wait; else as if nothing had been said."""
    assert await retry_after(header, middleware) == seconds


@pytest.mark.asyncio
@pytest.mark.parametrize(("ahead", "seconds"), [(600, 600), (-60, 0)])
async def test_retry_after_a_date(ahead: int, seconds: int, middleware: PageClassifierMiddleware) -> None:
    """The date is made here, not when tests are collected: a suite runs for minutes."""
    before = time()
    waits = await retry_after(formatdate(before + ahead, usegmt=True), middleware)
    assert waits is not None
    assert max(seconds - (time() - before) - 1, 0) <= waits <= seconds


async def retry_after(header: str, middleware: PageClassifierMiddleware) -> float | None:
    """The wait that the page's failure carries when its server says this."""
    response = HtmlResponse(URL, status=503, headers={"Retry-After": header.encode("latin-1")})
    with pytest.raises(NoPage) as raised:
        await classified(middleware, response)
    return raised.value.failure.retry_after


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (Response(URL, body=b"\x00\x01"), "not_html"),
        (HtmlResponse(URL, body=b""), "unparsable"),
        (HtmlResponse(URL, body=b"%PDF-1.7"), "unparsable"),
    ],
    ids=["bytes", "empty", "PDF"],
)
async def test_what_cannot_be_read(
    response: Response, reason: str, middleware: PageClassifierMiddleware
) -> None:
    """Never tried again."""
    with pytest.raises(NoPage) as raised:
        await classified(middleware, response)
    assert raised.value.failure == Failure(reason, retry=False)


@pytest.mark.asyncio
async def test_two_redirects_to_one_page(middleware: PageClassifierMiddleware, crawl: Crawl) -> None:
    """Give it once: the second one is known."""
    other = "http://bees.example/other"
    crawl.frontier.add([Candidate(other, 1.0)])
    crawl.next_visit(time())
    response = HtmlResponse("http://bees.example/end", body=HTML)
    assert isinstance(await classified(middleware, response), PageResponse)
    with pytest.raises(NoPage) as raised:
        await middleware.process_response(Request(other, meta=leased(other)), response)
    assert raised.value.failure.reason == "redirect_to_known"
