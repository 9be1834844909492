"""Sitemaps and feeds: what sites publish for crawlers, read as entries; whatever they hold is hostile."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from itertools import chain, islice
from typing import Any, NamedTuple

from lxml import etree

from focused_crawler.page.url import normalise
from focused_crawler.safety.aside import Parts, finished
from focused_crawler.safety.unpacking import GZIP, gunzipped

MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 50_000
"""Of a sitemap, unpacked, and of any listing (sitemaps.org); what follows is left out."""

INDEX, SITEMAP, FEED, ROBOTS = "index", "sitemap", "feed", "robots"

MOST_NAMED = 10
"""Sitemaps that are read of a robots.txt."""

_PART = 16 * 1024
_LONGEST = {"loc": 2_048, "link": 2_048, "guid": 2_048, "lastmod": 64, "pubDate": 64, "updated": 64,
            "published": 64, "date": 64, "title": 300, "description": 2_000, "summary": 2_000,
            "content": 2_000}  # fmt: skip
"""Elements that are read, and their characters."""

_ROOTS = {"urlset": SITEMAP, "sitemapindex": INDEX, "rss": FEED, "RDF": FEED, "feed": FEED}
_ENTRIES = frozenset(["url", "sitemap", "item", "entry"])
_DATES = ("lastmod", "updated", "pubDate", "published", "date")
_TAG = re.compile(r"<[A-Za-z/!?][^>]*+>?")  # a text that is cut may end in one
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_REFERENCE = 10
"""Bytes of the longest one."""
_AMPERSAND = "\x7f"
"""Stands for a bare one, in CDATA as well: XML may have it, and no text or URL does."""
_SAYS_16 = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[^>]{1,100}?encoding\s*=\s*.utf-?16", re.IGNORECASE)
"""UTF-8 that calls itself UTF-16, as it was in the memory of the program that wrote it (.NET)."""
_IN_ROBOTS = re.compile(rb"^[ \t]*site-?maps?[ \t]*:[ \t]*([^\s#]{1,2083})", re.IGNORECASE | re.MULTILINE)
_URL_LINE = re.compile(r"https?://\S+", re.IGNORECASE)


class UnreadableListing(Exception):
    """A body is neither a sitemap nor a feed."""


class ListedUrl(NamedTuple):
    """What a listing says of a URL."""

    url: str  # normalised
    title: str = ""
    summary: str = ""
    changed_at: float | None = None  # lastmod, in seconds since the epoch


class SiteListing(NamedTuple):
    """A sitemap, an index of sitemaps, or a feed."""

    kind: str
    entries: tuple[ListedUrl, ...]  # each URL once, in the order of the file


def read_listing(body: bytes, url: str) -> SiteListing:
    """Return what a body fetched from `url` lists; raises UnreadableListing.

    XML of the protocol, RSS, Atom, or a URL a line; packed by gzip or not. Broken XML is read as far as it
    goes. No entity is known but XML's own five, and none is defined.
    """
    return finished(reading_listing(body, url))


def reading_listing(body: bytes, url: str) -> Parts[SiteListing]:
    """Do what `read_listing` does, in parts."""
    chunks = _narrow(_unpacked(body))
    first = next(chunks, b"").lstrip(b" \t\r\n")
    first += next(chunks, b"") if len(first) < _PART else b""  # some have their first lines packed apart
    if not first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return (yield from _lines(first, chunks))
    if b"<!ENTITY" in first:
        raise UnreadableListing("it defines entities")
    reader = _Reader(url)
    parser = etree.XMLParser(
        target=reader,
        encoding="utf-8" if _SAYS_16.match(first) else None,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
    )
    try:
        for chunk in _readable(chain([first], chunks)):
            parser.feed(chunk)
            if not reader.kind:
                raise UnreadableListing("it is neither sitemap nor feed")
            if reader.is_full:
                break
            yield
        with suppress(etree.XMLSyntaxError):
            parser.close()
    except etree.XMLSyntaxError as error:
        raise UnreadableListing(f"it is no XML ({error})") from None
    return SiteListing(reader.kind, tuple(reader.entries.values()))


def named_sitemaps(robots: bytes, url: str) -> list[str]:
    r"""Return the sitemaps that a robots.txt at `url` names, as they are to be fetched, the first few.

    >>> named_sitemaps(b"User-agent: *\nSitemap: /news.xml # daily", "http://a.org/robots.txt")
    ['http://a.org/news.xml']
    """
    found = (match[1].decode("utf-8", "replace") for match in _IN_ROBOTS.finditer(robots))
    urls = filter(None, (normalise(written, url) for written in islice(found, MOST_NAMED)))
    return list(dict.fromkeys(urls))


def _unpacked(body: bytes) -> Iterator[bytes]:
    """Yield a body in chunks, unpacked if it is gzip: never more than `MAX_BYTES`, nor all at once."""
    if not body.startswith(GZIP):
        yield from (body[at : at + _PART] for at in range(0, min(len(body), MAX_BYTES), _PART))
        return
    with suppress(zlib.error):  # as far as it goes
        yield from gunzipped(body, MAX_BYTES)


def _narrow(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Return what is in UTF-16 as UTF-8, and all else as it is."""
    first = next(chunks, b"")
    chunks = chain([first], chunks)
    is_marked = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_marked and b"\0" not in first[:2]:
        return chunks
    name = "utf-16" if is_marked else "utf-16-le" if first[1:2] == b"\0" else "utf-16-be"
    return (text.encode() for text in codecs.iterdecode(chunks, name, "replace"))


