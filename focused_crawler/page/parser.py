"""HTML -> Page: the text and the links of a page, read once, in one pass over its tags."""

from __future__ import annotations

from focused_crawler.page.builder import PageBuilder
from focused_crawler.page.encoding import decode
from focused_crawler.page.markup import reading
from focused_crawler.page.model import Page
from focused_crawler.page.nofollow import NOFOLLOW
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.aside import Parts, finished

MAX_BODY = 10_000_000
"""Bytes of a body that are read; what follows is left out."""

MAX_GARBAGE = 0.1
"""Share of characters at the start of a body that no text holds; above it the body is something else."""

_SAMPLE = 4_096
_CONTROLS = bytes([*range(9), 11, *range(14, 32), 0x7F])


class UnparsablePage(Exception):
    """A body is not HTML, whatever its content type."""


def parse_page(
    body: bytes, url: str, analyzer: Analyzer, encoding: str | None = None, nofollow: str = NOFOLLOW[0]
) -> Page:
    """Read an HTML body fetched from `url`; `blocks` and `links` of the page are left empty.

    `encoding`: as the server declared it, if it did; a byte order mark weighs more, the page's own less.
    `nofollow`: one of `NOFOLLOW`, or `CLOSED`.
    Any HTML is read, however broken; UnparsablePage is raised for a body that is none.
    """
    return finished(parsing(body, url, analyzer, encoding, nofollow))


def parsing(
    body: bytes, url: str, analyzer: Analyzer, encoding: str | None = None, nofollow: str = NOFOLLOW[0]
) -> Parts[Page]:
    """Do what `parse_page` does, in parts."""
    text = decode(body[:MAX_BODY], encoding)
    if not text or text.isspace():
        raise UnparsablePage("the body is empty")
    if body.startswith(b"%PDF-") or _is_garbage(text[:_SAMPLE]):
        raise UnparsablePage("the body is binary data")
    builder = PageBuilder(url, analyzer, nofollow)
    try:
        page: Page = yield from reading(text, builder)
    finally:
        builder.forget()  # a parser and its context hold each other, and it, until garbage is collected
    page.size = len(body)
    return page


def _is_garbage(sample: str) -> bool:
    encoded = sample.encode("utf-8", "replace")
    controls = len(encoded) - len(encoded.translate(None, _CONTROLS))
    return controls + sample.count("\ufffd") > MAX_GARBAGE * len(sample)
