"""The index of a crawl's pages: derived from its texts, brought up to date at each search, safe to delete."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from filelock import FileLock, Timeout

from focused_crawler.discovery.search.text_index import (
    Document,
    TextIndex,
    create_tables,
    index_version,
    url_terms,
)
from focused_crawler.discovery.search.wording import Wording
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.progress import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_texts import PageText, PageTexts

_T = TypeVar("_T")

_DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What a file that is no index raises; the latter where SQLite's own words about it are damaged, too."""

_CHUNK = 500
"""Pages that are added in one transaction: so many at most are lost when the process is killed."""
_BUSY_SECONDS = 60.0
_NOWHERE = ""
"""SQLite's name for a file of this connection alone, which goes with it."""

_DROP = ("DROP TABLE IF EXISTS words", "DROP TABLE IF EXISTS page", "DROP TABLE IF EXISTS made_from")
_MADE_FROM = (
    "CREATE TABLE made_from (version INTEGER, language TEXT, crawl TEXT, position INTEGER, revisit INTEGER)"
)
_CRAWL = """
SELECT (SELECT min(started) FROM runs), (SELECT coalesce(max(position), 0) FROM pages),
       (SELECT coalesce(max(id), 0) FROM revisits)
"""
_TOTAL = "SELECT count(*) FROM page_texts WHERE page > ?"
_REVISITED = """
SELECT DISTINCT page, outcome FROM revisits WHERE id > ? AND page <= ? AND outcome <> 'failed' ORDER BY page
"""
_LEFT_OUT = (
    "SELECT position FROM pages WHERE position {} AND (duplicate_of IS NOT NULL OR gone_at IS NOT NULL)"
)


class _State(NamedTuple):
    """What an index was made from, and how far it has got."""

    version: int
    language: str
    crawl: str  # what tells it from another one in the same folder
    position: int  # pages.position
    revisit: int  # revisits.id

    def fits(self, crawl: _State) -> bool:
        """Tell whether what is new in the crawl is all that there is to do."""
        is_earlier = self.position <= crawl.position and self.revisit <= crawl.revisit
        return self[:3] == crawl[:3] and is_earlier


