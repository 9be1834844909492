"""A web of hostile hosts beside an honest one: HTTP by name on one port, and the name server for it.

A process of its own, so that what it does is not the crawler's time: `python -m tests.hostile.web` prints
its two ports as JSON. One function a host, or a pattern of hosts, in `tests/hostile/hosts.py`; `control.test`
says what was asked for. A host that is not known answers 404.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from twisted.names import dns

ROOT = Path(__file__).parents[2]
NEVER = "never"
BROKEN = "broken"
Name = str


@dataclass
class Asked:
    """One request, and the way back."""

    host: str
    path: str  # with its query
    port: int
    head: bytes
    writer: asyncio.StreamWriter
    served: Served

    async def send(self, data: bytes) -> None:
        self.served.sent += len(data)
        self.writer.write(data)
        await self.writer.drain()

    async def page(self, body: bytes | str, *headers: str, status: str = "200 OK", kind: str = "") -> None:
        """Answer with a whole body."""
        body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind or 'text/html'}", f"Content-Length: {len(body)}"]
        head = "\r\n".join([*lines, "Connection: close", *headers]) + "\r\n\r\n"
        await self.send(head.encode("latin-1", "replace") + body)

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"


Answer = Callable[[Asked], Awaitable[None]]
HOSTS: dict[str, Answer] = {}
NAMES: dict[str, list[str] | str] = {}
"""Patterns of names -> addresses; NEVER: no answer at all; BROKEN: SERVFAIL, as who asks for others says when
he gets none. Any other name under .test is 127.0.0.1."""


def host(*patterns: str) -> Callable[[Answer], Answer]:
    def register(answer: Answer) -> Answer:
        HOSTS.update(dict.fromkeys(patterns, answer))
        return answer

    return register


def found(table: dict[str, Any], name: str) -> Any:
    if name in table:
        return table[name]
    return next((value for pattern, value in table.items() if fnmatchcase(name, pattern)), None)


@dataclass
class Served:
    """What the crawler asked for."""

    hits: Counter[str] = field(default_factory=Counter)  # host + path
    names: Counter[str] = field(default_factory=Counter)  # looked up
    sent: int = 0  # bytes of all answers

    def since(self, earlier: Served) -> Served:
        """Return what was asked for after that."""
        return Served(self.hits - earlier.hits, self.names - earlier.names, self.sent - earlier.sent)


class NameServer(asyncio.DatagramProtocol):
    """Answers for every name under .test, as the table says."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, peer: Any) -> None:
        question = dns.Message()
        question.fromStr(data)
        query = question.queries[0]
        name = query.name.name.decode().lower()
        self._served.names[name] += 1
        addresses = found(NAMES, name)
        if addresses == NEVER:
            return
        if addresses is None:
            addresses = ["127.0.0.1"] if name.endswith(".test") else []
        reply = dns.Message(id=question.id, answer=1, recAv=1)
        reply.addQuery(query.name.name, query.type, query.cls)
        if addresses == BROKEN:
            reply.rCode = dns.ESERVER
            addresses = []
        for address in addresses:
            is_six = ":" in address
            if query.type == (dns.AAAA if is_six else dns.A):
                record = dns.Record_AAAA(address, 1) if is_six else dns.Record_A(address, 1)
                reply.answers.append(dns.RRHeader(query.name.name, query.type, dns.IN, 1, record))
        if not addresses and not reply.rCode:
            reply.rCode = dns.ENAME
        self._transport.sendto(reply.toStr(), peer)


async def serve() -> None:
    import tests.hostile.groups  # noqa: F401, PLC0415 - fills the tables above, with those of `hosts`

    served = Served()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("latin-1")
            name = head.lower().partition(b"\r\nhost:")[2].partition(b"\r\n")[0].decode("latin-1").strip()
            asked = Asked(name.partition(":")[0], target, port, head, writer, served)
            if asked.host == "control.test":
                await asked.page(json.dumps(vars(served)))
            else:
                served.hits[asked.host + urlsplit(target).path[:200]] += 1
                answer = found(HOSTS, asked.host)
                await (asked.page("", status="404 Not Found") if answer is None else answer(asked))
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()

    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    server = await asyncio.start_server(converse, sock=listener)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(served), local_addr=("127.0.0.1", 0)
    )
    print(json.dumps({"http": port, "dns": transport.get_extra_info("sockname")[1]}), flush=True)
    async with server:
        await server.serve_forever()


@dataclass
class HostileWeb:
    """The process, from outside."""

    http: int
    dns: int

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.http}{path}"

    def asked(self) -> Served:
        """Return what was asked for so far."""
        with socket.create_connection(("127.0.0.1", self.http)) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: control.test\r\n\r\n")
            answer = b"".join(iter(lambda: sock.recv(65536), b""))
        known = json.loads(answer.partition(b"\r\n\r\n")[2])
        return Served(Counter(known["hits"]), Counter(known["names"]), known["sent"])


@contextmanager
def hostile_web(**environ: str) -> Iterator[HostileWeb]:
    """Serve it; `environ`: what hosts read of their environment."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.web"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environ},
    )
    assert process.stdout is not None
    try:
        yield HostileWeb(**json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    # The tables are those of the module by its name, not those of this script.
    from tests.hostile import web

    asyncio.run(web.serve())
