"""robots.txt by RFC 9309, on real sites."""

from __future__ import annotations

import asyncio
import gc
import gzip
import tracemalloc
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.utils.test import get_crawler

from focused_crawler.edge.middlewares.robots import LONG_TEXT_BYTES, RobotsMiddleware, parser_cost
from focused_crawler.frontier.base import MAX_REFUSALS
from tests.project import Job, Scrapy, crawl

TOPIC = 'name = "robots"\nkeywords = ["robot"]\nseeds = [{seeds}]\n'

Answer = Callable[[int], tuple[Any, ...]]
"""How often it was asked for -> status, body, and its Content-Encoding if it has one."""


class Site:
    """A web site on loopback whose robots.txt is what a function says of how often it was asked for."""

    def __init__(self, robots: Answer) -> None:
        self.hits: Counter[str] = Counter()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.hits[self.path] += 1
                is_robots = self.path == "/robots.txt"
                answer = robots(site.hits[self.path]) if is_robots else (200, f"robot {self.path}")
                status, text, *coding = answer
                self.send_response(status)
                self.send_header("Content-Type", "text/plain" if is_robots else "text/html")
                for name in coding:
                    self.send_header("Content-Encoding", name)
                self.end_headers()
                with suppress(OSError):  # who has read enough closes
                    self.wfile.write(text if isinstance(text, bytes) else text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def sites(**robots: Answer) -> Iterator[dict[str, Site]]:
    found = {name: Site(answer) for name, answer in robots.items()}
    for site in found.values():
        Thread(target=site.server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield found
    finally:
        for site in found.values():
            site.server.shutdown()
            site.server.server_close()


def test_robots_txt_decides(scrapy: Scrapy, tmp_path: Path):
    """Rules are obeyed, 404 allows all, 503 puts a host off and 503 for ever means no page at all."""
    with sites(
        rules=lambda _: (200, "User-agent: *\nDisallow: /secret\nDisallow: /to?u=a/b;"),
        none=lambda _: (404, "Disallow: /"),
        late=lambda times: (503, "") if times == 1 else (200, ""),
        down=lambda _: (503, "User-agent: *\nAllow: /"),
    ) as web:
        seeds = [f"{site.url}/{page}" for site in web.values() for page in ("open", "secret", "to?u=a/b;c")]
        folder = tmp_path / "robots"
        folder.mkdir()
        (folder / "topic.toml").write_text(TOPIC.format(seeds=", ".join(f'"{url}"' for url in seeds)))
        settings = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "DOWNLOAD_DELAY=0", "FOCUSED_RETRY_DELAY=0.01")
        done = scrapy.run(*crawl(folder, tmp_path / "crawls", *settings))
        down = web["down"].url
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    job = Job(tmp_path / "crawls/robots/1")
    closed = {f"{web['rules'].url}/secret", f"{web['rules'].url}/to?u=a/b;c"}
    assert set(job.pages) == {url for url in seeds if not url.startswith(down)} - closed
    assert job.failures == {
        **dict.fromkeys(closed, "robots"),
        **{url: "robots_unreachable" for url in job.failures if url.startswith(down)},
    }
    assert job.states["dropped"] == 3
    assert web["down"].hits == {"/robots.txt": MAX_REFUSALS}
    assert web["none"].hits == {"/robots.txt": 1, "/open": 1, "/secret": 1, "/to?u=a/b;c": 1}


def test_packed_robots_txt_is_read_as_far_as_it_may_be(scrapy: Scrapy, tmp_path: Path):
    """Its first rules hold: if it unpacks to more than is read, if its stream is cut, and if it is a file."""
    rules = b"User-agent: *\nDisallow: /secret\n"
    large = gzip.compress(rules + b"# more\n" * 500_000)
    long = gzip.compress(rules + b"# " + Random(1).randbytes(1_000_000).hex().encode())
    with sites(
        large=lambda _: (200, large, "gzip"),
        long=lambda _: (200, long, "gzip"),
        cut=lambda _: (200, large[: len(large) // 2], "gzip"),
        file=lambda _: (200, large),
        twice=lambda _: (200, gzip.compress(large), "gzip"),
        other=lambda _: (200, b"\0" + rules, "gzip"),
    ) as web:
        seeds = [f"{site.url}/{page}" for site in web.values() for page in ("open", "secret")]
        folder = tmp_path / "robots"
        folder.mkdir()
        (folder / "topic.toml").write_text(TOPIC.format(seeds=", ".join(f'"{url}"' for url in seeds)))
        settings = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "DOWNLOAD_DELAY=0", "FOCUSED_RETRY_DELAY=0.01")
        done = scrapy.run(*crawl(folder, tmp_path / "crawls", *settings))
    assert done.code == 0, done.err
    job = Job(tmp_path / "crawls/robots/1")
    other = web.pop("other").url
    assert set(job.pages) == {f"{site.url}/open" for site in web.values()}
    assert job.failures == {
        **{f"{site.url}/secret": "robots" for site in web.values()},
        **{f"{other}/{page}": "robots_unreachable" for page in ("open", "secret")},
    }


def test_old_rules_are_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    """A day later; where there are no new ones then, the old ones hold on, and nobody asks at each page."""
    answers = {1: (200, "User-agent: *\nDisallow: /a"), 2: (200, "User-agent: *\nDisallow: /b"), 3: (503, "")}
    now = 1000.0
    monkeypatch.setattr("focused_crawler.edge.middlewares.robots.time.monotonic", lambda: now)
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    with sites(site=answers.__getitem__) as web:
        url = web["site"].url

        class Engine:
            async def download_async(self, request: Request) -> Response:
                def get() -> Response:
                    try:
                        with urlopen(request.url) as answer:
                            return TextResponse(request.url, answer.status, body=answer.read())
                    except HTTPError as error:
                        return TextResponse(request.url, error.code)

                return await asyncio.to_thread(get)

        middleware._crawler.engine = Engine()

        async def allowed() -> list[bool]:
            rules = [await middleware._rules(Request(f"{url}/{page}"), url) for page in "ab"]
            return [parser.allowed(f"{url}/{page}", "x") for parser, page in zip(rules, "ab", strict=True)]

        async def days() -> list[list[bool]]:
            nonlocal now
            seen = []
            for hours in (0, 23, 2, 25, 0.5):
                now += hours * 3600
                seen.append(await allowed())
            return seen

        first, second = [False, True], [True, False]
        assert asyncio.run(days()) == [first, first, second, second, second]
        assert web["site"].hits["/robots.txt"] == 3


def test_rules_that_are_forgotten_take_no_memory():
    """At once: the collector of garbage comes seldom, and the longest rules take megabytes."""
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})
    middleware = RobotsMiddleware(crawler)
    parser = middleware._parse(middleware._pack(b"user-agent: *\ndisallow: /private")[0])
    assert not parser.allowed("http://a.example/private", "focused-crawler")
    rules = weakref.ref(parser.rp)
    gc.disable()
    try:
        del parser
        assert rules() is None
    finally:
        gc.enable()


