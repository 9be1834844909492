"""Hosts for the groups of bad input, each a small site stuffed with the topic."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from random import Random
from urllib.parse import quote, urlsplit

from tests.hostile.hosts import WORDS, anchors, html
from tests.hostile.web import NAMES, Answer, Asked, host

NAMES |= {"flips.test": ["127.0.0.1"], "public-and-private.test": ["127.0.0.1", "10.0.0.1"]}

UNSAFE = (
    "\x1b[31m\x1b]0;owned\x07 [red]bold[/red] [/] \u202etxt.exe \x00"
    " =HYPERLINK(1) '\"; DROP TABLE pages; -- %s %"
)
"""What a terminal, a table, a spreadsheet and a database would misread."""


def site(name: str) -> Callable[[Answer], Answer]:
    """Register a site that allows robots everything and answers every other path itself."""

    def register(answer: Answer) -> Answer:
        async def whole(asked: Asked) -> None:
            if asked.path == "/robots.txt":
                await asked.page("", status="404 Not Found")
            else:
                await answer(asked)

        host(name)(whole)
        return answer

    return register


def below(asked: Asked) -> str:
    """Return what stands behind the first slash."""
    return urlsplit(asked.path).path[1:]


# --- addresses and their spellings, redirects ---------------------------------------------------------

PRIVATE = (
    "127.0.0.9", "10.0.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[::1]", "[fe80::1]",
    "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "2130706433", "0x7f.1", "0177.0.0.1", "0", "localhost",
)  # fmt: skip
ODD_URLS = (
    "http://good@honest.test/", "http://honest.test:0/", "http://honest.test:99999/", "http:///page",
    "http://[::1/x", "http://ho\u202enest.test/", "file:///etc/passwd", "javascript:alert(1)",
    "data:text/html,<p>x", "gopher://a/", "ftp://127.0.0.1/", "http://" + "a" * 300 + ".test/",
    "http://a..test/", "http://honest.test/" + "x" * 9000, "//", "\\\\honest.test\\share",
    "http://honest.test/\x00\x1b[2J", "mailto:a@b", "http://xn--a-.test/", "?" * 3000,
)  # fmt: skip


@site("addresses.test")
async def addresses(asked: Asked) -> None:
    urls = [f"http://{address}/secret" for address in PRIVATE] + [
        asked.url("inside.test"),
        asked.url("mixed.test"),
    ]
    await asked.page(
        html("honey", WORDS + anchors([quote(url, safe=":/@[]?%") for url in urls]) + anchors(list(ODD_URLS)))
    )


@site("redirects.test")
async def redirects(asked: Asked) -> None:
    """To private addresses, other schemes, in circles, without end, and to itself under ever new names."""
    path = below(asked)
    targets = {
        "private": "http://10.0.0.1/", "file": "file:///etc/passwd", "loop": "/loop", "empty": "", "broken": "http://[",
        "metadata": asked.url("metadata.test"), "script": "javascript:1", "long": "/" + "x" * 60_000,
    }  # fmt: skip
    if not path:
        await asked.page(
            html("honey", WORDS + anchors([f"/{name}" for name in [*targets, "hops-40", "self"]]))
        )
        return
    if path.startswith("hops-"):
        targets[path] = f"/hops-{int(path[5:]) + 1}"
    target = targets.get(path, f"/self?{Random().random()}")
    await asked.page("", f"Location: {target}", "Refresh: 0; url=file:///etc/passwd", status="302 Found")


# --- traps --------------------------------------------------------------------------------------------


@site("calendar.test")
async def calendar(asked: Asked) -> None:
    """A day a page, each with the next; sessions, orders of parameters, and paths that grow."""
    day = below(asked) or "2026-01-01"
    with suppress(ValueError):
        day = str(date.fromisoformat(day) + timedelta(days=1))
    random = Random(asked.path)
    links = [
        f"/{day}",
        f"/{day}?sid={random.getrandbits(64):x}",
        "more/" + day,
        f"?a={random.random()}&b=1&c=2",
    ]
    await asked.page(html(f"honey {day}", f"bee diary {anchors(links)}"))


@site("poison.test")
async def poison(asked: Asked) -> None:
    """Page after page on the topic, each with a text of its own and a hundred more."""
    random = Random(asked.path)
    words = " ".join(random.choices(WORDS.split(), k=80))
    await asked.page(
        html(f"honey {random.random()}", words + anchors([f"/{random.getrandbits(60)}" for _ in range(100)]))
    )


# --- texts, headers, cookies --------------------------------------------------------------------------


@site("texts.test")
async def texts(asked: Asked) -> None:
    """Titles, anchors, URLs and headers that mean something to a terminal, a table or a database."""
    number = int(below(asked) or 0) if below(asked).isdecimal() else 99
    links = [
        f"/{number + 1}?{quote(UNSAFE)}",
        f"/../../etc/passwd%00{number}",
        f"/{'%2e%2e/' * 9}x",
        f"/{quote(UNSAFE)}",
    ]
    body = html(f"honey {UNSAFE} \ud800 {number}", WORDS + anchors(links if number < 5 else [], UNSAFE))
    cookies = [f"Set-Cookie: c{n}={'x' * 900}; Domain=test" for n in range(50)]
    await asked.page(body, f"X-Unsafe: {UNSAFE}", "ETag: " + "e" * 5000, "Last-Modified: \x1b[2J", *cookies)


BRIGHT = "\x1b[31m\x1b]0;own\x07\x9b2J"
"""What turns a terminal red, names its window and clears it; in a header no line can end."""
PAINTED: dict[str, tuple[str, list[str]]] = {
    "status": (f"200 {BRIGHT}", []),
    "no-page": (f"404 {BRIGHT}", []),
    "type": ("200 OK", [f"Content-Type: {BRIGHT}"]),
    "coding": ("200 OK", [f"Content-Encoding: {BRIGHT}"]),
    "location": ("302 Found", [f"Location: /to{BRIGHT}"]),
    "elsewhere": ("302 Found", [f"Location: http://{BRIGHT}.test/"]),
    "scheme": ("302 Found", [f"Location: {BRIGHT}:x"]),
    "wait": (f"503 {BRIGHT}", [f"Retry-After: {BRIGHT}"]),
    "reset": ("302 Found", ["Location: http://\x1bc\x07.test/"]),
    "values": ("200 OK", [f"Server: {BRIGHT}", f"Set-Cookie: a={BRIGHT}; Domain=b", f"ETag: {BRIGHT}"]),
    "names": ("200 OK", [f"X-{BRIGHT}: x"]),
    "no-colon": ("200 OK", [BRIGHT]),
}  # fmt: skip


@site("painted.test")
async def painted(asked: Asked) -> None:
    """Answers whose every part is painted, a page each."""
    path = below(asked)
    if path == "no-http":
        await asked.send(f"HTTP/{BRIGHT}\r\n{BRIGHT}\r\n\r\n".encode("latin-1"))
    elif path == "chunks":
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        await asked.send(f"{head}{BRIGHT}\r\nhoney".encode("latin-1"))
    elif path in PAINTED:
        status, headers = PAINTED[path]
        await asked.page(html(f"honey {BRIGHT}", WORDS + path), *headers, status=status)
    else:
        names = [*PAINTED, "no-http", "chunks"]
        await asked.page(html(f"honey {BRIGHT}", WORDS + anchors([f"/{name}" for name in names], BRIGHT)))


# --- bodies -------------------------------------------------------------------------------------------

NESTED = "<div>" * 100_000
BODIES: dict[str, tuple[str | bytes, str]] = {
    "punycode": ("a" * 200_000, "text/html; charset=punycode"),
    "rot13": ("a" * 1000, "text/html; charset=rot13"),
    "utf-7": (html("honey", WORDS), "text/html; charset=utf-7"),
    "nested": (html("honey", NESTED + WORDS), ""),
    "spaces": (html(" " * 100_000, WORDS + f"<a href=/x>{' ' * 100_000}</a>"), ""),
    "one-token": (html("honey", "x" * 500_000), ""),
    "many-links": (html("honey", WORDS + anchors([f"/l{n}" for n in range(10_000)])), ""),
    "long-base": (
        html("honey", anchors([f"l{n}" for n in range(3000)]), f"<base href='/{'b' * 2000}/'>"),
        "",
    ),
    "attribute": (html("honey", f"<p title='{'y' * 500_000}'>{WORDS}"), ""),
    "unclosed": (f"<title>honey</title>{WORDS}<!-- " + "z" * 100_000, ""),
    "lies-pdf": (b"%PDF-1.7" + bytes(5000), "text/html"),
    "lies-zip": (b"PK\x03\x04" + bytes(5000), "text/html"),
    "image": (html("honey", WORDS), "image/png"),
    "empty": ("", ""),
    "refresh": (html("honey", WORDS, "<meta http-equiv=refresh content='0; url=http://10.0.0.1/'>"), ""),
    "entities": (html("honey", "<!DOCTYPE x [<!ENTITY a 'bee'>]>" + "&a;" * 50_000), "application/xhtml+xml"),
}


@site("kinds.test")
async def kinds(asked: Asked) -> None:
    body = BODIES.get(below(asked))
    if body is None:
        await asked.page(html("honey", WORDS + anchors([f"/{name}" for name in BODIES])))
    else:
        await asked.page(body[0], kind=body[1])


# --- servers ------------------------------------------------------------------------------------------

SLOW = ("endless", "silent", "slow-head", "drip", "lying-length", "no-http", "closes")


@site("servers.test")
async def servers(asked: Asked) -> None:
    """Servers that answer too much, too late, or not at all."""
    kind = below(asked)
    if kind == "endless":
        await asked.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while True:
            await asked.send(b"<p>honey" * 2000)
    elif kind == "silent":
        await asyncio.sleep(60)
    elif kind in {"slow-head", "drip"}:
        end = b"\r\n\r\n" if kind == "drip" else b"\r\n"
        await asked.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html" + end)
        while True:
            await asyncio.sleep(0.3)
            await asked.send(b"x")
    elif kind == "lying-length":
        await asked.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nhoney")
    elif kind == "no-http":
        await asked.send(b"\x16\x03\x01 nothing")
    elif kind != "closes":
        await asked.page(html("honey", WORDS + anchors([f"/{name}" for name in SLOW])))


@site("busy.test")
async def busy(asked: Asked) -> None:
    """Servers that want to be waited for, longer than anybody can."""
    wait, status = ("nan", "429 Slow") if below(asked) else ("99999999", "503 Busy")
    await asked.page("", f"Retry-After: {wait}", status=status)


ROBOTS = {
    "endless": None,
    "rules": "User-agent: *\n" + "".join(f"Allow: *{n:x}\n" for n in range(40_000)),
    "stars": "User-agent: *\nDisallow: /" + "*a" * 2000 + "$\n",
    "delay": "User-agent: *\nCrawl-delay: nan\nCrawl-delay: -1\nCrawl-delay: 1e9\n",
    "moved": "",
    "down": "",
    "binary": "\x00\xff" * 5000,
}


@host(*(f"{name}.rules.test" for name in ROBOTS))
async def odd_robots(asked: Asked) -> None:
    name = asked.host.partition(".")[0]
    if asked.path != "/robots.txt":
        await asked.page(html(f"honey {name}", WORDS))
    elif name == "endless":
        await asked.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            await asked.send(b"# more\n" * 2000)
    elif name == "moved":
        await asked.page("", "Location: http://10.0.0.1/robots.txt", status="301 Moved")
    elif name == "down":
        await asked.page("", status="500 Down")
    else:
        await asked.page(ROBOTS[name] or "", kind="text/plain")


@site("rules.test")
async def rules(asked: Asked) -> None:
    await asked.page(html("honey", WORDS + anchors([asked.url(f"{name}.rules.test") for name in ROBOTS])))


GROUPS = (
    "addresses",
    "redirects",
    "calendar",
    "poison",
    "texts",
    "kinds",
    "servers",
    "rules",
    "dead",
    "spam",
)


@site("hub.test")
async def hub(asked: Asked) -> None:
    """The way to all of them, and to the honest site."""
    hosts = [*(f"{name}.test" for name in GROUPS), "honest.test"]
    await asked.page(html("honey", WORDS + anchors([asked.url(name) for name in hosts])))
