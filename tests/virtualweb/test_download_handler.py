from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from scrapy import Request, Spider, signals
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, NotConfigured, StopDownload
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from focused_crawler.edge.download.virtual_web import (
    VirtualWebDownloadHandler,
    web_from_settings,
)
from focused_crawler.safety.errors import ConfigError, WebError
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.writer import WebWriter

HTML = {"Content-Type": "text/html; charset=iso-8859-1"}
pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def make_handler(
    make_web: Callable[..., Path],
) -> AsyncIterator[Callable[..., VirtualWebDownloadHandler]]:
    handlers: list[VirtualWebDownloadHandler] = []

    def make(*answers: Any, **settings: Any) -> VirtualWebDownloadHandler:
        crawler = get_crawler(Spider, {"FOCUSED_WEB": str(make_web(*answers)), **settings})
        crawler.spider = Spider("test")
        handlers.append(VirtualWebDownloadHandler.from_crawler(crawler))
        return handlers[-1]

    yield make
    for handler in handlers:
        await handler.close()


MakeHandler = Callable[..., VirtualWebDownloadHandler]
PAGE = ("https://www.a.example/Page/", 200, HTML, "<p>caf\u00e9".encode("latin-1"))


async def test_pages_come_as_from_the_web(make_handler: MakeHandler) -> None:
    """The class follows the content type, the URL is the recorded one."""
    response = await make_handler(PAGE).download_request(Request("http://a.example/page#part"))
    assert isinstance(response, HtmlResponse)
    assert (response.url, response.status, response.text) == (
        "https://www.a.example/Page/",
        200,
        "<p>caf\u00e9",
    )
    assert response.headers["Content-Type"] == b"text/html; charset=iso-8859-1"


@pytest.mark.parametrize("url", ["http://b.example/", "http://a.example/robots.txt"])
async def test_what_the_web_lacks_is_not_found(make_handler: MakeHandler, url: str) -> None:
    """404 with an empty HTML page, for robots.txt too."""
    response = await make_handler(PAGE).download_request(Request(url))
    assert (type(response), response.url, response.status, response.body) == (HtmlResponse, url, 404, b"")


async def test_redirects_and_other_types_come_as_recorded(make_handler: MakeHandler) -> None:
    """Nothing is followed or judged here."""
    handler = make_handler(
        ("http://a.example/old", 302, {"Location": "/new", "Set-Cookie": "a=1"}, b""),
        ("http://a.example/robots.txt", 200, {"Content-Type": "text/plain"}, b"User-agent: *"),
        ("http://a.example/x.pdf", 200, {"Content-Type": "application/pdf"}, b"%PDF\x00\x01"),
    )
    moved = await handler.download_request(Request("http://a.example/old"))
    assert (moved.status, moved.headers["Location"]) == (302, b"/new")
    assert type(await handler.download_request(Request("http://a.example/robots.txt"))) is TextResponse
    assert type(await handler.download_request(Request("http://a.example/x.pdf"))) is Response


async def test_of_two_headers_a_web_goes_by_the_one_that_a_crawl_goes_by(tmp_path: Path) -> None:
    """The last; and a body is packed once for each that says so."""
    head = [("Content-Type", "text/plain"), ("Content-Type", "text/html"), ("Link", "</a>"), ("Link", "</b>")]
    packed = [*head, ("Content-Encoding", "deflate"), ("Content-Encoding", "gzip")]
    moved = [("Location", "/first"), ("location", "/last")]
    with WebWriter(tmp_path / "w.warc.gz") as writer:
        writer.write("http://a.example/", 200, packed, gzip.compress(zlib.compress(b"<p>bees")))
        writer.write("http://a.example/moved", 302, moved, b"")
    handler = VirtualWebDownloadHandler(get_crawler(Spider, {"FOCUSED_WEB": str(tmp_path / "w.warc.gz")}))
    page, redirect = [
        await handler.download_request(Request(f"http://a.example/{name}")) for name in ("", "moved")
    ]
    await handler.close()
    with VirtualWeb(tmp_path / "w.warc.gz") as web:
        record, found = web.get("http://a.example/"), web.find("http://a.example/moved")
        types = [entry.content_type for entry in web.entries()]
    assert record is not None
    assert found is not None
    assert page.headers["Content-Type"].decode() == record.header("content-type") == types[0] == "text/html"
    assert page.headers.getlist("Link") == [b"</a>", b"</b>"]
    assert (page.body, record.body) == (b"<p>bees", b"<p>bees")
    assert found.location == "http://a.example" + redirect.headers["Location"].decode()


