"""A web on loopback hosts, made up page by page and served over real HTTP; every hit is written down.

`python tests/crawls/loopback.py SMALL|LARGE PAGES HOSTS LATENCY DELAY HITS_FILE` serves until its standard
input closes, and prints its port. Page i lies on host i mod HOSTS; a host is an address of 127.0.0.0/8. With
a DELAY above 0 every fifth host asks for twice as much in its robots.txt, and every tenth page takes three
times that long: longer than any crawler waits, so that one that does not look whether a host is still at work
is found out. Every 37th page is refused once, by a 429 that asks for longer than it takes until a dead
worker's hosts have another. Hits are timed by the server's own clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TextIO

TOPIC_WORDS = ("robot", "robotics", "arm", "gripper", "actuator", "sensor", "servo", "controller", "joint")
OTHER_WORDS = ("garden", "football", "recipe", "museum", "holiday", "market", "theatre", "river", "weather")
TOPIC = """name = "loopback"
title = "Robots"
description = "Robotics, robot arms, grippers, sensors and controllers."
keywords = ["robot", "robotics", "gripper", "actuator", "sensor"]
seeds = ["{seed}"]
"""


def url(page: int, hosts: int, port: int) -> str:
    host = page % hosts
    return f"http://127.0.{host // 250}.{host % 250 + 1}:{port}/page/{page}.html"


class SmallWeb:
    """1.5 KB and 12 links a page: its children in a tree (so that all are reachable) and random pages."""

    links = 12
    paragraphs = 5

    def __init__(self, pages: int, hosts: int) -> None:
        self.pages = pages
        self.hosts = hosts

    def targets(self, page: int, chance: random.Random) -> list[int]:
        """Return what a page links to."""
        children = [child for child in (2 * page + 1, 2 * page + 2) if child < self.pages]
        return children + [chance.randrange(self.pages) for _ in range(self.links - len(children))]

    def words(self, page: int, number: int, chance: random.Random) -> list[str]:
        return chance.choices(TOPIC_WORDS if page % 3 == 0 else OTHER_WORDS, k=number)

    def html(self, page: int, port: int) -> bytes:
        words, targets = random.Random(-page - 1), self.targets(page, random.Random(page))
        texts = [" ".join(self.words(page, 40, words)) for _ in range(self.paragraphs)]
        title, *anchors = self.titles(page, len(targets) + 1, words)
        paragraphs = "".join(f"<p>{text} {page}.</p>" for text in texts)
        links = "".join(
            f'<li><a href="{url(target, self.hosts, port)}">{anchor}</a></li>'
            for target, anchor in zip(targets, anchors, strict=True)
        )
        head = f"<html><head><title>{title} {page}</title></head>"
        return f"{head}<body>{paragraphs}<ul>{links}</ul></body></html>".encode()

    def titles(self, page: int, number: int, chance: random.Random) -> list[str]:
        """Return texts of three words."""
        words = self.words(page, 3 * number, chance)
        return [" ".join(words[place : place + 3]) for place in range(0, len(words), 3)]


class LargeWeb(SmallWeb):
    """10 KB and 40 links a page, as on a real site.

    20 links lead to the first pages of its own host (as a menu does), 12 to the 1,000 pages that everybody
    links to, 2 to its children and 6 anywhere: in a web of millions of pages 8 of 40 are new however long a
    crawl goes on. Words follow Zipf's law over a vocabulary of 200,000; on a third of the pages a tenth of
    them are the topic's.
    """

    links = 40
    paragraphs = 25

    def __init__(self, pages: int, hosts: int) -> None:
        super().__init__(pages, hosts)
        self._vocabulary = _vocabulary(200_000)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(len(self._vocabulary))))

    def targets(self, page: int, chance: random.Random) -> list[int]:
        menu = [page % self.hosts + self.hosts * number for number in range(20)]
        known = [int(1000 * chance.random() ** 2) for _ in range(12)]
        anywhere = [chance.randrange(self.pages) for _ in range(6)]
        return [target % self.pages for target in (*menu, *known, 2 * page + 1, 2 * page + 2, *anywhere)]

    def words(self, page: int, number: int, chance: random.Random) -> list[str]:
        words = chance.choices(self._vocabulary, cum_weights=self._weights, k=number)
        if page % 3 == 0:
            words[::10] = super().words(page, len(words[::10]), chance)
        return words


def _vocabulary(size: int) -> list[str]:
    """Make up words of two to four syllables, all different."""
    chance = random.Random(0)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(chance.choices(syllables, k=chance.randint(2, 4)))] = None
    return list(words)


def reachable(web: SmallWeb) -> set[int]:
    """Return all pages that links lead to from page 0."""
    seen, queue = {0}, deque([0])
    while queue:
        page = queue.popleft()
        for target in web.targets(page, random.Random(page)):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


ROBOTS = "/robots.txt"
SIZES = {"SMALL": SmallWeb, "LARGE": LargeWeb}
SLOW_HOSTS, SLOW_PAGES, REFUSED_PAGES = 5, 10, 37  # one of so many
RETRY_AFTER = 8  # seconds
MADE_BEFOREHAND = 100_000  # pages: a larger web makes each when it is asked for
_SERVES_FIRST = -10


@dataclass(frozen=True)
class WebPlan:
    """What is served."""

    size: str
    pages: int
    hosts: int
    latency: float  # seconds a page takes
    delay: float = 0.0  # seconds that its hosts are to be left alone; 0: none asks for anything
    port: int = 0  # 0: any that is free

    @property
    def words(self) -> list[str]:
        return [self.size, *map(str, (self.pages, self.hosts, self.latency, self.delay, self.port))]

    def make(self) -> SmallWeb:
        return SIZES[self.size](self.pages, self.hosts)

    def delay_of(self, host: str) -> float:
        """Return the seconds between two hits of a host, given by its address, once its rules are known."""
        return 2 * self.delay if int(host.rpartition(".")[2]) % SLOW_HOSTS == 0 else self.delay

    def seconds(self, path: str) -> float:
        """Return how long an answer takes."""
        is_slow = self.delay and path.endswith(f"{SLOW_PAGES - 1}.html")
        return 3 * self.delay if is_slow else self.latency

    def refuses(self, path: str) -> bool:
        """Tell whether a page is refused the first time."""
        number = _number(path)
        return bool(self.delay) and number is not None and number % REFUSED_PAGES == REFUSED_PAGES - 1

    def robots(self, host: str) -> bytes:
        wanted = self.delay_of(host)
        lines = ["User-agent: *", "Allow: /"]
        if wanted > self.delay:
            lines.append(f"Crawl-delay: {wanted:g}")
        return "\n".join([*lines, ""]).encode()


def _number(path: str) -> int | None:
    name = path.removeprefix("/page/").removesuffix(".html")
    return int(name) if name.isdecimal() else None


class Site:
    """Answers GET requests; a line of the hits file each, when it is over: a `Hit`."""

    def __init__(self, plan: WebPlan, hits: TextIO) -> None:
        self.plan, self._hits = plan, hits
        self._web, self._port = plan.make(), 0
        self._made: list[bytes] = []
        self._refused: set[str] = set()

    async def serve(self) -> None:
        server = await asyncio.start_server(
            self._connected, "0.0.0.0", self.plan.port, backlog=1000
        )  # every 127.x.x.x
        self._port = server.sockets[0].getsockname()[1]
        if self.plan.pages <= MADE_BEFOREHAND:
            self._made = [self._web.html(number, self._port) for number in range(self.plan.pages)]
        print(self._port, flush=True)
        await asyncio.to_thread(sys.stdin.read)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        over = ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError  # the last: all of it is
        with contextlib.suppress(*over):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(host, head.split(b" ", 2)[1].decode("latin-1"), writer)
        writer.close()

    async def _answer(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        began, pause = time.monotonic(), 0
        try:
            await asyncio.sleep(self.plan.seconds(path))
            if self.plan.refuses(path) and path not in self._refused:
                self._refused.add(path)
                pause = RETRY_AFTER
            writer.write(self._refusal(pause) if pause else self._response(host, path))
            await writer.drain()
        finally:
            self._hits.write(f"{began:.6f} {time.monotonic():.6f} {host} {path} {pause}\n")

    def _refusal(self, pause: int) -> bytes:
        head = f"HTTP/1.1 429 Too Many Requests\r\nRetry-After: {pause}\r\nContent-Length: 0\r\n\r\n"
        return head.encode()

    def _response(self, host: str, path: str) -> bytes:
        kind, status, body = "text/html", "200 OK", b""
        number = _number(path)
        if number is not None and number < self.plan.pages:
            body = self._made[number] if self._made else self._web.html(number, self._port)
        elif path == ROBOTS and self.plan.delay:
            kind, body = "text/plain", self.plan.robots(host)
        else:
            status = "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


class Hit(NamedTuple):
    """A request that a server was sent, by its own monotonic clock."""

    began: float
    ended: float  # its answer was sent, or could not be
    host: str
    path: str
    pause: float = 0.0  # seconds that the answer, a 429, asks for

    @property
    def is_page(self) -> bool:
        return self.path.startswith("/page/")


class Hits:
    """The log of a site, while it is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hits: list[Hit] = []
        self._read = 0  # bytes

    def read(self) -> list[Hit]:
        """Return all hits so far, in order of time."""
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._read)
                whole, end, _ = file.read().rpartition(b"\n")
            self._read += len(whole) + len(end)
            rows = (line.split(" ") for line in whole.decode("ascii").splitlines())
            self.hits += (
                Hit(float(began), float(ended), host, path, float(pause))
                for began, ended, host, path, pause in rows
            )
            self.hits.sort()
        return self.hits

    def pages(self) -> Counter[str]:
        """Return how often each page was asked for so far, and not refused."""
        return Counter(hit.path for hit in self.read() if hit.is_page and not hit.pause)


