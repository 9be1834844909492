"""A virtual web whose pages were analysed once: what a simulated crawl runs on."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np

from focused_crawler.page.listing import SiteListing
from focused_crawler.page.model import Page
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.analysed.file import MAX_HOPS, Row, WebAnswer, WebAnswers, code_version, fill
from focused_crawler.virtualweb.analysed.reader import Reading
from focused_crawler.virtualweb.analysed.record import DAMAGE, unpack, unpack_listing, words_from_bytes
from focused_crawler.virtualweb.cache_file import damaged, open_cache
from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.surt import surt

__all__ = ["MAX_HOPS", "AnalysedWeb", "Reading", "WebAnswer"]


class AnalysedWeb(Closing):
    """The pages of a WARC file by number, in the order of the file, and what its URLs lead to.

    Opening it for the first time reads all pages, in as many processes as there are processors; its file is
    stored beside the web, else in the user's cache, for each `Reading`, until the web or our code changes.
    `without`: hosts that are as if they did not exist; such a web has a file of its own.
    WebError as for `VirtualWeb`. Pages are those that a crawl would take that ignores robots.txt. Not for
    several threads; each process opens its own.
    """

    def __init__(
        self, path: str | Path, reading: Reading | None = None, without: Collection[str] = ()
    ) -> None:
        self.path = Path(path)
        self.reading = reading = reading or Reading()
        variant = repr((reading, sorted(without)) if without else reading)
        kind = f"pages-{blake2b(variant.encode(), digest_size=4).hexdigest()}"
        make = partial(fill, warc=self.path, reading=reading, without=without)
        self._db = open_cache(self.path, kind, code_version(), make, self._load)

    def _load(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Take in all but the pages; ValueError if anything is missing."""
        parts = dict(db.execute("SELECT name, value FROM part"))
        pages = db.execute("SELECT url, recorded FROM page ORDER BY number").fetchall()
        rows = map(Row._make, db.execute("SELECT * FROM answer ORDER BY rowid"))
        if parts.keys() != {"words", "indptr", "indices"}:
            raise ValueError("parts are missing")
        self.graph = graph = LinkGraph(
            np.frombuffer(parts["indptr"], dtype="<i8"), np.frombuffer(parts["indices"], dtype="<i4")
        )
        if len(graph) != len(pages) or not graph.is_sound:
            raise ValueError("pages or links are missing")
        self._page_urls = [url for url, _ in pages]  # what a page's links are relative to
        self.urls: Sequence[str] = [url if url == same else same for url, same in pages]
        """The URL of each page, as a crawl records it."""
        self._answers, self._words = WebAnswers(rows), words_from_bytes(parts["words"])
        return db

    def page(self, number: int) -> Page:
        """Return a page with its blocks and links, its outline used up, its relevance and depth not set."""
        try:
            (record,) = self._db.execute("SELECT record FROM page WHERE number = ?", (number,)).fetchone()
            return unpack(record, self._page_urls[number], self._words, self.reading.context_words)
        except DAMAGE as error:
            raise self._damaged(error) from error

    def listing(self, url: str) -> SiteListing | None:
        """Return the sitemap or feed at `url`, or what a robots.txt names; None if it is none of them."""
        try:
            rows = self._db.execute("SELECT record FROM listing WHERE key = ?", (surt(url),)).fetchall()
            return unpack_listing(rows[0][0]) if rows else None
        except DAMAGE as error:
            raise self._damaged(error) from error

    def answer(self, url: str) -> WebAnswer:
        """Return the answer of the web to a request for `url`: one hop."""
        return self._answers.answer(url)

    def number(self, url: str) -> int | None:
        """Return the page that `url` leads to, redirects followed; None if there is none."""
        return self._answers.number(url)

    def __len__(self) -> int:
        """Number of pages."""
        return len(self.urls)

    def close(self) -> None:
        self._db.close()

    def _damaged(self, error: Exception) -> WebError:
        return damaged(self._db, f"what was read of {self.path}", error)
