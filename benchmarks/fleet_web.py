"""The web of the fleet's benchmarks: pages made beforehand, robots.txt, and a log by the server's own clock.

`python benchmarks/fleet_web.py SMALL|LARGE PAGES HOSTS LATENCY DELAY HITS_FILE` serves until its standard
input closes, and prints its port. Pages and hosts are those of benchmarks/loopback.py. With a DELAY above 0
every fifth host asks for twice as much in its robots.txt, and every tenth page takes three times that long:
longer than any crawler waits, so that one that does not look whether a host is still at work is found out.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.loopback import LargeWeb, SmallWeb

ROBOTS = "/robots.txt"
SIZES = {"SMALL": SmallWeb, "LARGE": LargeWeb}
SLOW_HOSTS, SLOW_PAGES = 5, 10  # one of so many
_SERVES_FIRST = -10


@dataclass(frozen=True)
class WebPlan:
    """What is served."""

    size: str
    pages: int
    hosts: int
    latency: float  # seconds a page takes
    delay: float = 0.0  # seconds that its hosts are to be left alone; 0: none asks for anything

    @property
    def words(self) -> list[str]:
        return [self.size, *map(str, (self.pages, self.hosts, self.latency, self.delay))]

    def make(self) -> SmallWeb:
        return SIZES[self.size](self.pages, self.hosts)

    def delay_of(self, host: str) -> float:
        """Return the seconds between two hits of a host, given by its address, once its rules are known."""
        return 2 * self.delay if int(host.rpartition(".")[2]) % SLOW_HOSTS == 0 else self.delay

    def seconds(self, path: str) -> float:
        """Return how long an answer takes."""
        is_slow = self.delay and path.endswith(f"{SLOW_PAGES - 1}.html")
        return 3 * self.delay if is_slow else self.latency

    def robots(self, host: str) -> bytes:
        wanted = self.delay_of(host)
        lines = ["User-agent: *", "Allow: /"]
        if wanted > self.delay:
            lines.append(f"Crawl-delay: {wanted:g}")
        return "\n".join([*lines, ""]).encode()


class LoggedSite:
    """Answers GET requests; a line of the hits file each, when it is over: began, ended, host, path."""

    def __init__(self, plan: WebPlan, hits: TextIO) -> None:
        self.plan = plan
        self._hits = hits
        self._pages: list[bytes] = []

    async def serve(self) -> None:
        server = await asyncio.start_server(self._connected, "0.0.0.0", 0, backlog=1000)  # every 127.x.x.x
        port = server.sockets[0].getsockname()[1]
        web = self.plan.make()
        self._pages = [web.html(number, port) for number in range(self.plan.pages)]
        print(port, flush=True)
        await asyncio.to_thread(sys.stdin.read)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        over = ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError  # the last: all of it is
        with contextlib.suppress(*over):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(host, head.split(b" ", 2)[1].decode("latin-1"), writer)
        writer.close()

    async def _answer(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        try:
            await asyncio.sleep(self.plan.seconds(path))
            writer.write(self._response(host, path))
            await writer.drain()
        finally:
            self._hits.write(f"{began:.6f} {time.monotonic():.6f} {host} {path}\n")

    def _response(self, host: str, path: str) -> bytes:
        kind, status, body = "text/html", "200 OK", b""
        name = path.removeprefix("/page/").removesuffix(".html")
        if name.isdecimal() and int(name) < len(self._pages):
            body = self._pages[int(name)]
        elif path == ROBOTS:
            kind, body = "text/plain", self.plan.robots(host)
        else:
            status = "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


@dataclass(frozen=True)
class Served:
    """A web that is up."""

    plan: WebPlan
    port: int
    pid: int
    hits: Path


@contextmanager
def serving(plan: WebPlan, hits: Path) -> Iterator[Served]:
    """Serve a web in a process of its own."""
    command = [sys.executable, __file__, *plan.words, str(hits)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield Served(plan, int(server.stdout.readline()), server.pid, hits)
        finally:
            server.stdin.close()


def main(words: Sequence[str]) -> None:
    size, pages, hosts, latency, delay, hits = words
    with contextlib.suppress(PermissionError):  # so that its clock shows when it was asked, on a busy machine
        os.nice(_SERVES_FIRST)
    random.seed(0)
    plan = WebPlan(size, int(pages), int(hosts), float(latency), float(delay))
    with Path(hits).open("a", buffering=1) as file:
        asyncio.run(LoggedSite(plan, file).serve())


if __name__ == "__main__":
    main(sys.argv[1:])
