"""A web of small sites on loopback, a table of answers, that remembers who asked for what, and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    """What a site says to one request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    delay: float = 0.0  # seconds


class Hit(NamedTuple):
    """One request."""

    time: float
    host: str
    path: str
    status: int = 200


@dataclass
class Site:
    """Its answers, by path or by host and path, and the requests it had.

    A list of answers is given out in turn, the last one for ever.
    """

    port: int
    answers: dict[str, Sequence[Answer]] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(hit.path == path for hit in self.hits)

    def answer(self, host: str, path: str, etag: str | None = None) -> Answer:
        """Return the next answer, 304 where the client has that version."""
        if host + path in self.answers:
            turn, answers = sum(hit[1:3] == (host, path) for hit in self.hits), self.answers[host + path]
        else:
            turn, answers = self.times(path), self.answers.get(path, [Answer(status=404)])
        answer = answers[min(turn, len(answers) - 1)]
        if etag is not None and answer.headers.get("ETag") == etag:
            answer = Answer(status=304, headers={"ETag": etag}, delay=answer.delay)
        self.hits.append(Hit(time.monotonic(), host, path, answer.status))
        return answer


def write_topic(folder: Path, name: str, *seeds: str, more: str = "") -> Path:
    """Make a topic about bees and return its folder."""
    (folder / name).mkdir()
    text = f"name = \"{name}\"\nkeywords = ['bee', 'honey', 'hive']\nseeds = {list(seeds)}\n{more}"
    (folder / name / "topic.toml").write_text(text)
    return folder / name


def page(title: str, links: Sequence[str] = (), words: str = "Bees keep honey in the hive.") -> Answer:
    """Return a page about bees."""
    anchors = " ".join(f'<a href="{link}">honey {number}</a>' for number, link in enumerate(links))
    head = f"<html><head><title>{title}</title></head>"
    return Answer(f"{head}<body><p>{words} {title}</p><p>{anchors}</p></body></html>".encode())


@contextmanager
def serving() -> Iterator[Site]:
    """Serve on all addresses of 127.0.0.0/8, each of which is a host."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            with lock:
                answer = site.answer(host, self.path, self.headers["If-None-Match"])
            closing.wait(answer.delay)
            self.send_response(answer.status)
            headers = {"Content-Type": "text/html", "Content-Length": str(len(answer.body)), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 1024

        def handle_error(self, *_: object) -> None:
            """A crawler that was killed, or had enough."""

    closing = threading.Event()
    server = Server(("0.0.0.0", 0), Handler)
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield site
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
