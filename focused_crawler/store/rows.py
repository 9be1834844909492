"""What is written beside the pages: counters, links, and what the strategy has learnt."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from focused_crawler.page.url import to_other_sites, url_key
from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.foreign import changed
from focused_crawler.store.values import all_storable, storable, storable_integer

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


FETCHES = ("pages", "revisits", "listings", "own_pages")
"""Counters of what a budget of pages is spent on."""


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
_IDS = "SELECT key, id FROM urls WHERE key {among}"
_URLS = "SELECT key, url FROM urls WHERE key {among}"
# One row: pages by their numbers; all rows: by their keys, as numbers would have to be waited for.
_LINK = Bulk(
    """
    INSERT INTO links (source, number, target, anchor, block, score, external) VALUES (?, ?, ?, ?, ?, ?, ?)
    """,
    """
    INSERT INTO links (source, number, target, anchor, block, score, external)
    SELECT s.id, number, t.id, anchor, block, score, external
    FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::float8[], ?::bigint[])
        AS given (source, number, target, anchor, block, score, external)
    JOIN urls AS s ON s.key = given.source JOIN urls AS t ON t.key = given.target
    """,
)
_OLD = "FROM links WHERE source IN (SELECT id FROM urls WHERE key {among}) AND number >= ?"
# Known to the database only: what was replaced would have to be waited for.
_COUNT_LINKS = f"""
INSERT INTO counters (name, value) VALUES ('links', ? - (SELECT count(*) {_OLD})) ON CONFLICT (name) {ADD}
"""  # noqa: S608
_MOST_LINKS = 10_000
"""So many links are gathered at most, where nobody commits: 3 MB."""


def urls_of(database: CrawlDatabase, keys: Collection[int]) -> dict[int, str]:
    """Return the URLs of keys, of those that are in the database."""
    return dict(database.rows(_URLS.format(among=database.among), (database.many(keys),)))


class LinkRows:
    """Links of pages, to be written together; they replace what is there of these pages.

    They wait for the commit, unless somebody reads the table before.
    """

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._clear()

    def _clear(self) -> None:
        self._urls: dict[int, str] = {}  # by key, of the pages and of all that they lead to
        self._firsts: dict[int, list[int]] = {}  # number of a first link -> keys of pages
        self._last: dict[int, int] = {}  # key of a page -> number of its last first link
        self._pages: list[int] = []  # a column of the table each; URLs by their keys
        self._numbers: list[int] = []
        self._targets: list[int] = []
        self._anchors: list[str] = []
        self._blocks: list[int] = []
        self._scores: list[float | None] = []
        self._external: list[int] = []

    def add(self, source: str, links: Sequence[Sequence[Any]], first: int = 0) -> None:
        """Take in what `PageStore.record_links` does."""
        source = storable(source)
        page = url_key(source)
        if first <= self._last.get(page, -1):
            self._forget(page, first)
        self._last[page] = first
        self._firsts.setdefault(first, []).append(page)
        urls = all_storable([link[0] for link in links])
        keys = list(map(url_key, urls))
        self._urls.setdefault(page, source)
        for key, url in zip(keys, urls, strict=True):
            self._urls.setdefault(key, url)
        self._pages += [page] * len(keys)
        self._numbers += range(first, first + len(keys))
        self._targets += keys
        self._anchors += all_storable([link[1][:LONGEST_ANCHOR] for link in links])
        self._blocks += [link[2] for link in links]
        self._scores += [link[3] for link in links]
        self._external += map(int, to_other_sites(source, urls))
        self._database.defer(self.write, "links", "counters")
        if len(self._pages) >= _MOST_LINKS and not self._database.is_shared:
            self.write()

    def _forget(self, page: int, first: int) -> None:
        """Drop what was gathered of a page, from a number on: it is replaced."""
        rows = enumerate(zip(self._pages, self._numbers, strict=True))
        left = [row for row, (of, number) in rows if of != page or number < first]
        columns: tuple[list[Any], ...] = (
            self._pages,
            self._numbers,
            self._targets,
            self._anchors,
            self._blocks,
            self._scores,
            self._external,
        )
        for column in columns:
            column[:] = [column[row] for row in left]

    def urls(self, keys: Collection[int]) -> dict[int, str]:
        """Return the URLs of keys, of what was gathered as well as of what is in the database."""
        gathered = {key: self._urls[key] for key in keys if key in self._urls}
        missing = [key for key in keys if key not in gathered]
        return gathered | (urls_of(self._database, missing) if missing else {})

    def write(self) -> None:
        """Write what was gathered."""
        if not self._firsts:
            return
        database, urls, firsts = self._database, self._urls, self._firsts
        pages, targets, about = (
            self._pages,
            self._targets,
            (self._anchors, self._blocks, self._scores, self._external),
        )
        numbers = self._numbers
        self._clear()
        more = len(pages)
        if database.location.has_arrays:
            database.write_all(_SEEN, list(urls.items()))
        else:
            ids = self._ids(urls)
            pages, targets = ([ids[key] for key in keys] for keys in (pages, targets))
        for first, of in sorted(firsts.items()):
            database.execute(_COUNT_LINKS.format(among=database.among), (more, database.many(of), first))
            database.execute(f"DELETE {_OLD.format(among=database.among)}", (database.many(of), first))
            more = 0
        database.write_columns(_LINK, (pages, numbers, targets, *about))

    def _ids(self, urls: Mapping[int, str]) -> dict[int, int]:
        """Return the numbers of URLs, of new ones too."""
        ids = self._found(urls)
        if new := [(key, url) for key, url in urls.items() if key not in ids]:
            self._database.write_all(_SEEN, new)
            ids |= self._found([key for key, _ in new])
        return ids

    def _found(self, keys: Collection[int]) -> dict[int, int]:
        return dict(
            self._database.rows(_IDS.format(among=self._database.among), (self._database.many(keys),))
        )


# Of what may still be queued, or come back: what is out, too, which a crash may give back.
_HOLD = Bulk(
    """
    UPDATE urls SET holders = coalesce(holders, 0) + 1, held_total = coalesce(held_total, 0) + ?
    WHERE key = ? AND state < 4
    """,
    """
    UPDATE urls SET holders = coalesce(holders, 0) + 1, held_total = coalesce(held_total, 0) + given.score
    FROM unnest(?::float8[], ?::bigint[]) AS given (score, key) WHERE urls.key = given.key AND state < 4
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
