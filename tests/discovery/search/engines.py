"""A proxy on loopback that is the search engines which ddgs asks: it ends their TLS, and has their pages."""

from __future__ import annotations

import html
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests.discovery.search.services import PATIENCE, page_url

Page = Callable[[Mapping[str, str]], tuple[int, str]]
"""A status and a page of HTML for the fields of a request."""


@dataclass
class Engines:
    """One thread a connection. `pages`: host -> what it answers; other hosts are refused."""

    tls: ssl.SSLContext
    pages: Mapping[str, Page]
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)  # host, fields
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=32)
        self._listener.settimeout(0.05)
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def proxy(self) -> str:
        return f"http://ann:s3cret@127.0.0.1:{self._listener.getsockname()[1]}"

    def hosts(self) -> list[str]:
        return [host for host, _ in self.asked]

    def close(self) -> None:
        self._stop.set()
        self._accepting.join()
        self._listener.close()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                sock, _ = self._listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            try:
                sock.settimeout(PATIENCE)
                host = _head(sock)[0].split()[1].partition(":")[0]
                if host not in self.pages:
                    sock.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                    return
                sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                with self.tls.wrap_socket(sock, server_side=True) as wrapped:
                    self._answer(wrapped, host)
            except (OSError, IndexError):  # the client left, or did not like the certificate
                return

    def _answer(self, sock: socket.socket, host: str) -> None:
        lines = _head(sock)
        sent = urlsplit(lines[0].split()[1]).query
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        if length:
            sent = lines[-1] + _more(sock, length - len(lines[-1]))
        fields = {name: values[-1] for name, values in parse_qs(sent).items()}
        self.asked.append((host, fields))
        status, page = self.pages[host](fields)
        body = page.encode("utf-8", "surrogatepass")
        head = f"HTTP/1.1 {status} X\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
        sock.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def _head(sock: socket.socket) -> list[str]:
    """Return the lines of a request; the last one is what came behind them."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(4096)
        if not piece:
            break
        data += piece
    head, _, rest = data.decode("latin-1").partition("\r\n\r\n")
    return [*head.split("\r\n"), rest]


def _more(sock: socket.socket, length: int) -> str:
    data = b""
    while len(data) < length:
        data += sock.recv(length - len(data))
    return data.decode("latin-1")


@contextmanager
def engines(tls: ssl.SSLContext, **pages: Page) -> Iterator[Engines]:
    """Run the engines by the library's names for them."""
    running = Engines(tls, {HOSTS[name]: page for name, page in pages.items()})
    running.start()
    try:
        yield running
    finally:
        running.close()


HOSTS = {
    "duckduckgo": "html.duckduckgo.com",
    "brave": "search.brave.com",
    "mojeek": "www.mojeek.com",
    "startpage": "www.startpage.com",
    "yahoo": "search.yahoo.com",
}


def duckduckgo(numbers: range) -> Page:
    """Its page without scripts."""

    def page(fields: Mapping[str, str]) -> tuple[int, str]:
        words = html.escape(fields["q"])
        hits = "".join(
            f'<div class="links_main result__body"><h2><a class="result__a" href="{page_url(number)}">'
            f'Page {number} of <b>{words}</b></a></h2><a class="result__snippet" href="{page_url(number)}">'
            f"What <b>page</b> {number} holds &amp; more.</a></div>"
            for number in numbers
        )
        return 200, f"<!doctype html><html><body><div id='links'>{hits}</div></body></html>"

    return page


def mojeek(numbers: range) -> Page:
    """Its list of results."""

    def page(fields: Mapping[str, str]) -> tuple[int, str]:
        words = html.escape(fields["q"])
        hits = "".join(
            f'<li><h2><a class="title" href="{page_url(number)}">Page {number} of {words}</a></h2>'
            f'<p class="s">What page {number} holds.</p></li>'
            for number in numbers
        )
        return 200, f"<!doctype html><html><body><ul class='results-standard'>{hits}</ul></body></html>"

    return page
