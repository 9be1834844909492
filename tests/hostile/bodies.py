"""Bodies of 1 MiB that want to hold whoever reads them; one function each, or a unit that is repeated."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import count

SIZE = 1024 * 1024


def repeated(unit: str, before: str = "") -> bytes:
    start, piece = before.encode(), unit.encode()
    return start + piece * ((SIZE - len(start)) // len(piece))


def numbered(piece: Callable[[int], str], before: str = "") -> bytes:
    parts, size = [before], len(before)
    for number in count():
        parts.append(piece(number))
        size += len(parts[-1].encode())
        if size > SIZE:
            return "".join(parts[:-1]).encode()
    raise AssertionError


def characters(first: int, last: int) -> bytes:
    some = random.Random(first)
    return "".join(chr(some.randint(first, last)) for _ in range(SIZE // 3)).encode()


BODIES: dict[str, Callable[[], bytes]] = {
    "nested": lambda: repeated("<div>"),
    "blocks": lambda: repeated("<p>a"),
    "stray end tags": lambda: repeated("<u></b>"),
    "stray ends in deep": lambda: b"<div>" * 100_000 + b"</i>" * 130_000,
    "headlines": lambda: repeated("<h1>b c</h1>"),
    "links": lambda: numbered(lambda n: f"<a href=/{n:x}>{n % 1000}</a>"),
    "queries": lambda: numbered(lambda n: f'<a href="/?{"&".join(f"a{k}=%C3" for k in range(20))}{n}">x</a>'),
    "names": lambda: numbered(lambda n: f'<a href="http://{"é" * 50}{n}.test/">x</a>'),
    "sessions": lambda: numbered(lambda n: f'<a href="/?{"sid=1&" * 50}{n}=1">x</a>'),
    "steps": lambda: numbered(lambda n: f'<a href="{"../" * 60}{n}">x</a>'),
    "attributes": lambda: numbered(lambda n: f"a{n:x} ", "<p ") + b">",
    "unclosed tags": lambda: repeated("<a "),
    "brackets": lambda: repeated("<"),
    "title": lambda: b"<title>" + b" " * (SIZE - 40) + b"x</title>",
    "anchor": lambda: b"<a href=/>" + b" \n\t" * ((SIZE - 40) // 3) + b"x</a>",
    "refresh": lambda: b'<meta http-equiv="refresh" content="0' + b" " * (SIZE - 60) + b';url=/x">',
    "refreshes": lambda: repeated("<meta http-equiv=refresh "),
    "token": lambda: repeated("a"),
    "apostrophes": lambda: repeated("a'"),
    "entity": lambda: repeated("a", "&"),
    "entities": lambda: repeated("&#x41;"),
    "script": lambda: repeated("a<b ", "<script>"),
    "comment": lambda: repeated("- ", "<!--"),
    "comments": lambda: repeated("<!--"),
    "bases": lambda: numbered(lambda n: f'<base href="http://h{n}.test/">'),
    "base": lambda: repeated("<a href=../x>b</a>", f'<base href="http://h.test/{"a/" * 900}">'),
    "skipped": lambda: b"<script></script>" + b"<svg>" * 90_000 + b"</svg>" * 90_000,
    "characters": lambda: characters(0x100, 0xD000),
    "han": lambda: characters(0x4E00, 0x9FFF),
    "accents": lambda: repeated("\u0301", "a"),
    "words": lambda: numbered(lambda n: f"{random.Random(n).getrandbits(40):x} "),
}
"""By name: each is the body of a page of `bodies.test`."""


@cache
def body(name: str) -> bytes:
    """Return one of the bodies, made once: the slowest take a second."""
    return BODIES[name]()


CHARSETS = (
    "punycode", "idna", "hex", "zlib", "rot13", "base64", "bz2", "uu", "quopri", "unicode_escape", "utf-7",
    "undefined", "a" * 2000,
)  # fmt: skip
"""Each labels two pages: in the header, and in the page's own <meta>."""
