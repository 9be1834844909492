"""Responses of many kinds, byte for byte, and a server that sends them as they are."""

from __future__ import annotations

import gzip
import socketserver
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import brotli
from backports import zstd

PAGE = b"<html><title>Bees</title><p>" + b"bees and honey " * 20 + b"</html>"
HTML = b"Content-Type: text/html; charset=utf-8\r\n"
LARGE = 1_100_000  # more than a page may have


class Kind(NamedTuple):
    """What a server sends, and what a recording has of it."""

    head: bytes
    body: bytes = b""  # on the wire
    plain: bytes | None = None  # the page, where that is not `body`
    truncated: str = ""
    before: bytes = b""  # interim answers
    is_recorded: bool = True

    @property
    def page(self) -> bytes:
        return self.body if self.plain is None else self.plain

    @property
    def stored(self) -> bytes:
        """What a recording has behind the head: all chunks in one."""
        if b"chunked" not in self.head:
            return self.body
        parts, rest = [], self.body
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            parts.append(rest[: int(size, 16)])
            rest = rest[int(size, 16) + 2 :]
        return _chunks(b"".join(parts), LARGE)


def _head(status: bytes, *lines: bytes, length: int | None = None) -> bytes:
    size = b"Content-Length: %d\r\n" % length if length is not None else b""
    return status + b"\r\n" + HTML + b"".join(line + b"\r\n" for line in lines) + size + b"\r\n"


def _chunks(body: bytes, size: int = 50) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])


def _ok(*lines: bytes, status: bytes = b"HTTP/1.1 200 OK") -> Kind:
    return Kind(_head(status, *lines, length=len(PAGE)), PAGE)


def _packed(name: bytes, body: bytes) -> Kind:
    return Kind(_head(b"HTTP/1.1 200 OK", b"Content-Encoding: " + name, length=len(body)), body, PAGE)


def _status(status: bytes, *lines: bytes, body: bytes = b"") -> Kind:
    return Kind(_head(b"HTTP/1.1 " + status, *lines, length=len(body)), body)


_DEFLATED = zlib.compress(PAGE)
_CHUNKED = b"Transfer-Encoding: chunked"

KINDS = {
    "length": _ok(),
    "no-length": Kind(_head(b"HTTP/1.1 200 OK"), PAGE),
    "http10": Kind(_head(b"HTTP/1.0 200 OK"), PAGE),
    "chunked": Kind(_head(b"HTTP/1.1 200 OK", _CHUNKED), _chunks(PAGE), PAGE),
    "chunked-gzip": Kind(
        _head(b"HTTP/1.1 200 OK", _CHUNKED, b"Content-Encoding: gzip"), _chunks(gzip.compress(PAGE)), PAGE
    ),
    "chunked-empty": Kind(_head(b"HTTP/1.1 200 OK", _CHUNKED), _chunks(b""), b""),
    "gzip": _packed(b"gzip", gzip.compress(PAGE)),
    "br": _packed(b"br", brotli.compress(PAGE)),
    "zstd": _packed(b"zstd", zstd.compress(PAGE)),
    "deflate": _packed(b"deflate", _DEFLATED),
    "empty": _status(b"200 OK"),
    "204": Kind(b"HTTP/1.1 204 No Content\r\nX-None: 1\r\n\r\n"),
    "304": Kind(b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n', is_recorded=False),
    "301": _status(b"301 Moved Permanently", b"Location: /target"),
    "latin-redirect": _status(b"301 Moved", b"Location: /caf\xe9"),
    "302": _status(b"302 Found", b"location: /target"),
    "307": _status(b"307 Temporary Redirect", b"LOCATION: /target", body=b"gone there"),
    "308": _status(b"308 Permanent Redirect", b"Location: /target"),
    "404": _status(b"404 Not Found", body=b"<p>none"),
    "410": _status(b"410 Gone", body=b"<p>gone"),
    "500": _status(b"500 Internal Server Error", body=b"<p>oops"),
    "503": _status(b"503 Service Unavailable", b"Retry-After: 1", body=b"<p>later"),
    "299": _ok(status=b"HTTP/1.1 299 Quite Fine"),
    "no-reason": _ok(status=b"HTTP/1.1 200"),
    "empty-reason": _ok(status=b"HTTP/1.1 200 "),
    "odd-reason": _ok(status=b"HTTP/1.1 200 Tr\xe8s bien"),
    "case": _ok(b"x-lower: 1", b"X-UPPER: 2", b"x-MiXeD: 3", b"ETAG: W/\"x\""),
    "twice": _ok(b"Set-Cookie: a=1", b"X-Between: 1", b"Set-Cookie: b=2", b"X-Empty:"),
    "non-ascii": _ok(b"X-Latin: caf\xe9", b"X-Utf: caf\xc3\xa9", b"X-Bytes: \xff\xfe\x80"),
    "long": _ok(*(b"X-Long-%d: %b" % (n, b"v" * 15_000) for n in range(7))),
    "spaces": _ok(b"X-Space:   wide  ", b"X-Tight:none", b"X-Colons: a:b:c"),
    "folded": _ok(b"X-Folded: one\r\n two"),
    "no-colon": _ok(b"this is no header", b"X-After: 1"),
    "bare-lf": Kind(_head(b"HTTP/1.1 200 OK", length=len(PAGE)).replace(b"\r\n", b"\n"), PAGE),
    "interim": _ok()._replace(before=b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
    "too-long": Kind(_head(b"HTTP/1.1 200 OK", length=LARGE), b"b" * LARGE, b"", "unspecified"),
    "endless": Kind(_head(b"HTTP/1.1 200 OK"), b"e" * LARGE, truncated="length"),
    "endless-chunks": Kind(
        _head(b"HTTP/1.1 200 OK", _CHUNKED), _chunks(b"c" * LARGE, 9000), b"c" * LARGE, "length"
    ),
    "pdf": Kind(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 9\r\n\r\n",
        b"%PDF-1.7\n",
    ),
    "disconnect": Kind(
        _head(b"HTTP/1.1 200 OK", length=len(PAGE) + 100), PAGE, truncated="disconnect"
    ),
}  # fmt: skip


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        lines = list(iter(self.rfile.readline, b"\r\n"))
        if not lines or not lines[-1]:
            return
        self.server.requests.append(b"".join(lines) + b"\r\n")  # type: ignore[attr-defined]
        kind = KINDS.get(lines[0].split(b" ")[1].decode()[1:], KINDS["404"])
        with suppress(OSError):  # the client has had enough
            self.wfile.write(kind.before + kind.head + kind.body)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    requests: list[bytes]


@contextmanager
def sending() -> Iterator[tuple[str, list[bytes]]]:
    """Serve on loopback; gives the address, and the heads of all requests so far."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.requests = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", server.requests
        server.shutdown()


SPIDER = """
import sys
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from focused_crawler.addon import FocusedCrawlerAddon
class Every(Spider):
    name = "every"
    handle_httpstatus_all = True
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}
    async def start(self):
        for path in sys.argv[3:]:
            yield Request(sys.argv[1] + path, self.parse, headers={"Authorization": "Basic secret"},
                          meta={"dont_redirect": True, "handle_httpstatus_all": True})
    async def parse(self, response):
        yield None
settings = {"ADDONS": {FocusedCrawlerAddon: 1}, "FOCUSED_RECORD": sys.argv[2],
    "FOCUSED_ALLOWED_NETWORKS": ["127.0.0.0/8"], "RETRY_ENABLED": False, "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_FAIL_ON_DATALOSS": False, "LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8}
process = AsyncCrawlerProcess(settings)
process.crawl(Every)
process.start()
"""
