"""A WARC, WACZ or ARC file as a web: an answer for each URL it has recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.virtualweb.cache_file import damaged, open_cache
from focused_crawler.virtualweb.indexing import FORMAT, SELF_REDIRECT, IndexEntry, fill
from focused_crawler.virtualweb.record import WebRecord, read_record
from focused_crawler.virtualweb.surt import surt
from focused_crawler.virtualweb.warc_file import open_warc

_ANSWER = """
SELECT * FROM record WHERE key = ? AND rank < ? ORDER BY rank, url <> ?, offset LIMIT 1
"""

_ANSWERING = """
SELECT key, rank, min(offset) AS offset, length, status, url, content_type, location, payload
FROM record AS one
WHERE rank < ? AND rank = (SELECT min(rank) FROM record WHERE key = one.key)
GROUP BY key, url ORDER BY offset
"""

_HTML = ("text/html", "application/xhtml+xml")


class VirtualWeb(Closing):
    """A web in a file. Opening it builds its index if need be, about 10,000 records a second, once.

    WebError if the file is missing or no archive. Not for several threads.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._index = open_cache(self.path, "index", FORMAT, partial(fill, path=self.path), lambda db: db)
        self._file = open_warc(self.path)

    def get(self, url: str) -> WebRecord | None:
        """Return what the web answers to `url`; None (a 404) if it has nothing.

        Of several records under one lookup key: the page of the exact URL, any page, a redirect, the rest.
        A redirect to its own key (http to https, a slash) is left out, as following it never ends.
        """
        entry = self.find(url)
        return None if entry is None else self.read(entry)

    def find(self, url: str) -> IndexEntry | None:
        """Return the index entry of what `get` would read."""
        return next(self._entries(_ANSWER, (surt(url), SELF_REDIRECT, url)), None)

    def read(self, entry: IndexEntry) -> WebRecord:
        return read_record(self._file, entry.offset, entry.payload)

    def entries(self) -> Iterator[IndexEntry]:
        """Yield every response record in file order, those `get` never answers with as well."""
        return self._entries("SELECT * FROM record ORDER BY offset")

    def answering(self) -> Iterator[IndexEntry]:
        """Yield the records that answer some URL, in file order, those of a key as they are preferred."""
        return self._entries(_ANSWERING, (SELF_REDIRECT,))

    def page_urls(self) -> Iterator[str]:
        """Yield the URLs of HTML pages, as recorded."""
        for entry in self.answering():
            if entry.status in PAGE_STATUSES and entry.content_type in _HTML:
                yield entry.url

    def __contains__(self, url: str) -> bool:
        return self.find(url) is not None

    def __len__(self) -> int:
        """Number of response records."""
        (count,) = next(self._rows("SELECT count(*) FROM record"))
        return int(count)

    def _entries(self, query: str, values: Sequence[object] = ()) -> Iterator[IndexEntry]:
        return map(IndexEntry._make, self._rows(query, values))

    def _rows(self, query: str, values: Sequence[object] = ()) -> Iterator[Any]:
        try:
            yield from self._index.execute(query, values)
        except sqlite3.Error as error:
            raise damaged(self._index, f"the index of {self.path}", error) from error

    def close(self) -> None:
        self._index.close()
        self._file.close()
