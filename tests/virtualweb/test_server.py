from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import aiohttp
import pytest

from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.server import WebServer

HTML = {"Content-Type": "text/html; charset=utf-8"}
pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def serving(path: Path, log: io.StringIO | None = None) -> AsyncIterator[str]:
    with VirtualWeb(path) as web:
        server = WebServer(web, log)
        try:
            yield f"http://127.0.0.1:{await server.start('127.0.0.1', 0)}"
        finally:
            await server.stop()


async def get(base: str, host: str, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    async with (
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.request(method, base + path, headers={"Host": host}, allow_redirects=False) as response,
    ):
        return response.status, dict(response.headers), await response.read()


async def test_the_host_header_says_which_site(make_web: Callable[..., Path]) -> None:
    """One port, many sites; 404 for what there is not."""
    path = make_web(
        ("http://a.example/x?q=1", 200, HTML, b"of a"),
        ("https://www.b.example/x", 200, {**HTML, "X-One": "1", "Connection": "close"}, b"of b"),
        ("http://a.example/moved", 301, {"Location": "http://b.example/x"}, b""),
        ("http://a.example/broken", 500, HTML, b"oops"),
    )
    log = io.StringIO()
    async with serving(path, log) as base:
        assert (await get(base, "a.example", "/x?q=1"))[::2] == (200, b"of a")
        status, headers, body = await get(base, "b.example", "/x")
        assert (status, headers["X-One"], headers["Content-Type"], body) == (
            200,
            "1",
            HTML["Content-Type"],
            b"of b",
        )
        status, headers, body = await get(base, "a.example", "/moved")
        assert (status, headers["Location"], body) == (301, "http://b.example/x", b"")
        assert (await get(base, "a.example", "/broken"))[::2] == (500, b"oops")
        assert (await get(base, "c.example", "/x"))[::2] == (404, b"")
    assert log.getvalue().splitlines()[:2] == ["200 http://a.example/x?q=1", "200 http://b.example/x"]


async def test_head_has_the_length_and_no_body(make_web: Callable[..., Path]) -> None:
    """HEAD answers as GET does, less the body; other methods are refused."""
    async with serving(make_web(("http://a.example/", 200, HTML, b"hello"))) as base:
        status, headers, body = await get(base, "a.example", "/", "HEAD")
        assert (status, headers["Content-Length"], body) == (200, "5", b"")
        assert (await get(base, "a.example", "/", "POST"))[0] == 405


async def test_it_is_a_proxy_too(make_web: Callable[..., Path]) -> None:
    """An absolute URL in the request line names the page; a tunnel for https is refused."""
    async with (
        serving(make_web(("http://a.example/x", 200, HTML, b"of a"))) as base,
        aiohttp.ClientSession() as session,
    ):
        async with session.get("http://a.example/x", proxy=base) as response:
            assert await response.read() == b"of a"
        with pytest.raises(aiohttp.ClientHttpProxyError, match="501"):
            await session.get("https://a.example/x", proxy=base)


async def test_slow_pages_hold_nobody_up(
    make_web: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow record comes late, and others meanwhile: it is held until they are there."""
    waits, is_held, may_go_on = [], asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if seconds:
            is_held.set()
            await may_go_on.wait()

    monkeypatch.setattr("focused_crawler.virtualweb.server.asyncio", SimpleNamespace(sleep=sleep))
    path = make_web(
        ("http://a.example/slow", 200, {**HTML, "X-Demo-Latency": "0.3"}, b"slow"),
        ("http://a.example/fast", 200, {**HTML, "X-Demo-Latency": "nonsense"}, b"fast"),
        ("http://a.example/odd", 200, {**HTML, "X-Demo-Latency": "nan"}, b"odd"),
    )
    async with serving(path) as base:
        slow = asyncio.create_task(get(base, "a.example", "/slow"))
        await is_held.wait()
        assert (await get(base, "a.example", "/fast"))[2] == b"fast"
        assert (await get(base, "a.example", "/odd"))[2] == b"odd"
        assert not slow.done()
        may_go_on.set()
        assert (await slow)[2] == b"slow"
    assert waits == [0.3, 0.0, 0.0]


@pytest.mark.parametrize(
    "request_line",
    [b"GET", b"GET / HTTP/1.1\r\nHost: a\x00b", b"\x16\x03\x01", b"GET http://[/ HTTP/1.1\r\nHost: x"],
)
async def test_bad_requests_do_not_end_it(make_web: Callable[..., Path], request_line: bytes) -> None:
    """After rubbish it still serves."""
    async with serving(make_web(("http://a.example/", 200, HTML, b"."))) as base:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(request_line + b"\r\n\r\n")
        assert (await reader.readline()).split()[1] in (b"400", b"404")
        writer.close()
        await writer.wait_closed()
        assert (await get(base, "a.example", "/"))[0] == 200


async def test_odd_records_are_served_as_well_as_can_be(demo: Path) -> None:
    """Every record of the attic has some answer."""
    with VirtualWeb(demo) as web:
        paths = [entry.url.partition(".example")[2] for entry in web.entries() if "//attic" in entry.url]
    async with serving(demo) as base:
        statuses = [(await get(base, "attic.example", path))[0] for path in paths]
    assert len(statuses) > 20
    assert set(statuses) <= {200, 301, 302, 404, 410, 500, 503}


async def test_headers_that_may_not_be_sent_end_no_answer(make_web: Callable[..., Path]) -> None:
    """A control character becomes a space; what is no name of a header is left out. All others are there."""
    odd = {**HTML, "X-Red": "\x1b[31mred\x00", "X \x1b": "1", "": "2", "Link": "</a>", "link": "</b>"}
    async with serving(make_web(("http://a.example/", 200, odd, b"."))) as base:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.0\r\nHost: a.example\r\n\r\n")
        lines = (await reader.read()).split(b"\r\n")
        writer.close()
        await writer.wait_closed()
    assert lines[2:5] == [b"X-Red:  [31mred ", b"Link: </a>", b"link: </b>"]


async def test_a_port_in_use_is_one_clear_line(make_web: Callable[..., Path]) -> None:
    """The error names the address."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    async with serving(path) as base:
        port = int(base.rpartition(":")[2])
        with VirtualWeb(path) as web, pytest.raises(WebError, match=f"127.0.0.1:{port}"):
            await WebServer(web).start("127.0.0.1", port)


async def test_what_the_client_has_is_not_sent_again(make_web: Callable[..., Path]) -> None:
    """By tag or by date; with another version, or none, the page is."""
    path = make_web(
        ("http://a.example/tag", 200, {**HTML, "ETag": '"1"'}, b"tagged"),
        ("http://a.example/date", 200, {**HTML, "Last-Modified": "Mon, 06 Jan 2025 10:00:00 GMT"}, b"dated"),
    )
    log = io.StringIO()
    async with serving(path, log) as base, aiohttp.ClientSession() as session:
        for page, header, value, status in (
            ("tag", "If-None-Match", '"1"', 304),
            ("tag", "If-None-Match", '"0"', 200),
            ("date", "If-Modified-Since", "Mon, 06 Jan 2025 10:00:00 GMT", 304),
            ("date", "If-Modified-Since", "Sun, 05 Jan 2025 10:00:00 GMT", 200),
        ):
            async with session.get(
                f"{base}/{page}", headers={"Host": "a.example", header: value}
            ) as response:
                assert response.status == status
                assert bool(await response.read()) == (status == 200)
    assert log.getvalue().split()[::2] == ["304", "200", "304", "200"]
