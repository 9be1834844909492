"""What a response is: its body by its Content-Type header, else by its first bytes; what its status means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import setting

SNIFFED_BYTES = 512
"""Bytes that are enough to tell HTML from anything else (WHATWG MIME Sniffing allows up to 1,445)."""

LISTING_BYTES = 10 * 1024 * 1024
"""Of a sitemap or feed, when its Content-Encoding is undone; a file that is gzip itself is unpacked later."""

_MEDIA_TYPE = re.compile(r"(?:\A|,)[ \t]*([a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+)(?=[; \t,]|\Z)")
_HTML = re.compile(
    rb"<(?:!doctype html|!--|(?:html|head|body|title|meta|link|script|style|iframe|div|table|font|center"
    rb"|h[1-6]|article|section|main|nav|header|ul|ol|dl|form|img|span|br|p|a|b)[\s/>])"
)
_XHTML = re.compile(rb"<\?xml\s.*?<(?:!doctype\s+html|html)[\s>]", re.DOTALL)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_BINARY = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x1f\x9d", "compress"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x89PNG\r\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"RIFF", "RIFF"),
    (b"OggS\x00", "Ogg"),
    (b"ID3", "MP3"),
    (b"\x1aE\xdf\xa3", "Matroska"),
    (b"\x7fELF", "ELF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE"),
)


def media_type(header: bytes | None) -> str | None:
    """Return type/subtype in lower case; "" for a header that is none, None if there is no header.

    As browsers read it: of several types the last counts, and one ends at a space.

    >>> media_type(b" Text/HTML; charset=utf-8"), media_type(b"nonsense"), media_type(None)
    ('text/html', '', None)
    >>> media_type(b"text/plain, text/html charset=utf-8")
    'text/html'
    """
    if header is None or not header.strip():
        return None
    found: list[str] = _MEDIA_TYPE.findall(header.decode("latin-1").lower())
    return found[-1] if found else ""


def _media_types(name: str, value: Any) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else ()
    types = tuple(media_type(str(one).encode()) or "" for one in names)
    if not types or "" in types:
        raise ConfigError(f"{name} is {value!r}; use a list of types, as in ['text/html']")
    return types


def _bytes(name: str, value: Any) -> int:
    try:
        size = int(value)
    except (TypeError, ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise ConfigError(f"{name} is {value!r}; use a number of bytes, as in 1048576")
    return size


@dataclass(frozen=True, slots=True)
class PageLimits:
    """What a response must be to be read as a page."""

    content_types: tuple[str, ...] = setting(
        "FOCUSED_CONTENT_TYPES", ["text/html", "application/xhtml+xml"], _media_types
    )
    max_page_bytes: int = setting("FOCUSED_MAX_PAGE_BYTES", 1024 * 1024, _bytes)


def looks_like_html(body: bytes) -> bool:
    """Say whether the first bytes begin an HTML or XHTML page.

    >>> looks_like_html(b"  <!DOCTYPE html><p>"), looks_like_html(b"%PDF-1.7 <p>")
    (True, False)
    """
    head = _without_bom(body[:SNIFFED_BYTES]).lstrip().lower()
    return bool(_HTML.match(head) or _XHTML.match(head))


def binary_format(body: bytes) -> str | None:
    """Return the name of the binary format whose signature the body begins with.

    >>> binary_format(b"%PDF-1.7 ..."), binary_format(b"<p>PK")
    ('PDF', None)
    """
    if body[4:8] == b"ftyp":
        return "MP4"
    return next((name for signature, name in _BINARY if body.startswith(signature)), None)


_REFRESH_BYTES = 16 * 1024
"""They hold the 4,096 characters that Scrapy looks for a refresh in, whatever their encoding."""


def refresh_head(body: bytes) -> bytes | None:
    """Return the part of a page that Scrapy looks for a <meta> refresh in, None where the word is not in it.

    >>> refresh_head(b"<meta http-equiv=Refresh>"), refresh_head(b"<p>")
    (b'<meta http-equiv=Refresh>', None)
    """
    head = body[:_REFRESH_BYTES]
    is_named = b"refresh" in head.lower().replace(b"\0", b"")  # which stand between in UTF-16 and UTF-32
    return head if is_named else None


def _without_bom(head: bytes) -> bytes:
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return head.removeprefix(bom).decode(encoding, "replace").encode("utf-8", "replace")
    return head


PARTIAL = 206
PAGE_STATUSES = frozenset({200, 201, 203, PARTIAL})
"""What comes with them is a page, as in browsers. Not 202: that is sent while a page is made, or a browser
checked."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
"""They may pass."""

NOT_MODIFIED = 304


YEAR = 366 * 86_400.0  # seconds


def seconds_asked(after: str) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if it is neither.

    At most a year.

    >>> seconds_asked(" 7 "), seconds_asked("Mon, 01 Jan 2001 00:00:00 GMT"), seconds_asked("-1")
    (7.0, 0.0, None)
    """
    with suppress(ValueError, OverflowError):
        if after.strip().isdecimal():
            return min(float(after), YEAR)
        moment = parsedate_to_datetime(after)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return min(max(0.0, (moment - datetime.now(UTC)).total_seconds()), YEAR)
    return None
