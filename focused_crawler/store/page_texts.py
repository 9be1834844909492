"""Reading back what words a crawl's pages have. Works while the crawl runs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from focused_crawler.page.model import Page
from focused_crawler.page.stored_text import DamagedText, KeptWords, page_of_text, read_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.printable import printable
from focused_crawler.store.database import CrawlDatabase

logger = logging.getLogger(__name__)

_CHUNK = 500
_COLUMNS = """
SELECT position, pages.url, title, text, relevance, is_relevant, urls.path FROM page_texts
JOIN pages ON page = position LEFT JOIN urls ON urls.key = coalesce(requested_key, pages.key)
"""
_AFTER = f"{_COLUMNS} WHERE page > ? ORDER BY page LIMIT ?"
_OF = f"{_COLUMNS} WHERE page {{}} ORDER BY page"
_ANCHORS = """
SELECT anchor FROM links WHERE source = (
    SELECT urls.id FROM pages JOIN urls ON urls.key = pages.key WHERE position = ?
) ORDER BY number
"""


class PageText(NamedTuple):
    """A page's words, with what is known of it."""

    position: int  # pages.position
    url: str
    title: str
    kept: KeptWords
    relevance: float  # [0, 1]
    is_relevant: bool
    anchors: tuple[str, ...] = ()  # the texts of its links, where no terms of these are kept
    path: bytes | None = None  # what the strategy noted on the page whose link led there

    def page(self, analyzer: Analyzer) -> Page:
        """Return the page as its stored words make one; how deep it is they do not say."""
        page = page_of_text(self.url, self.title, self.kept, analyzer, self.anchors)
        page.path = self.path
        return page

    @property
    def text(self) -> str:
        """Return what a reader sees."""
        return self.kept.text


class PageTexts:
    """Reads texts while the crawl runs; those that are damaged are left out, which is said once."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._has_said = False

    def texts(self, after: int = 0) -> Iterator[PageText]:
        """Yield the pages after a position that have words, in order, a chunk in memory at a time."""
        for rows in self._database.chunks(_AFTER, (after,), _CHUNK):
            yield from self._read(rows)

    def of(self, positions: Collection[int]) -> Iterator[PageText]:
        """Yield the pages of these positions that have words, in order."""
        database = self._database
        yield from self._read(database.rows(_OF.format(database.among), (database.many(positions),)))

    def _read(self, rows: list[Any]) -> Iterator[PageText]:
        for position, url, title, blob, relevance, is_relevant, path in rows:
            try:
                kept = read_text(blob)
            except DamagedText:
                if not self._has_said:
                    logger.warning(
                        "The stored words of %s are damaged: it is left out, as are others like it",
                        printable(url),
                    )
                self._has_said = True
                continue
            anchors = () if kept.anchor is not None else anchors_of(self._database, position)
            yield PageText(position, url, title, kept, relevance, bool(is_relevant), anchors, path)


def anchors_of(database: CrawlDatabase, position: int) -> tuple[str, ...]:
    """Return the texts of a page's links, in their order."""
    return tuple(anchor for (anchor,) in database.rows(_ANCHORS, (position,)))