@dataclass(frozen=True)
class Served:
    """A web that is up."""

    plan: WebPlan
    port: int
    pid: int
    hits: Hits

    @property
    def seed(self) -> str:
        """Return the page from which all are reachable."""
        return url(0, self.plan.hosts, self.port)

    def reachable(self) -> set[str]:
        """Return the URLs of all pages that links lead to."""
        return {url(page, self.plan.hosts, self.port) for page in reachable(self.plan.make())}


@contextmanager
def serving(plan: WebPlan, hits: Path) -> Iterator[Served]:
    """Serve a web in a process of its own."""
    command = [sys.executable, __file__, *plan.words, str(hits)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield Served(plan, int(server.stdout.readline()), server.pid, Hits(hits))
        finally:
            server.stdin.close()


def write_topic(folder: Path, seed: str) -> Path:
    """Make the topic of these webs and return its folder."""
    topic = folder / "loopback"
    topic.mkdir(exist_ok=True)
    (topic / "topic.toml").write_text(TOPIC.format(seed=seed))
    return topic


def main(words: Sequence[str]) -> None:
    size, pages, hosts, latency, delay, port, file = words
    with contextlib.suppress(PermissionError):  # so that its clock shows when it was asked, on a busy machine
        os.nice(_SERVES_FIRST)
    random.seed(0)
    plan = WebPlan(size, int(pages), int(hosts), float(latency), float(delay), int(port))
    with Path(file).open("a", buffering=1) as hits:
        asyncio.run(Site(plan, hits).serve())


if __name__ == "__main__":
    main(sys.argv[1:])
