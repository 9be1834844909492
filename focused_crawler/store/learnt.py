"""What a strategy learnt from each page, so that a crawl that goes on can teach it the same again."""

from __future__ import annotations

from collections.abc import Iterator

from focused_crawler.page.url import url_key
from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.rows import StrategyMemory
from focused_crawler.store.values import storable

LEAST = 1_000
SHARE = 4
"""All that was learnt is written at once after so many pages, and the fourth part of all there are."""

_AT_ONCE = 500  # lines that are read

_ADD = Bulk(
    "INSERT INTO learnt (position, content) SELECT position, ? FROM pages WHERE key = ?",
    """
    INSERT INTO learnt (position, content) SELECT position, given.content
    FROM unnest(?::bytea[], ?::bigint[]) AS given (content, key) JOIN pages ON pages.key = given.key
    """,
)
_AFTER = "SELECT position, content FROM learnt WHERE position > ? ORDER BY position LIMIT ?"
# Our own, too, without what they hold: who is alone would read all of them each time. Both bounds, as one
# position of the other says nothing to a planner.
_OF_OTHERS = """
SELECT learnt.position, CASE WHEN pages.run <> ? THEN learnt.content END
FROM learnt JOIN pages ON pages.position = learnt.position
WHERE learnt.position > ? AND pages.position > ? ORDER BY learnt.position LIMIT ?
"""


class LearntPages:
    """A line a page, until the strategy's memory takes the place of all of them.

    Where several processes share a crawl they stay, as each has a memory of its own.
    """

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._waiting: list[tuple[bytes, int]] = []
        self._since = self.rows  # lines since the memory was written
        self._read = 0  # position of the last page that was read

    @property
    def rows(self) -> int:
        """Return how many lines there are."""
        ((rows,),) = self._database.rows("SELECT count(*) FROM learnt")
        return int(rows)

    def add(self, url: str, content: bytes) -> None:
        """Add what was learnt from a page; it is written once the page is."""
        self._waiting.append((content, url_key(storable(url))))
        self._since += 1
        self._database.defer(self._write, "learnt")

    def contents(self, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield positions of pages after one, and what was learnt from each, in the order of recording."""
        for rows in self._database.chunks(_AFTER, (after,), _AT_ONCE):
            for position, content in rows:
                self._read = position
                yield position, bytes(content)

    def of_others(self, run: int, pages: int, size: int) -> Iterator[bytes]:
        """Yield what others learnt of the next pages that were not read; `run`: ours.

        Of `pages` in all, and no more once `size` bytes are passed.
        """
        for position, content in self._database.rows(_OF_OTHERS, (run, self._read, self._read, pages)):
            self._read = position
            if content is not None:
                yield bytes(content)
                size -= len(content)
            if size < 0:
                return

    def replace_if_many(self, pages: int, memory: StrategyMemory) -> None:
        """Write the memory in the place of all lines, if they are many; `pages`: so many are recorded."""
        if self._since >= max(LEAST, pages // SHARE):
            self.replace(pages, memory)

    def replace(self, pages: int, memory: StrategyMemory) -> None:
        """Write the memory in the place of all lines, which is all that was learnt."""
        if not self._database.is_shared:
            memory.save(pages)
            self._database.execute("DELETE FROM learnt")
            self._since = 0

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._database.write_all(_ADD, waiting)