async def test_head_has_no_body_and_post_finds_nothing(make_handler: MakeHandler) -> None:
    """A web of recorded pages takes no forms."""
    handler = make_handler(PAGE)
    head = await handler.download_request(Request("http://a.example/page", method="HEAD"))
    assert (head.status, head.body) == (200, b"")
    assert (await handler.download_request(Request("http://a.example/page", method="POST"))).status == 404


async def test_latency_is_waited_for(make_handler: MakeHandler) -> None:
    """The setting for all, the header on top for slow pages; without the setting nobody waits."""
    answers = [
        (f"http://a.example/{seconds}", 200, {**HTML, "X-Demo-Latency": seconds}, b"slow")
        for seconds in ("0.2", "30")
    ]
    for setting, header, expected in ((0, "30", 0.0), (0.1, "0.2", 0.3)):
        handler = make_handler(*answers, FOCUSED_WEB_LATENCY=setting)
        request, started = Request(f"http://a.example/{header}"), time.monotonic()
        await handler.download_request(request)
        assert expected <= time.monotonic() - started < 30
        assert request.meta["download_latency"] == pytest.approx(expected)


async def test_limits_hold_as_on_the_real_web(make_handler: MakeHandler) -> None:
    """Too large and too slow end in the errors that a real download ends in."""
    handler = make_handler(PAGE, FOCUSED_WEB_LATENCY=5, DOWNLOAD_MAXSIZE=3)
    with pytest.raises(DownloadTimeoutError):
        await handler.download_request(Request("http://a.example/page", meta={"download_timeout": 0.05}))
    handler = make_handler(PAGE, DOWNLOAD_MAXSIZE=3)
    with pytest.raises(DownloadCancelledError, match="limit of 3"):
        await handler.download_request(Request("http://a.example/page"))


class Stopper:
    """Stops downloads on a signal."""

    def __init__(self, signal: object, *, fail: bool) -> None:
        self.signal, self.fail, self.facts = signal, fail, dict[str, Any]()

    def stop(self, **facts: Any) -> None:
        self.facts = facts
        raise StopDownload(fail=self.fail)


@pytest.mark.parametrize("fail", [True, False])
@pytest.mark.parametrize(
    ("signal", "body"), [(signals.headers_received, b""), (signals.bytes_received, PAGE[3])]
)
async def test_receivers_can_stop_a_download(
    make_handler: MakeHandler, signal: object, body: bytes, fail: bool
) -> None:
    """headers_received and bytes_received are sent, and StopDownload is obeyed."""
    handler, stopper = make_handler(PAGE), Stopper(signal, fail=fail)
    handler.crawler.signals.connect(stopper.stop, signal)
    try:
        response: Any = await handler.download_request(Request("http://a.example/page"))
        assert not fail
    except StopDownload as error:
        assert fail
        response = error.response
    assert response.flags == ["download_stopped"]
    if not fail:
        assert response.body == body
    if signal is signals.headers_received:
        assert isinstance(stopper.facts["headers"], Headers)
        assert stopper.facts["body_length"] == len(PAGE[3])


@pytest.mark.parametrize("value", [-1, "soon", float("nan"), float("inf"), [1]])
async def test_a_wrong_latency_is_one_clear_line(value: object) -> None:
    """The error names the setting and what would be right."""
    with pytest.raises(ConfigError, match=r"FOCUSED_WEB_LATENCY is .*; use a number of 0 or more"):
        web_from_settings(get_crawler(Spider, {"FOCUSED_WEB_LATENCY": value}).settings)


async def test_a_missing_web_is_one_clear_line(tmp_path: Path) -> None:
    """Found when settings are checked; without the setting there is no handler."""
    with pytest.raises(WebError, match="no web at"):
        web_from_settings(get_crawler(Spider, {"FOCUSED_WEB": str(tmp_path / "nope.warc.gz")}).settings)
    assert web_from_settings(get_crawler(Spider).settings) is None
    with pytest.raises(NotConfigured):
        VirtualWebDownloadHandler.from_crawler(get_crawler(Spider))


async def test_what_the_client_has_is_not_sent_again(make_handler: MakeHandler) -> None:
    """A 304 without a body, and the tag once more."""
    handler = make_handler((PAGE[0], 200, {**HTML, "ETag": '"1"'}, PAGE[3]))
    response = await handler.download_request(Request(PAGE[0], headers={"If-None-Match": '"1"'}))
    assert (response.status, response.body, response.headers[b"ETag"]) == (304, b"", b'"1"')
    response = await handler.download_request(Request(PAGE[0], headers={"If-None-Match": '"2"'}))
    assert (response.status, response.body) == (200, PAGE[3])