LONGEST = {
    "stars": lambda number: "*ab" * 600 + f"{number:x}",
    "ends": lambda number: f"/{number:x}$",
    "indexes": lambda number: f"/{number:x}/index.html",
    "folders": lambda number: f"/{number:x}",
}


@pytest.mark.parametrize("kind", LONGEST)
def test_rules_that_are_parsed_take_no_more_memory_than_they_count(kind):
    """Whatever they are made of; else their bound would be none."""
    rules = "".join(f"\nallow: {LONGEST[kind](number)}" for number in range(10_000))
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    packed, _ = middleware._pack(f"user-agent: *{rules}".encode()[: 512 * 1024])
    tracemalloc.start()
    try:
        parser = middleware._parse(packed)
        assert parser.allowed("http://a.example/b", "focused-crawler")
        gc.collect()  # what was needed to parse, whenever that is collected
        assert tracemalloc.get_traced_memory()[0] <= parser_cost(packed)
    finally:
        tracemalloc.stop()


def test_long_rules_do_not_push_out_those_of_other_sites():
    """Forty long ones share the place of seven; a site of few lines is not asked again for them."""
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    long = "".join(f"Disallow: /{Random(rule).randbytes(1000).hex()}\n" for rule in range(256))

    async def read() -> None:
        await middleware._read("http://short.example", b"user-agent: *\ndisallow: /private")
        for number in range(40):
            body = f"user-agent: *\ndisallow: /{number}\n{long}".encode()
            await middleware._read(f"http://long{number}.example", body)

    asyncio.run(read())
    assert middleware._texts.get("http://short.example")
    assert 0 < len(middleware._long_texts) < 10
    assert middleware._texts.cost + middleware._long_texts.cost <= LONG_TEXT_BYTES + 1000