class CrawlIndex:
    """Finds the pages of a crawl. Copies, and pages that are gone, are left out.

    A file that is damaged, newer or another crawl's is made again. One process at a time writes into it; in
    a folder that cannot be written to, the index is made anew for each who asks.
    """

    def __init__(
        self, path: Path, database: CrawlDatabase, language: str, *, most: int | None = None
    ) -> None:
        """Open the index and bring it up to date; raises CrawlError.

        `most`: so many pages are added now, and nobody is waited for; `missing` are not in it yet.
        """
        self.missing = 0
        self._most = most
        self._path = path
        self._database = database
        self._language = language
        self._texts = PageTexts(database)
        self._analyzer = Analyzer(language)
        self._db, self._index = self._opened()

    def find(self, wording: Wording, n: int) -> list[int]:
        """Return up to `n` positions of pages, the best first."""
        try:
            return self._find(wording, n)
        except _DAMAGE:  # damage that did not show before
            self._db.close()
            self._db, self._index = self._opened(is_damaged=True)
            return self._find(wording, n)

    def close(self) -> None:
        self._db.close()

    def _find(self, wording: Wording, n: int) -> list[int]:
        with _transaction(self._db, "BEGIN"):  # another process may make all of it anew
            return self._index.find(wording, n)

    def _opened(self, *, is_damaged: bool = False) -> tuple[sqlite3.Connection, TextIndex]:
        try:
            lock = FileLock(f"{self._path}.lock").acquire(timeout=-1 if self._most is None else 0)
        except Timeout:
            self._most = 0
            return self._as_it_is()
        except (OSError, NotImplementedError):
            return self._made(_NOWHERE)
        with lock:
            if not is_damaged:
                with suppress(*_DAMAGE):
                    return self._open(self._path)
            return self._made(self._path)

    def _as_it_is(self) -> tuple[sqlite3.Connection, TextIndex]:
        """Open what another process is at work on; an empty index where there is nothing yet."""
        db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        with suppress(*_DAMAGE):
            state = _read_state(db)
            if state is not None and state.fits(self._crawl()):
                self.missing = self._new_after(state)
                return db, TextIndex(db)
        db.close()
        return self._made(_NOWHERE)

    def _made(self, place: str | Path) -> tuple[sqlite3.Connection, TextIndex]:
        """Make the index anew, in place of what is there."""
        try:
            if isinstance(place, Path):
                place.unlink(missing_ok=True)
                Path(f"{place}-journal").unlink(missing_ok=True)
            return self._open(place)
        except (*_DAMAGE, OSError) as error:
            raise CrawlError(
                f"{self._path} cannot be written ({error}); free some space, or move it away"
            ) from error

    def _open(self, place: str | Path) -> tuple[sqlite3.Connection, TextIndex]:
        db = sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            db.execute("PRAGMA cache_size = -65536")
            return db, self._brought_up_to_date(db)
        except BaseException:
            db.close()
            raise

    def _brought_up_to_date(self, db: sqlite3.Connection) -> TextIndex:
        crawl = self._crawl()
        state = _read_state(db)
        index = None if state is None or not state.fits(crawl) else TextIndex(db)
        if state is None or index is None or index.is_worn():
            state = crawl._replace(position=0, revisit=crawl.revisit)
            index = _begin(db, state)
        self._look_again(db, index, state, crawl)
        self._add_new(db, index, state)
        return index

    def _crawl(self) -> _State:
        started, position, revisit = self._database.rows(_CRAWL)[0]
        return _State(index_version(), self._language, repr(started), position, revisit)

    def _look_again(self, db: sqlite3.Connection, index: TextIndex, state: _State, crawl: _State) -> None:
        """Replace what revisits have found changed, gone, or back."""
        rows = self._database.rows(_REVISITED, (state.revisit, state.position))
        again = {page for page, outcome in rows if outcome != "unchanged" or not index.has(page)}
        if self._most is not None and len(again) > self._most:
            return
        for pages in _chunks(sorted(again)):
            with _transaction(db):
                index.remove(pages)
                index.add(self._documents(list(self._texts.of(pages))))
        if crawl.revisit > state.revisit:
            with _transaction(db):
                db.execute("UPDATE made_from SET revisit = ?", (crawl.revisit,))

    def _add_new(self, db: sqlite3.Connection, index: TextIndex, state: _State) -> None:
        total = self._new_after(state)
        added = total if self._most is None else min(total, self._most)
        self.missing = total - added
        numbers = count()
        texts = islice(self._texts.texts(state.position), added)
        title = f"Words of {self._path.parent}"
        for chunk in _chunks(shown(texts, title, added, lambda _: next(numbers))):
            with _transaction(db):
                index.add(self._documents(chunk))
                db.execute("UPDATE made_from SET position = ?", (chunk[-1].position,))

    def _new_after(self, state: _State) -> int:
        """Return how many pages with words the index does not have yet."""
        total: int = self._database.rows(_TOTAL, (state.position,))[0][0]
        return total

    def _documents(self, texts: list[PageText]) -> Iterator[Document]:
        database = self._database
        positions = [text.position for text in texts]
        query = _LEFT_OUT.format(database.among)
        left_out = {row[0] for row in database.rows(query, (database.many(positions),))}
        terms = self._analyzer.terms
        for text in texts:
            if text.position not in left_out:
                words = terms(text.title), terms(text.text), url_terms(text.url, self._analyzer)
                yield Document(text.position, *words)


def _read_state(db: sqlite3.Connection) -> _State | None:
    """Return what an index was made from, None for what is none of ours."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'made_from'").fetchone() is None:
        return None
    row = db.execute("SELECT version, language, crawl, position, revisit FROM made_from").fetchone()
    is_ours = row is not None and [type(value) for value in row] == [int, str, str, int, int]
    return _State(*row) if is_ours else None


def _begin(db: sqlite3.Connection, state: _State) -> TextIndex:
    """Make an empty index in place of what is there."""
    with _transaction(db):
        for statement in (*_DROP, _MADE_FROM):
            db.execute(statement)
        create_tables(db)
        db.execute("INSERT INTO made_from VALUES (?, ?, ?, ?, ?)", state)
    return TextIndex(db)


@contextmanager
def _transaction(db: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    with db:
        db.execute(begin)
        yield


def _chunks(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
