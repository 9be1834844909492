"""What is written beside the pages: counters, links, and what the strategy has learnt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from focused_crawler.page.url import site_of, url_key
from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.foreign import changed
from focused_crawler.store.values import storable, storable_integer

ADD = """
DO UPDATE SET value = CASE
    WHEN abs(CAST(counters.value AS DOUBLE PRECISION) + excluded.value) < 9e18
    THEN counters.value + excluded.value ELSE counters.value END
"""
"""What to do with a counter that is there; one that would leave 64 bits stays as it is."""
_COUNTER = Bulk(
    f"INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) {ADD}",  # noqa: S608
    f"""
    INSERT INTO counters (name, value)
    SELECT name, value FROM unnest(?::text[], ?::bigint[]) AS given (name, value)
    ON CONFLICT (name) {ADD}
    """,  # noqa: S608
)


def read_counters(database: CrawlDatabase) -> dict[str, int]:
    """Return all totals by name; raises CrawlError for one that is no number."""
    totals = dict(database.rows("SELECT name, value FROM counters ORDER BY name"))
    if not all(isinstance(value, int) for value in totals.values()):
        raise changed(database.location, "value of counters")
    return totals


def add_to_counters(database: CrawlDatabase, more: Mapping[str, int]) -> None:
    """Add to some, as part of the transaction."""
    rows = [(name, storable_integer(number)) for name, number in more.items()]
    database.write_all(_COUNTER, rows)


LONGEST_ANCHOR = 200

_SEEN = Bulk(
    "INSERT INTO urls (key, url, state) VALUES (?, ?, 0) ON CONFLICT (key) DO NOTHING",
    """
    INSERT INTO urls (key, url, state)
    SELECT key, url, 0 FROM unnest(?::bigint[], ?::text[]) AS given (key, url)
    ON CONFLICT (key) DO NOTHING
    """,
)
_LINK = Bulk(
    """
    INSERT INTO links (source, number, target, anchor, block, score, external)
    SELECT s.id, ?, t.id, ?, ?, ?, ? FROM urls AS t, urls AS s WHERE t.key = ? AND s.key = ?
    """,
    """
    INSERT INTO links (source, number, target, anchor, block, score, external)
    SELECT (SELECT id FROM urls WHERE key = ?7), number, t.id, anchor, block, score, external
    FROM unnest(?1::bigint[], ?2::text[], ?3::bigint[], ?4::float8[], ?5::bigint[], ?6::bigint[])
        AS given (number, anchor, block, score, external, target)
    JOIN urls AS t ON t.key = given.target
    """,
)
_UNLINK = "DELETE FROM links WHERE source = (SELECT id FROM urls WHERE key = ?) AND number >= ?"
# Known to the database only: what was replaced would have to be waited for.
_COUNT_LINKS = f"""
INSERT INTO counters (name, value) VALUES ('links', ? - (
    SELECT count(*) FROM links WHERE source = (SELECT id FROM urls WHERE key = ?) AND number >= ?
)) ON CONFLICT (name) {ADD}
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class LinkRows:
    """The links of a page as rows: what can be done before the write lock is taken."""

    source: int  # key of the page
    urls: list[tuple[int, str]]  # key and URL of the page and of all that it leads to
    rows: list[tuple[int, str, int, float | None, int, int]]
    first: int = 0  # number of the first one

    @classmethod
    def of(cls, source: str, links: Iterable[tuple[str, str, int, float | None]], first: int = 0) -> Self:
        """Make rows of what `PageStore.record_links` takes, numbered from `first` on."""
        source = storable(source)
        source_key, site = url_key(source), site_of(source)
        seen, rows = [(source_key, source)], []
        for number, (url, anchor, block, score) in enumerate(links, first):
            target = storable(url)
            key = url_key(target)
            seen.append((key, target))
            is_external = int(site_of(target) != site)
            rows.append((number, storable(anchor[:LONGEST_ANCHOR]), block, score, is_external, key))
        return cls(source_key, seen, rows, first)

    def write(self, database: CrawlDatabase) -> None:
        """Replace the links of the page, from the first of these on, by these."""
        database.write_all(_SEEN, self.urls)
        database.execute(_COUNT_LINKS, (len(self.rows), self.source, self.first))
        database.execute(_UNLINK, (self.source, self.first))
        database.write_all(_LINK, self.rows, (self.source,))


# Only of what may still be queued, or taken: the state is below leased.
_HOLD = Bulk(
    """
    UPDATE urls SET holders = coalesce(holders, 0) + 1, held_total = coalesce(held_total, 0) + ?
    WHERE key = ? AND state < 3
    """,
    """
    UPDATE urls SET holders = coalesce(holders, 0) + 1, held_total = coalesce(held_total, 0) + given.score
    FROM unnest(?::float8[], ?::bigint[]) AS given (score, key) WHERE urls.key = given.key AND state < 3
    """,
)
_HELD = "SELECT key, held_total, holders FROM urls WHERE key {among} AND holders > 1 AND state < 3"


def held(
    database: CrawlDatabase, scores: Mapping[str, float], *, is_new: bool
) -> list[tuple[str, float, int]]:
    """Return those links of a page that several pages hold: URL, sum of its scores, pages.

    `scores`: what they have on this page, which is counted among the others if it `is_new`.
    """
    urls = {url_key(storable(url)): url for url in scores}
    if is_new:
        database.write_all(_HOLD, [(scores[url], key) for key, url in urls.items()])
    found = database.rows(_HELD.format(among=database.among), (database.many(urls),))
    return [(urls[key], total, pages) for key, total, pages in found]


SAVE_PAGES = 200
SAVE_SECONDS = 30.0
"""So many pages after it was last written, or so long after, it is written again."""

_MEMORY = """
INSERT INTO memory (id, content, pages) VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET content = excluded.content, pages = excluded.pages
"""


class StrategyMemory:
    """Asks a strategy now and then what it has learnt; pages after the last time are not remembered."""

    def __init__(self, database: CrawlDatabase, ask: Callable[[], bytes | None], pages: int) -> None:
        """`pages`: so many are recorded."""
        self._database = database
        self._ask = ask
        self._pages, self._saved_at = pages, time.monotonic()

    def recall(self) -> bytes | None:
        """Return what was saved last."""
        found = self._database.rows("SELECT content FROM memory")
        return bytes(found[0][0]) if found else None

    def save_if_due(self, pages: int) -> None:
        """Save it if the last time was long ago; part of the caller's transaction, as all writing."""
        if pages - self._pages >= SAVE_PAGES or time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save(pages)

    def save(self, pages: int) -> None:
        """Save what the strategy has learnt, if anything."""
        content = self._ask()
        if content is not None:
            self._database.execute(_MEMORY, (content, pages))
        self._pages, self._saved_at = pages, time.monotonic()
