from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import brotli
import pytest
import pytest_asyncio
from aiohttp import web as aiohttp_web
from backports import zstd
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response, TextResponse
from scrapy.utils.test import get_crawler

from focused_crawler.edge.download.virtual_web import VirtualWebDownloadHandler
from focused_crawler.edge.extensions.web_recorder import WebRecorder
from focused_crawler.safety.errors import ConfigError, WebError
from focused_crawler.virtualweb.index import VirtualWeb

SETTINGS = {
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}
BODIES = {
    "/": b"".join(
        b'<a href="%s">x</a>' % p for p in (b"/gzip", b"/moved", b"/missing", b"/secret", b"/chunked")
    ),
    "/gzip": b'<a href="/br">packed</a>',
    "/br": b'<a href="/zstd">packed</a>',
    "/zstd": b'<a href="/deflate">packed</a>',
    "/deflate": b'<a href="/latin1">packed</a>',
    "/latin1": "<p>caf\u00e9 <a href='/empty'>x</a>".encode("latin-1"),
    "/empty": b"",
    "/target": b"<p>moved here <a href='/file.pdf'>file</a>",
    "/file.pdf": b"%PDF\x00\x01",
    "/chunked": b"<p>in pieces <a href='/error'>x</a>",
    "/error": b"<p>oops",
    "/robots.txt": b"User-agent: *\nDisallow: /secret\n",
}
PACKERS = {"/gzip": gzip.compress, "/br": brotli.compress, "/zstd": zstd.compress, "/deflate": zlib.compress}
TYPES = {
    "/latin1": "text/html; charset=iso-8859-1",
    "/file.pdf": "application/pdf",
    "/robots.txt": "text/plain",
}


hits: list[str] = []  # every request that reached the site


async def answer(request: aiohttp_web.BaseRequest) -> aiohttp_web.StreamResponse:
    path = request.path
    hits.append(path)
    if path == "/moved":
        return aiohttp_web.Response(status=302, headers={"Location": "/moved2", "Set-Cookie": "a=1"})
    if path == "/moved2":
        return aiohttp_web.Response(status=301, headers={"Location": "/target"})
    if path not in BODIES:
        return aiohttp_web.Response(status=404, body=b"<p>not here", content_type="text/html")
    headers = {"Content-Type": TYPES.get(path, "text/html; charset=utf-8")}
    if path in PACKERS:
        headers["Content-Encoding"] = path[1:]
    body = PACKERS.get(path, bytes)(BODIES[path])
    if path != "/chunked":
        return aiohttp_web.Response(status=500 if path == "/error" else 200, headers=headers, body=body)
    response = aiohttp_web.StreamResponse(headers=headers)
    response.enable_chunked_encoding()
    await response.prepare(request)
    for byte in body:
        await response.write(bytes([byte]))
    return response


@pytest_asyncio.fixture
async def site() -> AsyncIterator[str]:
    """A real site on loopback: packed and chunked pages, redirects, errors, robots.txt."""
    runner = aiohttp_web.ServerRunner(aiohttp_web.Server(answer, access_log=None))
    await runner.setup()
    await aiohttp_web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


class Walker(Spider):
    """Follows every link and notes what it saw."""

    name = "walker"
    handle_httpstatus_list = (404, 500)

    def __init__(self, base: str, seen: list[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls, self.seen = [base + "/"], seen

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        content_type = (response.headers.get("Content-Type") or b"").decode()
        self.seen.append(
            (response.url, response.status, content_type, type(response).__name__, response.body)
        )
        if isinstance(response, TextResponse):
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href)


async def crawl(base: str, **settings: Any) -> tuple[list[Any], Crawler]:
    seen: list[Any] = []
    crawler = AsyncCrawlerRunner({**SETTINGS, **settings}).create_crawler(Walker)
    await crawler.crawl_async(base=base, seen=seen)
    return sorted(seen), crawler


@pytest.mark.asyncio
async def test_a_recorded_crawl_replays_the_same(site: str, tmp_path: Path) -> None:
    """Same pages, statuses, types and bodies, robots.txt and redirects obeyed, without the network."""
    path = tmp_path / "out.warc.gz"
    live, crawler = await crawl(site, EXTENSIONS={WebRecorder: 1}, FOCUSED_RECORD=str(path))
    assert {url.removeprefix(site): body for url, _, _, _, body in live if "missing" not in url} == {
        path: body for path, body in BODIES.items() if path != "/robots.txt"
    }
    assert crawler.stats.get_value("focused/web_recorder/responses") == len(live) + 3

    handlers = dict.fromkeys(("http", "https"), VirtualWebDownloadHandler)
    hits.clear()
    replayed, again = await crawl(site, DOWNLOAD_HANDLERS=handlers, FOCUSED_WEB=str(path))
    assert hits == []
    assert replayed == live
    for name in ("downloader/response_status_count/302", "robotstxt/forbidden", "downloader/response_count"):
        assert again.stats.get_value(name) == crawler.stats.get_value(name)


@pytest.mark.asyncio
async def test_a_second_crawl_is_appended(site: str, tmp_path: Path) -> None:
    """A resumed crawl goes on with the same file."""
    path = tmp_path / "out.warc.gz"
    for _ in range(2):
        await crawl(site, EXTENSIONS={WebRecorder: 1}, FOCUSED_RECORD=str(path))
    with VirtualWeb(path) as web:
        urls = [entry.url for entry in web.entries()]
    assert len(urls) == 2 * len(set(urls))


def test_recording_needs_a_file_of_its_own(tmp_path: Path) -> None:
    """Off without the setting; never over the web that is read, nor where it cannot be written."""
    with pytest.raises(NotConfigured):
        WebRecorder.from_crawler(get_crawler(Spider))
    both = dict.fromkeys(("FOCUSED_WEB", "FOCUSED_RECORD"), str(tmp_path / "w.warc.gz"))
    with pytest.raises(ConfigError, match="record to another file"):
        WebRecorder.from_crawler(get_crawler(Spider, both))
    with pytest.raises(WebError, match="cannot be written"):
        WebRecorder.from_crawler(get_crawler(Spider, {"FOCUSED_RECORD": str(tmp_path)}))


CRAWL = """
import json, sys
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
from focused_crawler.edge.download.virtual_web import VirtualWebDownloadHandler as Handler
class One(Spider):
    name = "one"
    start_urls = ["http://www.yellowbook.example/", "http://peterandlin.example/"]
    async def parse(self, response):
        print(json.dumps([response.url, response.meta["download_latency"]]), flush=True)
        yield None
handlers = {"http": Handler, "https": Handler}
settings = {"DOWNLOAD_HANDLERS": handlers, "FOCUSED_WEB": sys.argv[1], "FOCUSED_WEB_LATENCY": 0.05,
    "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, "LOG_LEVEL": "ERROR"}
process = AsyncCrawlerProcess(settings)
process.crawl(One)
process.start()
"""


def test_latency_works_under_scrapys_own_reactor(demo: Path) -> None:
    """The default asyncio reactor of Twisted, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["."]), "SCRAPY_PROJECT": ""}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CRAWL, str(demo)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    assert done.stderr == ""
    assert sorted(json.loads(line)[1] for line in done.stdout.splitlines()) == [0.05, 1.25]
