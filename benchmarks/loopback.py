"""A web on loopback hosts, made up page by page and served over real HTTP; every hit is written down.

`python benchmarks/loopback.py SMALL|LARGE PAGES HOSTS LATENCY HITS_FILE` serves until its standard input
closes, and prints its port. Page i lies on host i mod HOSTS; a host is an address of 127.0.0.0/8.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

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


class Site:
    """Answers GET requests, one line of the hits file each, written before the answer."""

    def __init__(self, web: SmallWeb, latency: float, hits: Path) -> None:
        self.web = web
        self.latency = latency
        self.port = 0
        self._hits = hits.open("a", buffering=1)

    async def serve(self) -> None:
        server = await asyncio.start_server(self._connected, "0.0.0.0", 0, backlog=1000)  # every 127.x.x.x
        self.port = server.sockets[0].getsockname()[1]
        print(self.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode("latin-1")
                self._hits.write(path + "\n")
                await asyncio.sleep(self.latency)
                writer.write(self._answer(path))
                await writer.drain()
        writer.close()

    def _answer(self, path: str) -> bytes:
        name = path.removeprefix("/page/").removesuffix(".html")
        if name.isdecimal() and int(name) < self.web.pages:
            status, body = "200 OK", self.web.html(int(name), self.port)
        else:
            status, body = "404 Not Found", b""
        return b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (
            status.encode(),
            len(body),
            body,
        )


@contextmanager
def serving(size: str, pages: int, hosts: int, latency: float, hits: Path) -> Iterator[int]:
    """Serve a web in a process of its own; yields its port."""
    command = [sys.executable, __file__, size, str(pages), str(hosts), str(latency), str(hits)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()


def write_topic(folder: Path, seed: str) -> Path:
    """Make the topic of these webs and return its folder."""
    topic = folder / "loopback"
    topic.mkdir()
    (topic / "topic.toml").write_text(TOPIC.format(seed=seed))
    return topic


def main(words: Sequence[str]) -> None:
    size, pages, hosts, latency, hits = words
    web = {"SMALL": SmallWeb, "LARGE": LargeWeb}[size](int(pages), int(hosts))
    asyncio.run(Site(web, float(latency), Path(hits)).serve())


if __name__ == "__main__":
    main(sys.argv[1:])
