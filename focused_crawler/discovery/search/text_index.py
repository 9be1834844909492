"""A full-text index: SQLite's FTS5 over the terms of the project's own analyzer.

It holds no texts, only positions of terms. A page that changes is added again under a new number; what
is under the old one stays in the index and is skipped.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from focused_crawler.discovery.search.wording import Wording, every, every_and_title, some
from focused_crawler.page.model import Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.analysed.file import code_version

FORMAT = 2
"""Raise it when the tables, or what goes into them, change."""

MANY = 10_000
"""Where so many pages have all words, those with one in their titles come first: to weigh all of them against
each other would take too long."""
MOST_LOOSE = 6
"""Words of a long search that pages with some of its words are found by: the rarest."""
_LONGEST_URL = 200

# Terms are words already: only white space parts them. Weights of title, body and URL in BM25.
_SCHEMA = """
CREATE TABLE page (id INTEGER PRIMARY KEY AUTOINCREMENT, page INTEGER NOT NULL UNIQUE);
CREATE VIRTUAL TABLE words USING fts5(title, body, url, content='',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
"""
_RANKED = """
SELECT page.page FROM (
    SELECT rowid, bm25(words, 5.0, 1.0, 2.0) AS weight FROM words WHERE words MATCH ?
    ORDER BY weight, rowid LIMIT ?
) AS found JOIN page ON page.id = found.rowid ORDER BY found.weight, found.rowid LIMIT ?
"""
_COUNTED = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
_ADD = "INSERT INTO words (rowid, title, body, url) VALUES (?, ?, ?, ?)"
_NUMBERED = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'page'"


class Document(NamedTuple):
    """What the index is told of a page."""

    page: int  # its number, wherever it is kept
    title: Terms
    body: Terms
    url: Terms


class TextIndex:
    """Finds pages by their words. Commits nothing; raises sqlite3.Error where its file is damaged."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Use the tables that `create_tables` made."""
        self._db = db
        self._pages: int = db.execute("SELECT count(*) FROM page").fetchone()[0]
        self._passed_over: int = db.execute(_NUMBERED).fetchone()[0] - self._pages

    def __len__(self) -> int:
        """Number of pages that can be found."""
        return self._pages

    def is_worn(self) -> bool:
        """Tell whether so many pages were replaced or removed that the index had better be made anew."""
        return self._passed_over > 1000 + self._pages // 4

    def add(self, documents: Iterable[Document]) -> None:
        """Add pages, or replace them by what is told of them now."""
        for document in documents:
            self.remove([document.page])
            id = self._db.execute("INSERT INTO page (page) VALUES (?)", (document.page,)).lastrowid
            fields = map(_joined, (document.title, document.body, document.url))
            self._db.execute(_ADD, (id, *fields))
            self._pages += 1

    def remove(self, pages: Collection[int]) -> None:
        """Find these pages no more."""
        for page in pages:
            removed = self._db.execute("DELETE FROM page WHERE page = ?", (page,)).rowcount
            self._pages -= removed
            self._passed_over += removed

    def has(self, page: int) -> bool:
        """Tell whether a page can be found."""
        return bool(self._db.execute("SELECT 1 FROM page WHERE page = ?", (page,)).fetchone())

    def find(self, wording: Wording, n: int) -> list[int]:
        """Return up to `n` pages, the best first.

        Pages with all words and phrases; then, where these are fewer, those with all words that any page has,
        beside each other or not; then those with two of the words, or with one where there are but two.
        """
        found = self._with_all(wording, n)
        if len(found) < n:
            counted = sorted((self._count(every(Wording(((term,),)))), term) for term in wording.terms)
            known = [term for count, term in counted if count]
            rare = [term for count, term in counted if 0 < count < MANY][:MOST_LOOSE]
            loose = Wording(tuple((term,) for term in known), wording.excluded)
            if known and set(loose.units) != set(wording.units):
                found |= self._with_all(loose, n)
            if rare and len(found) < n:
                found |= self._ranked(some(loose, rare), n)
        return list(found)[:n]

    def _with_all(self, wording: Wording, n: int) -> dict[int, None]:
        """Return the best pages that have all units; of very many, those with one in the title first."""
        asked, found = every(wording), dict[int, None]()
        if wording.units and self._count(asked) == MANY:
            found |= self._ranked(every_and_title(wording), n)
        if wording.units and len(found) < n:
            found |= self._ranked(asked, n)
        return found

    def _ranked(self, expression: str, n: int) -> dict[int, None]:
        """Return the best pages in their order."""
        rows = self._db.execute(_RANKED, (expression, n + self._passed_over, n))
        return dict.fromkeys(page for (page,) in rows)

    def _count(self, expression: str) -> int:
        """Return how many rows match, at most `MANY`."""
        counted: int = self._db.execute(_COUNTED, (expression, MANY)).fetchone()[0]
        return counted


def create_tables(db: sqlite3.Connection) -> None:
    """Make the tables of an empty index."""
    for statement in _SCHEMA.split(";\n"):
        db.execute(statement)


def url_terms(url: str, analyzer: Analyzer) -> Terms:
    """Return the words of a URL's host, path and query.

    >>> url_terms("https://www.rust.example/wet_blasting/Guide-2.html", Analyzer("en"))
    ['www', 'rust', 'exampl', 'wet', 'blast', 'guid', '2', 'html']
    """
    parts = urlsplit(url)
    words = unquote(f"{parts.netloc} {parts.path} {parts.query}")[:_LONGEST_URL]
    return analyzer.terms(re.sub(r"[\W_]+", " ", words))


def _joined(terms: Terms) -> str:
    return " ".join(filter(None, terms))


def index_version() -> int:
    """Return a number that changes with the code that makes terms, and with the index's own format."""
    return int.from_bytes(blake2b(repr((FORMAT, code_version())).encode(), digest_size=7).digest())
