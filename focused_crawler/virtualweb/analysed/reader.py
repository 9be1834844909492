"""Reads the records of a web in worker processes, in order: each a page, a redirect or a failure.

As a crawl does: its middlewares see a recorded response in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import current_process
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.encoding import http_content_type_encoding
from w3lib.html import get_base_url, get_meta_refresh
from w3lib.url import safe_url_string

from focused_crawler.page.blocks import partition
from focused_crawler.page.encoding import decode, encoding_of
from focused_crawler.page.listing import (
    ROBOTS,
    ListedUrl,
    SiteListing,
    UnreadableListing,
    named_sitemaps,
    read_listing,
)
from focused_crawler.page.nofollow import NOFOLLOW, ROBOTS_TAG, nofollow_of
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import normalise
from focused_crawler.safety.content import (
    PAGE_STATUSES,
    REDIRECTS,
    binary_format,
    looks_like_html,
    media_type,
    refresh_head,
)
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.workers import Pool, WorkerDied
from focused_crawler.virtualweb.analysed.record import Lexicon, Packed, pack
from focused_crawler.virtualweb.indexing import IndexEntry
from focused_crawler.virtualweb.record import WebRecord, all_of, read_record
from focused_crawler.virtualweb.warc_file import open_warc

_CHUNK = 100  # records
_ALONE = 600  # records that are read sooner than a process has started

LONGEST_REFRESH = 100
"""Seconds; a <meta> refresh that takes as long is none (Scrapy's METAREFRESH_MAXDELAY)."""

_HEAD = 4096  # characters that a refresh has to stand in
_NO_REFRESH = ("noscript",)  # tags that a refresh does not count in (Scrapy's METAREFRESH_IGNORE_TAGS)
_HTML = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_TEXTUAL = ("text/", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "application/xml",
            "application/atom+xml", "application/rdf+xml", "application/rss+xml", "application/json",
            "application/x-json", "application/javascript", "application/x-javascript")  # fmt: skip
_BINARY = frozenset(range(32)) - frozenset(b"\0\t\n\r\x1b")


@dataclass(frozen=True, slots=True)
class Reading:
    """All that the reading of a page depends on: pages read in two ways are stored apart."""

    language: str = "en"  # ISO 639-1
    block_alpha: float = 0.5
    block_min_words: int = 10
    context_words: int = 10
    max_page_bytes: int = 1024 * 1024
    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml")
    nofollow: str = NOFOLLOW[0]


class Found(NamedTuple):
    """What became of a response. A page that refreshes has a location as well."""

    status: int
    page: Packed | None = None
    location: str | None = None  # of a redirect: its header; of a refresh: absolute
    reason: str = ""  # why it is neither page nor redirect
    listing: SiteListing | None = None  # it is a sitemap or feed, or the sitemaps that a robots.txt names


def read_response(record: WebRecord, reading: Reading, analyzer: Analyzer, lexicon: Lexicon) -> Found:
    """Return the page of a response with its blocks and links, or what it is else."""
    status = record.status
    if status in REDIRECTS and (header := record.header("Location")):
        return Found(status, location=header)
    if status not in PAGE_STATUSES:
        return Found(status, reason=f"http_{status}" if 100 <= status <= 999 else "status")
    if fault := _fault(record, reading):
        return Found(status, reason=fault, listing=_listing(record))
    location = _refresh(record)
    content_type = record.header("Content-Type")
    try:
        encoding = http_content_type_encoding(content_type)
        nofollow = nofollow_of(reading.nofollow, all_of(record.headers, ROBOTS_TAG))
        page = parse_page(record.body, record.url, analyzer, encoding, nofollow)
    except UnparsablePage:
        return Found(status, location=location, reason="unparsable")
    partition(page, reading.block_alpha, reading.block_min_words, reading.context_words)
    return Found(status, pack(page, lexicon, reading.context_words), location)


def redirect_target(url: str, header: str) -> str | None:
    """Return where a Location header leads from a requested URL; None where no crawl can follow.

    >>> redirect_target("http://example.org/a/b", "../c d#e")
    'http://example.org/c%20d'
    """
    try:
        scheme = urlsplit(header.strip()).scheme
        location = safe_url_string(header)
        if header.startswith("//"):
            location = f"{url.partition('://')[0]}://{location.lstrip('/')}"
        target = urljoin(url, location)
    except ValueError:
        return None
    return _requested(target) if scheme in {"", "http", "https"} and header.strip() else None


def _requested(url: str) -> str | None:
    """Return a URL as a request has it, None if none can be made."""
    try:
        url = safe_url_string(url).partition("#")[0]
    except ValueError:
        return None
    return url if urlsplit(url).scheme in {"http", "https"} and normalise(url) is not None else None


def _fault(record: WebRecord, reading: Reading) -> str:
    """Return why a response with the status of a page is none, by type and size; the type first."""
    kind = media_type(record.header("Content-Type").encode("utf-8", "replace"))
    body = record.body
    if kind is not None and kind not in reading.content_types:
        return "content_type"
    if record.header("Content-Encoding"):
        return "undecodable"
    if len(body) > reading.max_page_bytes:
        return "page_bytes"
    if kind is None and not looks_like_html(body):
        return "content_type"
    if binary_format(body):
        return "disguised"
    is_text = not _BINARY.intersection(body[:5000]) if kind is None else kind.startswith(_TEXTUAL)
    return "" if is_text else "not_html"


def _listing(record: WebRecord) -> SiteListing | None:
    """Return what a response that is no page lists for crawlers."""
    url = normalise(record.url) or record.url
    if urlsplit(url).path == "/robots.txt":
        named = named_sitemaps(record.body, url)
        return SiteListing(ROBOTS, tuple(map(ListedUrl, named))) if named else None
    try:
        return read_listing(record.body, url)
    except UnreadableListing:
        return None


def _refresh(record: WebRecord) -> str | None:
    """Return where a page's <meta http-equiv=refresh> leads."""
    header = record.header("Content-Type")
    kind = media_type(header.encode("utf-8", "replace"))
    head = refresh_head(record.body)
    if (kind is not None and kind not in _HTML) or head is None:
        return None
    label = http_content_type_encoding(header)
    encoding, text = encoding_of(head, label), decode(head, label)[:_HEAD]
    try:
        base = get_base_url(text, record.url, encoding)
        seconds, url = get_meta_refresh(text, base, encoding, _NO_REFRESH)
    except ValueError:
        return None
    return _requested(url) if url and seconds is not None and seconds < LONGEST_REFRESH else None


class ReadChunk(NamedTuple):
    """Some records of a web, and the words that the numbers in their pages mean."""

    words: list[str]
    answers: list[tuple[IndexEntry, str, Found]]  # the URL is the page's: base of its links


class _Reader:
    def __init__(self, warc: Path, reading: Reading) -> None:
        self._file = open_warc(warc)
        self._reading = reading
        self._analyzer = Analyzer(reading.language)

    def read(self, entries: Sequence[IndexEntry]) -> ReadChunk:
        lexicon, answers = Lexicon(), []
        for entry in entries:
            record = read_record(self._file, entry.offset, entry.payload)
            found = read_response(record, self._reading, self._analyzer, lexicon)
            answers.append((entry, record.url, found))
        return ReadChunk(list(lexicon), answers)

    def close(self) -> None:
        self._file.close()


def read_entries(warc: Path, reading: Reading, entries: Sequence[IndexEntry]) -> Iterator[ReadChunk]:
    """Read records on all processors, on this one alone where there are few; raises WebError."""
    chunks = [entries[at : at + _CHUNK] for at in range(0, len(entries), _CHUNK)]
    processes = min(os.cpu_count() or 1, len(entries) // _ALONE)
    if processes <= 1 or current_process().daemon:  # a daemon may have no processes of its own
        with closing(_Reader(warc, reading)) as reader:
            yield from map(reader.read, chunks)
        return
    try:
        with Pool(processes) as pool:
            yield from pool.in_order([partial(_read, warc, reading, chunk) for chunk in chunks])
    except WorkerDied as error:
        raise WebError(f"{warc}: {error}; try again, with more memory free if need be") from None


@lru_cache(maxsize=1)
def _reader(warc: Path, reading: Reading) -> _Reader:
    return _Reader(warc, reading)


def _read(warc: Path, reading: Reading, entries: Sequence[IndexEntry]) -> ReadChunk:
    return _reader(warc, reading).read(entries)
