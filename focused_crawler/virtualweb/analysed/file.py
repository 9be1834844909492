"""The file of an analysed web: each page parsed and cut into blocks, and which pages lead to which."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focused_crawler.page.url import normalise
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.safety.progress import shown
from focused_crawler.virtualweb.analysed.reader import ReadChunk, Reading, read_entries, redirect_target
from focused_crawler.virtualweb.analysed.record import (
    Lexicon,
    link_urls,
    pack_listing,
    record_of,
    words_to_bytes,
)
from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.surt import host_key, surt

MAX_HOPS = 10
"""Redirects that a crawl follows for one URL, as REDIRECT_MAX_TIMES has it."""


class WebAnswer(NamedTuple):
    """The answer of a web to one request.

    A redirect has a location, a page a number; a page that refreshes to another has both: it is the page of
    who has had its share of redirects, and leads all others on.
    """

    page: int | None
    location: str | None  # absolute, to be asked for next
    status: int
    reason: str  # why there is neither, by the class that failures are counted under; else empty


class Row(NamedTuple):
    """An answer as it is stored."""

    key: str
    url: str  # as recorded
    page: int | None
    location: str | None  # of a page: absolute; else a header, to be joined with what was asked for
    status: int
    reason: str


_MISSING = WebAnswer(None, None, 404, "http_404")


class WebAnswers:
    """The answers of a web. `rows` hold those of a lookup key in the order in which they are preferred."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row.key].append(row)

    def answer(self, url: str) -> WebAnswer:
        """Return the answer of the web to a request for `url`."""
        rows = self._rows.get(surt(url))
        if rows is None:
            return _MISSING
        row = rows[0] if len(rows) == 1 else next((row for row in rows if row.url == url), rows[0])
        _, _, page, location, status, reason = row
        if location is None or status in PAGE_STATUSES:
            return WebAnswer(page, location, status, reason)
        target = redirect_target(url, location)
        return WebAnswer(None, target, status, "" if target is not None else "redirect_location")

    def number(self, url: str) -> int | None:
        """Return the page that `url` leads to at last; None if there is none."""
        answer = self.answer(url)
        for _ in range(MAX_HOPS):
            if answer.location is None:
                break
            answer = self.answer(answer.location)
        return answer.page


FORMAT = 4
"""Raise it when the tables change."""

_SCHEMA = """
CREATE TABLE page (number INTEGER PRIMARY KEY, url TEXT, recorded TEXT, record BLOB);
CREATE TABLE answer (key TEXT, url TEXT, page INTEGER, location TEXT, status INTEGER, reason TEXT);
CREATE TABLE listing (key TEXT PRIMARY KEY, record BLOB);
CREATE TABLE part (name TEXT PRIMARY KEY, value BLOB);
"""
SOURCES = (
    "page/blocks.py", "page/builder.py", "page/encoding.py", "page/listing.py", "page/markup.py",
    "page/model.py", "page/nofollow.py", "page/parser.py", "page/tags.py", "page/url.py",
    "page/text/languages.py", "page/text/tokens.py", "page/text/words.py",
    "safety/content.py", "safety/unpacking.py",
    "virtualweb/exchange.py", "virtualweb/indexing.py", "virtualweb/record.py", "virtualweb/surt.py",
    "virtualweb/analysed/file.py", "virtualweb/analysed/reader.py", "virtualweb/analysed/record.py",
)  # fmt: skip
"""Modules that make pages of records."""

_LIBRARIES = ("lxml", "pystemmer", "regex", "w3lib", "wordfreq")


def code_version() -> int:
    """Return a number that changes with the code that makes pages, and with the libraries it uses."""
    digest = blake2b(repr((FORMAT, [version(name) for name in _LIBRARIES])).encode(), digest_size=7)
    for name in SOURCES:
        digest.update((files("focused_crawler") / name).read_bytes())
    return int.from_bytes(digest.digest())


def fill(db: sqlite3.Connection, warc: Path, reading: Reading, without: Collection[str] = ()) -> None:
    """Read the whole web but some hosts into an empty file; raises WebError.

    A page takes some 3 ms of one processor.
    """
    db.executescript(_SCHEMA)
    left_out = tuple(map(host_key, without))
    with VirtualWeb(warc) as web:
        entries = [entry for entry in web.answering() if not entry.key.startswith(left_out)]
    chunks = read_entries(warc, reading, entries)
    writer = _Writer(db)
    for chunk in shown(chunks, f"Pages of {warc.name}", len(entries), lambda _: writer.done):
        writer.write(chunk)
    writer.finish()


class _Writer:
    """Numbers pages in the order of the web's file, and words and links in the order of the pages."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._words = Lexicon()
        self._urls = Lexicon()
        self._links: list[bytes] = []  # of each page, numbers of URLs
        self._rows: list[Row] = []
        self.done = 0

    def write(self, chunk: ReadChunk) -> None:
        numbers = np.frombuffer(self._words.numbers(chunk.words), dtype="<u4")
        for entry, url, found in chunk.answers:
            page = None
            if found.page is not None:
                page = len(self._links)
                self._links.append(self._urls.numbers(link_urls(found.page)))
                values = page, url, normalise(url) or url, record_of(found.page, numbers)
                self._db.execute("INSERT INTO page VALUES (?, ?, ?, ?)", values)
            if found.listing is not None:
                record = pack_listing(found.listing)
                self._db.execute("INSERT OR IGNORE INTO listing VALUES (?, ?)", (entry.key, record))
            self._rows.append(Row(entry.key, entry.url, page, found.location, found.status, found.reason))
        self.done += len(chunk.answers)

    def finish(self) -> None:
        self._db.executemany("INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?)", self._rows)
        graph = LinkGraph.of(self._targets())
        parts = {
            "words": words_to_bytes(self._words),
            "indptr": graph.indptr.astype("<i8").tobytes(),
            "indices": graph.indices.astype("<i4").tobytes(),
        }
        self._db.executemany("INSERT INTO part VALUES (?, ?)", parts.items())

    def _targets(self) -> Iterator[list[int]]:
        answers = WebAnswers(self._rows)
        found = (answers.number(url) for url in self._urls)
        pages = np.array([-1 if page is None else page for page in found], dtype=np.int64)
        for links in self._links:
            row = pages[np.frombuffer(links, dtype="<u4")]
            yield row[row >= 0].tolist()
