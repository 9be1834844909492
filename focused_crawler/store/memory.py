"""What a strategy has learnt, in the crawl's database: written with the pages it was learnt from."""

from __future__ import annotations

import time
from collections.abc import Callable

from focused_crawler.store.database import CrawlDatabase

KEEP_PAGES = 200
KEEP_SECONDS = 30.0
"""So many pages after it was last written, or so long after, it is written again."""

_KEEP = """
INSERT INTO memory (id, content, pages) VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET content = excluded.content, pages = excluded.pages
"""


class StrategyMemory:
    """Asks a strategy now and then what it has learnt; pages after the last time are not remembered."""

    def __init__(self, database: CrawlDatabase, ask: Callable[[], bytes | None], pages: int) -> None:
        """`pages`: so many are recorded."""
        self._database = database
        self._ask = ask
        self._pages, self._kept_at = pages, time.monotonic()

    def recall(self) -> bytes | None:
        """Return what was kept last."""
        found = self._database.rows("SELECT content FROM memory")
        return bytes(found[0][0]) if found else None

    def keep_if_due(self, pages: int) -> None:
        """Write it down if that was long ago; part of the caller's transaction, as all writing."""
        if pages - self._pages >= KEEP_PAGES or time.monotonic() - self._kept_at >= KEEP_SECONDS:
            self.keep(pages)

    def keep(self, pages: int) -> None:
        """Write it down, if there is anything."""
        content = self._ask()
        if content is not None:
            self._database.execute(_KEEP, (content, pages))
        self._pages, self._kept_at = pages, time.monotonic()
