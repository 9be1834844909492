"""What serves webs and metrics, and is sent what is no request: it says so once, and goes on."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from aiohttp import web

from focused_crawler.safety.http_server import MOST_CONNECTIONS, BoundedServer
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import write_topic
from tests.hostile.real import QUICK
from tests.hostile.web import hostile_web
from tests.project import Running, Scrapy, crawl, until

GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
BAD = {
    "garbage": bytes(range(256)) + b"\r\n\r\n",
    "no end of garbage": b"\x16\x03\x01" * 200_000,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "endless request line": b"GET /" + b"x" * 1_000_000,
    "endless header": GET + b"X: " + b"x" * 1_000_000,
    "endless headers": GET + b"X-One: 1\r\n" * 100_000,
    "odd method": b"G\x00T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "method in brackets": b"<script> / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "unknown version": b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "no header": GET + b"no colon\r\n\r\n",
    "length of words": GET + b"Content-Length: many\r\n\r\n",
    "length below 0": GET + b"Content-Length: -1\r\n\r\n",
    "two lengths": GET + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "length and chunks": GET + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "odd chunks": GET + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "control characters": GET + b"X: \x00\x1b[31m\r\n\r\n",
    "odd bracket": b"GET http://[::1/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "odd port": b"GET http://localhost:99999999/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
}
ODD = {
    "no version": b"GET /\r\n\r\n",
    "path of bytes": b"GET /\xff\xfe\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "path of characters": "GET /é\u2028 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
    "host of bytes": b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "odd host": b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "odd escape": b"GET /%zz%00%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "star": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "upgrade": GET + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n\x00\xff",
    "no end of chunks": GET + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    "expectation": GET + b"Expect: the unexpected\r\n\r\n",
}
"""Requests that may be answered in one way or another."""


def answer_to(port: int, data: bytes) -> str:
    """Return the first line of an answer; empty: the connection was closed, or reset."""
    with closing(socket.create_connection(("127.0.0.1", port), 20)) as sock:
        with suppress(ConnectionError):
            sock.sendall(data)
        try:
            return sock.recv(4096).partition(b"\r\n")[0].decode("latin-1")
        except ConnectionError:
            return ""


def is_unmoved(port: int, running: Running) -> None:
    """Send it all that is bad, and see that it answers others, also while many send nothing."""
    said = running.err
    for name, data in BAD.items():
        assert answer_to(port, data)[:12] in ("", "HTTP/1.1 400", "HTTP/1.0 400"), name
    for name, data in ODD.items():
        status = answer_to(port, data)[9:12]
        assert status in ("", "200", "400", "403", "404", "405", "417"), (name, status)
    with ExitStack() as slow:
        for _ in range(MOST_CONNECTIONS + 50):
            sock = slow.enter_context(closing(socket.create_connection(("127.0.0.1", port), 20)))
            with suppress(ConnectionError):
                sock.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert answer_to(port, GET + b"\r\n")[9:12] in ("200", "404")
    lines = running.err.removeprefix(said).splitlines()
    assert "Traceback" not in running.err
    assert len([line for line in lines if "Error handling" in line]) <= len(BAD) + len(ODD)
    assert not [line for line in lines if "Error" in line and "Error handling" not in line], lines


@pytest.fixture
def started(scrapy: Scrapy) -> Iterator[Callable[..., Running]]:
    """Starts commands that are ended with the test."""
    with ExitStack() as stack:

        def start(*words: object, **more: object) -> Running:
            running = scrapy.start(*words, **more)
            stack.callback(_end, running)
            return running

        yield start


def _end(running: Running) -> None:
    with suppress(ProcessLookupError):
        running.signal(signal.SIGKILL)


def test_a_served_web(started: Callable[..., Running], tmp_path: Path) -> None:
    """scrapy virtualweb serve."""
    with WebWriter(tmp_path / "web.warc.gz") as writer:
        writer.write("http://localhost/", 200, [("Content-Type", "text/html")], b"hello")
    running = started("virtualweb", "serve", tmp_path / "web.warc.gz", "--hits", tmp_path / "hits")
    until(lambda: "\n" in running.out)
    is_unmoved(int(re.search(r":(\d+) ", running.out)[1]), running)


def test_the_metrics_of_a_crawl(started: Callable[..., Running], tmp_path: Path) -> None:
    """FOCUSED_METRICS_PORT."""
    with hostile_web() as web:
        topic = write_topic(tmp_path, "bees", web.url("honest.test"))
        settings = (
            f"FOCUSED_NAME_SERVERS=127.0.0.1:{web.dns}",
            "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8",
            "FOCUSED_METRICS_PORT=20000-29999",
            *QUICK,
            "DOWNLOAD_DELAY=1",
        )
        crawls = tmp_path / "crawls"
        running = started(*crawl(topic, crawls, *settings, job="1"))
        until(lambda: [*crawls.glob(".metrics/*.json")])
        ((file,),) = ([*crawls.glob(".metrics/*.json")],)
        ((target,),) = [group["targets"] for group in json.loads(file.read_text())]
        is_unmoved(int(target.rpartition(":")[2]), running)
        running.signal(signal.SIGINT)
        assert running.wait().code == 130


@pytest.mark.asyncio
async def test_who_sends_nothing_is_closed_in_time() -> None:
    """Byte by byte, or not at all; who asks again and again is not."""

    async def hello(request: web.BaseRequest) -> web.Response:
        return web.Response(text="hello")

    runner = web.ServerRunner(BoundedServer(hello, deadline=0.4))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    silent = await asyncio.open_connection("127.0.0.1", port)
    slow = await asyncio.open_connection("127.0.0.1", port)
    busy = await asyncio.open_connection("127.0.0.1", port)
    began = time.monotonic()
    while time.monotonic() < began + 1.0:
        with suppress(ConnectionError):
            slow[1].write(b"G")
        busy[1].write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert (await busy[0].readuntil(b"hello")).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.05)
    for reader, _ in (silent, slow):
        with suppress(ConnectionError):
            assert b"200" not in await asyncio.wait_for(reader.read(), 5)
    for _, writer in (silent, slow, busy):
        writer.close()
    await runner.cleanup()
