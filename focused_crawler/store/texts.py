"""The words of a crawl's pages, read back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from focused_crawler.page.kept_text import DamagedText, read_text
from focused_crawler.store.database import CrawlDatabase

_CHUNK = 500
_COLUMNS = (
    "SELECT position, url, title, text, relevance, is_relevant FROM page_texts JOIN pages ON page = position"
)
_AFTER = f"{_COLUMNS} WHERE page > ? ORDER BY page LIMIT ?"
_OF = f"{_COLUMNS} WHERE page {{}} ORDER BY page"


class PageText(NamedTuple):
    """A page's words, with what is known of it."""

    position: int  # pages.position
    url: str
    title: str
    text: str
    relevance: float  # [0, 1]
    is_relevant: bool


class PageTexts:
    """Reads texts while the crawl runs; those that are damaged are left out and counted."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self.damaged = 0

    def texts(self, after: int = 0) -> Iterator[PageText]:
        """Yield the pages after a position that have words, in order, a chunk in memory at a time."""
        while rows := self._database.rows(_AFTER, (after, _CHUNK)):
            yield from self._read(rows)
            after = rows[-1][0]

    def of(self, positions: Collection[int]) -> Iterator[PageText]:
        """Yield the pages of these positions that have words, in order."""
        database = self._database
        yield from self._read(database.rows(_OF.format(database.among), (database.many(positions),)))

    def _read(self, rows: list[Any]) -> Iterator[PageText]:
        for position, url, title, blob, relevance, is_relevant in rows:
            try:
                text = read_text(blob)
            except DamagedText:
                self.damaged += 1
                continue
            yield PageText(position, url, title, text, relevance, bool(is_relevant))
