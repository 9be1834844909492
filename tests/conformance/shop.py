"""A site on loopback for spiders of all kinds: lists, forms, cookies, JSON, sitemaps, errors."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

QUOTES = [(f"Quote {number}", f"Author {number % 4}") for number in range(9)]
A_PAGE = 3
GOODS = 12
FORM = """<form method="post" action="/login"><input name="user"><input name="password">
<input name="token" type="hidden" value="t1"></form>"""


class Asked(NamedTuple):
    """One request, as far as spiders can be compared by it; a referer is a path, as ports differ."""

    method: str
    path: str
    referer: str
    token: str


class Answer(NamedTuple):
    body: str | bytes
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    cookie: str = ""
    location: str = ""


@dataclass
class Shop:
    """Its requests, without those for robots.txt that only some crawlers make."""

    port: int
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def counted(self) -> Counter[Asked]:
        return Counter(self.asked)

    def times(self, path: str) -> int:
        return sum(asked.path == path for asked in self.asked)


def html(title: str, body: str) -> Answer:
    return Answer(f"<html><head><title>{title}</title></head><body>{body}</body></html>")


def quotes(number: int) -> Answer:
    first = (number - 1) * A_PAGE
    rows = "".join(
        f'<div class="quote"><span class="text">{text}</span><a class="author" href="/author/{author[-1]}">'
        f"{author}</a></div>"
        for text, author in QUOTES[first : first + A_PAGE]
    )
    more = first + A_PAGE < len(QUOTES)
    return html(f"Page {number}", rows + (f'<li class="next"><a href="/page/{number + 1}">Next</a>' * more))


def goods(number: int) -> Answer:
    """Return a page of a shop where every page leads to the next, to all others, and elsewhere."""
    links = [f"/goods/{other}" for other in (1, (number + 1) % GOODS, (number * 5) % GOODS)]
    links += ["/goods/old/1", "http://localhost:1/elsewhere", "/about", f"/goods/{number}#top"]
    anchors = "".join(f'<a href="{link}">more</a>' for link in links)
    return html(f"Goods {number}", f"<h1>Thing {number}</h1>{anchors}")


def sitemap(base: str, paths: list[str], kind: str = "urlset") -> str:
    entry = "url" if kind == "urlset" else "sitemap"
    rows = "".join(f"<{entry}><loc>{base}{path}</loc></{entry}>" for path in paths)
    return f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{kind}>'


def as_json(value: object) -> Answer:
    return Answer(json.dumps(value), kind="application/json")


def scroll(number: int) -> Answer:
    cards = "".join(f'<p class="card">Card {number}-{row}</p>' for row in range(2))
    return as_json({"html": cards, "next": number + 1 if number < 4 else None})


def answer(shop: Shop, method: str, url: str, form: str, cookie: str) -> Answer:
    parts = urlsplit(url)
    path, query = parts.path, parse_qs(parts.query)
    words = path.strip("/").split("/")
    match words:
        case ["robots.txt"]:
            return Answer(
                f"User-agent: *\nDisallow: /private\nSitemap: {shop.url}/maps.xml\n", kind="text/plain"
            )
        case [""] | ["page", "1"]:
            return quotes(1)
        case ["page", number]:
            return quotes(int(number))
        case ["author", number]:
            return html(f"Author {number}", f'<h3>Author {number}</h3><a href="/">home</a>')
        case ["goods", "old", _]:
            return html("Old", "<h1>Old thing</h1>")
        case ["goods", number]:
            return goods(int(number))
        case ["maps.xml"]:
            return Answer(sitemap(shop.url, ["/map-1.xml", "/map-2.xml.gz"], "sitemapindex"), kind="text/xml")
        case ["map-1.xml"]:
            return Answer(sitemap(shop.url, ["/goods/1", "/author/1", "/about"]), kind="text/xml")
        case ["map-2.xml.gz"]:
            packed = gzip.compress(sitemap(shop.url, ["/goods/2", "/author/2"]).encode())
            return Answer(packed, kind="application/gzip")
        case ["login"] if method == "POST":
            given = parse_qs(form)
            if given.get("token") == ["t1"] and given.get("user") == ["ann"] and "sid=0" in cookie:
                return Answer("", 302, cookie="sid=7", location="/account")
            return html("Login", "<p>Wrong</p>")._replace(cookie="sid=0")
        case ["login"]:
            fields = '<input name="user"><input name="token" type="hidden" value="t1"><input name="password">'
            return html("Login", f'<form method="post" action="/login">{fields}</form>')._replace(
                cookie="sid=0"
            )
        case ["account"]:
            return html("Account", f"<b>{'Ann' if 'sid=7' in cookie else 'nobody'}</b>")
        case ["api", "search"]:
            start = json.loads(form)["start"]
            rows = [{"id": number} for number in range(start, min(start + 4, 10))]
            return as_json({"rows": rows, "next": start + 4 if start + 4 < 10 else None})
        case ["api", "item"]:
            return as_json({"id": int(query["id"][0]), "price": 10 * int(query["id"][0])})
        case ["scroll"]:
            return scroll(int(query.get("page", ["1"])[0]))
        case ["moved"]:
            return Answer("", 301, location="/author/3")
        case ["teapot"]:
            return Answer("short and stout", 418)
        case ["flaky"]:
            return html("Flaky", "<p>fine</p>") if shop.times(url) > 2 else Answer("", 503)
        case ["broken"]:
            return Answer("", 500)
        case ["leaf", number]:
            return html(f"Leaf {number}", "")
        case ["deep", number]:
            return html(f"Deep {number}", f'<a href="/deep/{int(number) + 1}">deeper</a>')
        case ["large"]:
            return as_json("x" * 1_100_000)  # more than a page may have
        case ["about"]:
            return html("About", "")
    return Answer("", 404)


@contextmanager
def open_shop(tls: ssl.SSLContext | None = None) -> Iterator[Shop]:
    """Serve the shop until the block ends."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            referer = (self.headers["Referer"] or "").replace(shop.url, "")
            with lock:
                if self.path != "/robots.txt":
                    token = self.headers["X-Token"] or ""
                    shop.asked.append(Asked(self.command, self.path, referer, token))
                found = answer(shop, self.command, self.path, form, self.headers["Cookie"] or "")
            body = found.body if isinstance(found.body, bytes) else found.body.encode()
            self.send_response(found.status)
            self.send_header("Content-Type", found.kind)
            self.send_header("Content-Length", str(len(body)))
            if found.cookie:
                self.send_header("Set-Cookie", f"{found.cookie}; Path=/")
            if found.location:
                self.send_header("Location", found.location)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    shop = Shop(server.server_port)
    serve: Callable[[], None] = partial(server.serve_forever, 0.02)
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield shop
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