def _readable(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield XML in which another sign stands for an ampersand that is bare, as many are in URLs."""
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        cut = text.rfind(b"&", max(0, len(text) - _REFERENCE))  # the next chunk says what it is
        text, rest = (text[:cut], text[cut:]) if cut >= 0 else (text, b"")
        yield _BARE.sub(_AMPERSAND.encode(), text)
    yield _BARE.sub(_AMPERSAND.encode(), rest)


def _lines(first: bytes, chunks: Iterator[bytes]) -> Parts[SiteListing]:
    """Read a sitemap of a URL a line."""
    found: dict[str, ListedUrl] = {}
    rest, is_cut = first, False
    while not is_cut:
        *lines, last = rest.decode("utf-8-sig", "replace").split("\n")
        chunk = next(chunks, b"")
        for line in lines if chunk else [*lines, last]:
            if not line.strip():
                continue
            if len(line) > _LONGEST["loc"] or not _URL_LINE.fullmatch(line.strip()):
                raise UnreadableListing("it is neither sitemap nor feed")
            if (url := normalise(line.strip())) is not None:
                found.setdefault(url, ListedUrl(url))
        is_cut = len(found) >= MAX_ENTRIES or len(last) > _LONGEST["loc"]
        if not chunk:
            break
        yield
        rest = last.encode() + chunk
    if not found:
        raise UnreadableListing("it is empty")
    return SiteListing(SITEMAP, tuple(found.values())[:MAX_ENTRIES])


class _Reader:
    """A parser target that collects entries; no tree is built."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.kind = ""
        self.entries: dict[str, ListedUrl] = {}
        self._way: list[str] = []  # names of the open elements
        self._entry = ""  # that is open
        self._depth = 0  # where it stands
        self._values: dict[str, str] = {}
        self._field = ""  # that is open
        self._text: list[str] = []
        self._room = 0

    @property
    def is_full(self) -> bool:
        return len(self.entries) >= MAX_ENTRIES

    def start(self, tag: str, attributes: Any) -> None:
        name = tag.rpartition("}")[2]
        if not self._way:
            self.kind = _ROOTS.get(name, "")
        has_no_end = name == self._entry and self._way[-1] in {name, *_LONGEST}  # as another begins in it
        if has_no_end or (not self._entry and name in _ENTRIES and self.kind):
            self._add()
            self._entry, self._depth = name, len(self._way)
        elif self._entry and len(self._way) == self._depth + 1 and name in _LONGEST:
            self._field, self._room = name, _LONGEST[name]
            is_own = name == "link" and self.kind == FEED  # in sitemaps it is a translation
            href = attributes.get("href", "") if is_own else ""
            if href and attributes.get("rel", "alternate") == "alternate":
                self._values.setdefault("loc", href[: self._room + 1])
        self._way.append(name)

    def data(self, text: str) -> None:
        if self._field and self._room >= 0:
            self._text.append(text[: self._room + 1])
            self._room -= len(text)

    def end(self, tag: str) -> None:
        name = tag.rpartition("}")[2]
        if self._way:
            self._way.pop()
        if not self._entry:
            return
        if name == self._field and len(self._way) == self._depth + 1:
            self._values.setdefault(name, "".join(self._text).strip())
            self._field = ""
            self._text.clear()
        elif len(self._way) == self._depth:
            self._add()

    def close(self) -> None:
        """Nothing: all is in `entries`."""

    def _add(self) -> None:
        """End the entry that is open, and add it if it is one."""
        values, self._values, self._entry, self._field = self._values, {}, "", ""
        self._text.clear()
        written = values.get("loc") or values.get("link") or values.get("guid") or ""
        is_too_long = len(written) > _LONGEST["loc"]
        url = None if is_too_long or not written else normalise(written.replace(_AMPERSAND, "&"), self._url)
        if url is None or url in self.entries or self.is_full:
            return
        summary = values.get("description") or values.get("summary") or values.get("content") or ""
        date = next((values[name] for name in _DATES if values.get(name)), "")
        self.entries[url] = ListedUrl(
            url, _plain(values.get("title", ""))[: _LONGEST["title"]], _plain(summary), _moment(date)
        )


def _plain(text: str) -> str:
    """Return what a reader sees of a text that may be HTML."""
    return " ".join(unescape(_TAG.sub(" ", text.replace(_AMPERSAND, "&"))).split())


def _moment(written: str) -> float | None:
    """Return a date of W3C's or e-mail's form in seconds since the epoch, None if it is neither.

    >>> _moment("2024-02-01"), _moment("Thu, 01 Feb 2024 00:00:00 GMT"), _moment("yesterday")
    (1706745600.0, 1706745600.0, None)
    """
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, OverflowError, TypeError):
            moment = read(written)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
