"""A web of so many pages on loopback hosts, served over real HTTP; every hit is written down by the server.

`python benchmarks/loopback.py PAGES HOSTS LATENCY HITS_FILE` serves until its standard input closes, and
prints its port. Host number h is 127.0.0.<h+1>; page i lies on host i mod HOSTS.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
from collections import deque
from pathlib import Path

LINKS = 12
TOPIC_WORDS = ("robot", "robotics", "arm", "gripper", "actuator", "sensor", "servo", "controller", "joint")
OTHER_WORDS = ("garden", "football", "recipe", "museum", "holiday", "market", "theatre", "river", "weather")


def targets(page: int, pages: int) -> list[int]:
    """Return what a page links to: its children in a tree (so that all are reachable) and random pages."""
    chance = random.Random(page)
    children = [child for child in (2 * page + 1, 2 * page + 2) if child < pages]
    return children + [chance.randrange(pages) for _ in range(LINKS - len(children))]


def url(page: int, hosts: int, port: int) -> str:
    return f"http://127.0.0.{page % hosts + 1}:{port}/page/{page}.html"


def reachable(pages: int) -> set[int]:
    """Return all pages that links lead to from page 0."""
    seen, queue = {0}, deque([0])
    while queue:
        for target in targets(queue.popleft(), pages):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


def html(page: int, pages: int, hosts: int, port: int) -> bytes:
    chance = random.Random(-page - 1)
    words = TOPIC_WORDS if page % 3 == 0 else OTHER_WORDS
    paragraphs = "".join(f"<p>{' '.join(chance.choices(words, k=40))} {page}.</p>" for _ in range(5))
    links = "".join(
        f'<li><a href="{url(target, hosts, port)}">{" ".join(chance.choices(words, k=3))}</a></li>'
        for target in targets(page, pages)
    )
    title = f"{' '.join(chance.choices(words, k=3))} {page}"
    return (
        f"<html><head><title>{title}</title></head><body>{paragraphs}<ul>{links}</ul></body></html>".encode()
    )


class Site:
    """Answers GET requests, one line of the hits file each, written before the answer."""

    def __init__(self, pages: int, hosts: int, latency: float, hits: Path) -> None:
        self.pages = pages
        self.hosts = hosts
        self.latency = latency
        self.port = 0
        self._hits = hits.open("a", buffering=1)

    async def serve(self) -> None:
        server = await asyncio.start_server(self._connected, "0.0.0.0", 0)  # every 127.0.0.x
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
        if name.isdecimal() and int(name) < self.pages:
            status, body = "200 OK", html(int(name), self.pages, self.hosts, self.port)
        else:
            status, body = "404 Not Found", b""
        return b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (
            status.encode(),
            len(body),
            body,
        )


if __name__ == "__main__":
    number, hosts, latency, hits_file = sys.argv[1:]
    asyncio.run(Site(int(number), int(hosts), float(latency), Path(hits_file)).serve())
