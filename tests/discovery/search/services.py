"""Search services on loopback: they speak the formats of the real ones, and misbehave when told to."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """What a client sent."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case


@dataclass(frozen=True)
class Reply:
    """What it gets: `body` whole after `delay` seconds, or one byte of it every `drip` seconds."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    cut: bool = False  # the connection breaks after the body, where more was promised


Behaviour = Callable[[Asked], Reply]

PATIENCE = 60.0  # seconds that a client waits for an answer that is to come, on any machine


def as_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})


class Service:
    """A server in threads; behaves as `behaviour` says and keeps what it was asked."""

    def __init__(self, behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self.behaviour = behaviour
        self.asked: list[Asked] = []
        self.times: list[float] = []
        self._stop = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append(Asked(parts.path, query, headers))
        self.times.append(time.monotonic())
        reply = self.behaviour(self.asked[-1])
        self._stop.wait(reply.delay)
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body) + 9 * reply.cut))
        handler.end_headers()
        self._send(handler, reply)
        handler.close_connection = reply.cut

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if not reply.drip:
            handler.wfile.write(reply.body)
            return
        for number in range(len(reply.body)):
            handler.wfile.write(reply.body[number : number + 1])
            if self._stop.wait(reply.drip):
                return

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                try:
                    service._answer(self)
                except OSError:  # the client left
                    self.close_connection = True

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:  # no TLS was wanted, or the connection was reset
                    self.close_connection = True

            def log_message(self, *words: object) -> None:
                """Be quiet."""

        return Handler


@contextmanager
def running(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> Iterator[Service]:
    service = Service(behaviour, tls)
    try:
        yield service
    finally:
        service.close()


@contextmanager
def nobody() -> Iterator[str]:
    """Give an address where nobody answers: its port is held, so that nobody else gets it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def page_url(number: int) -> str:
    return f"https://www.example.org/page/{number}"


def searxng(found: int = 25, *, formats: tuple[str, ...] = ("html", "json")) -> Behaviour:
    """An instance that finds so many pages for any words, ten a page, the last of one first on the next."""

    def behave(asked: Asked) -> Reply:
        if asked.path != "/search":
            return Reply(404, b"<!doctype html><title>404</title>")
        if asked.query.get("format", "html") not in formats:
            return Reply(403, b"<!doctype html><title>403 Forbidden</title>")
        first = 10 * (int(asked.query.get("pageno", "1")) - 1)
        rows = [
            {
                "url": page_url(number),
                "title": f"Page {number} of {asked.query['q']}",
                "content": f"What page {number} holds.",
                "engine": "mojeek",
                "engines": ["mojeek", "brave"],
                "score": 1.0 / (number + 1),
                "category": "general",
            }
            for number in range(max(0, first - 1), min(found, first + 10))
        ]
        about = {"query": asked.query["q"], "number_of_results": 0, "answers": [], "corrections": []}
        more = {"infoboxes": [], "suggestions": [], "unresponsive_engines": [["qwant", "CAPTCHA"]]}
        return as_json({**about, "results": rows if first < found else [], **more})

    return behave


def brave(key: str, found: int = 45) -> Behaviour:
    """Brave's web search as it answers whoever has the key, and whoever has not."""

    def behave(asked: Asked) -> Reply:
        if asked.path != "/res/v1/web/search":
            return Reply(404)
        if asked.headers.get("x-subscription-token") != key:
            return brave_error(422, "SUBSCRIPTION_TOKEN_INVALID", "authentication")
        count, offset = int(asked.query["count"]), int(asked.query["offset"])
        if not (1 <= count <= 20 and 0 <= offset <= 9):
            return brave_error(422, "VALIDATION", "validation")
        numbers = range(offset * count, min(found, (offset + 1) * count))
        about = {"original": asked.query["q"], "more_results_available": (offset + 1) * count < found}
        rows = [
            {
                "type": "search_result",
                "url": page_url(number),
                "title": f"Page {number} &amp; more",
                "description": f"All of <strong>page {number}</strong> &#x27;here&#x27;.",
            }
            for number in numbers
        ]
        web = {"web": {"type": "search", "results": rows}} if rows else {}
        return as_json(
            {"type": "search", "query": about, **web}, headers={"X-RateLimit-Remaining": "0, 1999"}
        )

    return behave


def brave_error(status: int, code: str, component: str, **headers: str) -> Reply:
    meta = {"plan": "Free", "rate_limit": 1, "component": component}
    error = {"id": "redacted", "status": status, "code": code, "detail": "It cannot be done.", "meta": meta}
    return as_json({"type": "ErrorResponse", "error": error, "time": 1773685964}, status, headers)
