"""A web server that misbehaves on purpose: one function a misbehaviour, on raw sockets."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import unquote_to_bytes

import brotli
from backports import zstd

HTML = b"<!doctype html><title>A page</title><p>Some text."
MEGABYTE = 1024 * 1024
BUFFER = 64 * 1024
"""Bytes on this side of a connection: left to the system, a client that is slow to leave takes megabytes."""


@dataclass
class Connection:
    """One request and the way back; counts what the client took."""

    sock: socket.socket
    site: HostileSite
    path: str
    argument: bytes
    host: str
    stop: threading.Event
    turn: int = 0  # how many requests came before on this connection
    keep: bool = False

    def send(self, data: bytes) -> None:
        for start in range(0, len(data), 16384):
            chunk = data[start : start + 16384]
            self.sock.sendall(chunk)
            self.site.sent[self.path] += len(chunk)

    def head(self, status: str = "200 OK", kind: bytes | None = b"text/html", *more: bytes) -> None:
        lines = [b"HTTP/1.1 " + status.encode(), *([] if kind is None else [b"Content-Type: " + kind]), *more]
        self.send(b"\r\n".join(lines) + b"\r\n\r\n")

    def whole(
        self, body: bytes, *more: bytes, status: str = "200 OK", kind: bytes | None = b"text/html"
    ) -> None:
        self.head(status, kind, b"Content-Length: %d" % len(body), b"Connection: close", *more)
        self.send(body)

    def endless(self, block: bytes = b"<p>more " * 2048) -> None:
        while not self.stop.is_set():
            self.send(block)


RESOURCES: dict[str, Callable[[Connection], None]] = {}


def resource(path: str) -> Callable[[Callable[[Connection], None]], Callable[[Connection], None]]:
    def register(function: Callable[[Connection], None]) -> Callable[[Connection], None]:
        RESOURCES[path] = function
        return function

    return register


@resource("/page")
def page(connection: Connection) -> None:
    connection.whole(HTML)


@resource("/kept")
def kept(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Content-Length: %d" % len(HTML))
    connection.send(HTML)
    connection.keep = True


@resource("/stale")
def stale(connection: Connection) -> None:
    """Keeps the connection, and breaks it without an answer when it is used again."""
    if connection.turn == 0:
        kept(connection)


@resource("/type")
def endless_of_type(connection: Connection) -> None:
    connection.head("200 OK", connection.argument, b"Connection: close")
    connection.endless()


@resource("/typed-html")
def html_of_type(connection: Connection) -> None:
    connection.whole(HTML, kind=connection.argument)


@resource("/untyped-html")
def untyped_html(connection: Connection) -> None:
    connection.whole(HTML, kind=None)


@resource("/untyped-gzipped-html")
def untyped_gzipped_html(connection: Connection) -> None:
    connection.whole(gzip.compress(HTML), b"Content-Encoding: gzip", kind=None)


@resource("/untyped-film")
def untyped_film(connection: Connection) -> None:
    connection.head("200 OK", None, b"Connection: close")
    connection.endless(b"\x00\x01film" * 2048)


@resource("/disguised-pdf")
def disguised_pdf(connection: Connection) -> None:
    connection.whole(b"%PDF-1.7" + bytes(1000))


@resource("/empty")
def empty(connection: Connection) -> None:
    connection.whole(b"")


@resource("/empty-gzip")
def empty_gzip(connection: Connection) -> None:
    connection.whole(b"", b"Content-Encoding: gzip")


@resource("/error-film")
def error_film(connection: Connection) -> None:
    connection.head(
        "503 Busy", b"video/mp4", b"Retry-After: 7", b"Content-Encoding: gzip", b"Connection: close"
    )
    connection.endless()


@resource("/endless")
def endless_html(connection: Connection) -> None:
    connection.head()
    connection.send(HTML)
    connection.endless()


@resource("/ten-gigabytes")
def ten_gigabytes(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Content-Length: 10737418240")
    connection.endless()


@resource("/cut-short")
def cut_short(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Content-Length: 9000")
    connection.send(HTML)


@resource("/slow")
def slow(connection: Connection) -> None:
    connection.head()
    while not connection.stop.wait(0.1):
        connection.send(b"x")


@resource("/slow-head")
def slow_head(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nX: ")
    while not connection.stop.wait(0.1):
        connection.send(b"x")


@cache
def encodings() -> dict[str, tuple[bytes, bytes]]:
    """Return Content-Encoding and body by name; the bombs among them take half a second to make."""
    return {
        "gzip": (b"gzip", gzip.compress(HTML)),
        "gzip-in-gzip": (b"gzip, gzip", gzip.compress(gzip.compress(HTML))),
        "gzip-twice-said-once": (b"gzip", gzip.compress(gzip.compress(HTML))),
        "gzip-five-times-over": (b"gzip, gzip, gzip, gzip, gzip", HTML),
        "gzip-bomb": (b"gzip", gzip.compress(HTML + bytes(40 * MEGABYTE))),
        "gzip-bomb-in-gzip": (b"gzip, gzip", gzip.compress(gzip.compress(bytes(40 * MEGABYTE)))),
        "gzip-cut-short": (b"gzip", gzip.compress(HTML * 50)[:-30]),
        "gzip-of-many-members": (b"gzip", gzip.compress(HTML) * 1500),
        "gzip-of-empty-members": (b"gzip", gzip.compress(HTML) + gzip.compress(b"") * 1500),
        "gzip-of-empty-members-alone": (b"gzip", gzip.compress(b"") * 4_500),
        "gzip-of-empty-members-in-br": (b"gzip, br", brotli.compress(gzip.compress(b"") * 4_500)),
        "zstd-of-empty-frames": (b"zstd", zstd.compress(b"") * 4_500),
        "gzip-with-garbage-behind": (b"gzip", gzip.compress(HTML) + b"garbage"),
        "gzip-of-wrong-checksum": (b"gzip", gzip.compress(HTML)[:-8] + bytes(8)),
        "gzip-and-nothing": (b"gzip,", gzip.compress(HTML)),
        "gzip-and-identity": (b"gzip, identity", gzip.compress(HTML)),
        "zstd-with-garbage-behind": (b"zstd", zstd.compress(HTML) + b"garbage"),
        "br-with-garbage-behind": (b"br", brotli.compress(HTML) + b"garbage"),
        "not-gzip": (b"gzip", HTML),
        "deflate": (b"deflate", zlib.compress(HTML)),
        "deflate-bomb": (b"deflate", zlib.compress(HTML + bytes(40 * MEGABYTE))),
        "not-deflate": (b"deflate", HTML),
        "br": (b"br", brotli.compress(HTML)),
        "br-bomb": (b"br", brotli.compress(HTML + bytes(40 * MEGABYTE), quality=4)),
        "not-br": (b"br", HTML),
        "zstd": (b"zstd", zstd.compress(HTML)),
        "zstd-bomb": (b"zstd", zstd.compress(HTML + bytes(40 * MEGABYTE))),
        "not-zstd": (b"zstd", HTML),
        "unknown": (b"\x1b[2Jrot13", HTML),
    }


@resource("/encoded")
def encoded(connection: Connection) -> None:
    coding, body = encodings()[connection.argument.decode()]
    connection.whole(body, b"Content-Encoding: " + coding)


@resource("/header-of-a-megabyte")
def header_of_a_megabyte(connection: Connection) -> None:
    connection.whole(HTML, b"X-Long: " + b"x" * MEGABYTE)


@resource("/ten-thousand-headers")
def ten_thousand_headers(connection: Connection) -> None:
    connection.whole(HTML, *(b"X-%d: y" % number for number in range(10_000)))


@resource("/endless-headers")
def endless_headers(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    connection.endless(b"X-More: y\r\n" * 1000)


@resource("/endless-continue")
def endless_continue(connection: Connection) -> None:
    connection.endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 500)


@resource("/header-without-colon")
def header_without_colon(connection: Connection) -> None:
    connection.whole(HTML, b"no colon at all")


@resource("/nul-in-header")
def nul_in_header(connection: Connection) -> None:
    connection.whole(HTML, b"X-Nul: a\x00b", b"X-\x00: c")


@resource("/nul-in-type")
def nul_in_type(connection: Connection) -> None:
    connection.whole(HTML, kind=b"text/html\x00")


@resource("/no-http")
def no_http(connection: Connection) -> None:
    connection.send(b"\x16\x03\x01 this is no HTTP\r\n\r\n")


@resource("/wrong-status")
def wrong_status(connection: Connection) -> None:
    connection.head("99999999999999999999 OK")


@resource("/wrong-length")
def wrong_length(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Content-Length: -5")


@resource("/chunked")
def chunked(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Transfer-Encoding: chunked", b"Connection: close")
    connection.send(connection.argument)


@resource("/chunk-endless-extension")
def chunk_endless_extension(connection: Connection) -> None:
    connection.head("200 OK", b"text/html", b"Transfer-Encoding: chunked")
    connection.send(b"5;")
    connection.endless()


@resource("/to")
def redirect(connection: Connection) -> None:
    connection.whole(b"", b"Location: " + connection.argument, status="302 Found")


@resource("/to-with-film")
def redirect_with_film(connection: Connection) -> None:
    connection.head("301 Moved", b"video/mp4", b"Location: /page", b"Content-Length: 10737418240")
    connection.endless()


@resource("/to-long")
def redirect_to_long(connection: Connection) -> None:
    connection.whole(b"", b"Location: /" + b"x" * 9000, status="302 Found")


@resource("/to-huge")
def redirect_to_huge(connection: Connection) -> None:
    connection.whole(b"", b"Location: /" + b"x" * 65536, status="302 Found")


@resource("/refresh")
def refresh(connection: Connection) -> None:
    connection.whole(HTML + b'<meta http-equiv="refresh" content="0; url=%s">' % connection.argument)


@resource("/loop")
def loop(connection: Connection) -> None:
    connection.whole(b"", b"Location: /loop", status="302 Found")


@resource("/hop")
def hop(connection: Connection) -> None:
    left = int(connection.argument)
    target = b"/hop?%d" % (left - 1) if left > 1 else b"/page"
    connection.whole(b"", b"Location: " + target, status="302 Found")


@resource("/robots.txt")
def robots(connection: Connection) -> None:
    rules = b"User-agent: *\nDisallow: /type\n"
    if connection.host == "endless-robots.test":
        connection.head("200 OK", b"text/plain")
        connection.send(rules)
        connection.endless(b"# more\n" * 2000)
    elif connection.host == "huge-robots.test":
        connection.head("200 OK", b"text/plain", b"Content-Length: 2147483648")
        connection.send(rules)
        connection.endless(b"# more\n" * 2000)
    elif connection.host == "moved-robots.test":
        connection.whole(
            b"", b"Location: http://127.0.0.2:%d/robots.txt" % connection.site.port, status="301 Moved"
        )
    else:
        connection.whole(rules, kind=b"text/plain")


def _begun(target: Callable[[socket.socket], None], sock: socket.socket) -> threading.Thread:
    thread = threading.Thread(target=target, args=(sock,), daemon=True)
    thread.start()
    return thread


@dataclass
class HostileSite:
    """The server: one thread a connection, on the same port of several loopback addresses."""

    addresses: tuple[str, ...] = ("127.0.0.1", "127.0.0.2")
    tls: ssl.SSLContext | None = None
    port: int = 0
    hits: list[tuple[str, str]] = field(default_factory=list)  # (address asked, path)
    sent: Counter[str] = field(default_factory=Counter)  # path -> bytes that were taken
    _stop: threading.Event = field(default_factory=threading.Event)
    _listeners: list[socket.socket] = field(default_factory=list)
    _accepting: list[threading.Thread] = field(default_factory=list)
    _serving: list[threading.Thread] = field(default_factory=list)
    _clients: list[socket.socket] = field(default_factory=list)

    def start(self) -> None:
        for address in self.addresses:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            listener = socket.create_server((address, self.port), family=family, backlog=128)
            listener.settimeout(0.1)
            self.port = listener.getsockname()[1]
            self._listeners.append(listener)
            self._accepting.append(_begun(self._accept, listener))

    def close(self) -> None:
        self._stop.set()
        for thread in self._accepting:
            thread.join()
        for client in self._clients:
            with suppress(OSError):  # it has ended
                client.shutdown(socket.SHUT_RDWR)
        for thread in self._serving:
            thread.join()
        for listener in self._listeners:
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while not self._stop.is_set():
            try:
                sock, _ = listener.accept()
            except TimeoutError:
                continue
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            self._clients.append(sock)
            self._serving.append(_begun(self._serve, sock))

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(120)  # a client on a busy machine is slow as well
        with sock:
            try:
                if self.tls:
                    with self.tls.wrap_socket(sock, server_side=True) as wrapped:
                        self._converse(wrapped)
                else:
                    self._converse(sock)
            except OSError:  # the client left, as it should
                return

    def _converse(self, sock: socket.socket) -> None:
        keep, turn = True, 0
        while keep and (connection := self._read(sock)):
            connection.turn = turn
            RESOURCES.get(connection.path, page)(connection)
            keep, turn = connection.keep, turn + 1

    def _read(self, sock: socket.socket) -> Connection | None:
        head = b""
        while b"\r\n\r\n" not in head:
            data = sock.recv(65536)
            if not data:
                return None
            head += data
        target = head.split(b" ", 2)[1]
        path, _, argument = target.partition(b"?")
        host = (
            head.lower().partition(b"\r\nhost:")[2].partition(b"\r\n")[0].decode().strip().partition(":")[0]
        )
        self.hits.append((sock.getsockname()[0], path.decode()))
        return Connection(sock, self, path.decode(), unquote_to_bytes(argument), host, self._stop)
