"""Prefetch of what a locked transaction will ask: while it waits for an answer, all other writers wait."""

from __future__ import annotations

from collections.abc import Collection

from focused_crawler.store.database import CrawlDatabase

_PAGE, _FAILURE, _ORIGINAL = range(3)
_QUERY = f"""
SELECT {_PAGE}, key, '', '' FROM pages WHERE key {{among}}
UNION ALL SELECT {_FAILURE}, key, '', '' FROM failures WHERE key {{among}}
UNION ALL SELECT {_ORIGINAL}, position, checksum, url FROM pages
          WHERE checksum {{among}} AND duplicate_of IS NULL
"""  # noqa: S608


class Prefetch:
    """What is recorded of some URLs and texts. Valid to the end of the transaction, as nobody else writes."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._transaction: int | None = None
        self._keys: frozenset[int] = frozenset()
        self._pages: set[int] = set()
        self._failures: set[int] = set()
        self._originals: dict[str, str | None] = {}

    def load(self, keys: Collection[int], checksums: Collection[str]) -> None:
        """Fetch what is recorded of these URLs (their keys) and texts; forget what was fetched before."""
        database, many = self._database, self._database.many
        found = database.rows(_QUERY.format(among=database.among), (many(keys), many(keys), many(checksums)))
        self._transaction, self._keys = database.transaction_number, frozenset(keys)
        self._pages = {key for kind, key, *_ in found if kind == _PAGE}
        self._failures = {key for kind, key, *_ in found if kind == _FAILURE}
        self._originals = dict.fromkeys(checksums)
        for kind, _, checksum, url in sorted(found, reverse=True):  # the first one of a text comes last
            if kind == _ORIGINAL:
                self._originals[checksum] = url

    def ended(self, key: int) -> tuple[bool, bool] | None:
        """Tell whether the page of a URL is recorded, and whether a failure is; None: not prefetched now."""
        if key not in self._keys or not self._is_valid:
            return None
        return key in self._pages, key in self._failures

    def knows_text(self, checksum: str) -> bool:
        """Tell whether a text was prefetched in this transaction."""
        return checksum in self._originals and self._is_valid

    def original(self, checksum: str) -> str | None:
        """Return the URL of the first page with a prefetched text."""
        return self._originals[checksum]

    def add_page(self, key: int, url: str, checksum: str | None) -> None:
        """Take note of a page that was recorded; `checksum`: of a page that is no copy."""
        self._pages.add(key)
        self._failures.discard(key)
        if checksum is not None and checksum in self._originals:
            self._originals[checksum] = self._originals[checksum] or url

    def add_failure(self, key: int) -> None:
        """Take note of a failure that was recorded."""
        self._failures.add(key)

    @property
    def _is_valid(self) -> bool:
        return self._transaction is not None and self._transaction == self._database.transaction_number
