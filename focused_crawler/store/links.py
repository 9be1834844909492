"""The links of a page: made ready, and written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from focused_crawler.page.url import site_of, url_key
from focused_crawler.store.counters import ADD
from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.text import storable

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
_UNLINK = "DELETE FROM links WHERE source = (SELECT id FROM urls WHERE key = ?)"
# Known to the database only: what was replaced would have to be waited for.
_COUNT_LINKS = f"""
INSERT INTO counters (name, value) VALUES ('links', ? - (
    SELECT count(*) FROM links WHERE source = (SELECT id FROM urls WHERE key = ?)
)) ON CONFLICT (name) {ADD}
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class LinkRows:
    """The links of a page as the database takes them: what can be done before a turn."""

    source: int  # key of the page
    urls: list[tuple[int, str]]  # key and URL of the page and of all that it leads to
    rows: list[tuple[int, str, int, float | None, int, int]]

    @classmethod
    def of(cls, source: str, links: Iterable[tuple[str, str, int, float | None]]) -> Self:
        """Make rows of what `PageStore.record_links` takes."""
        source = storable(source)
        source_key, site = url_key(source), site_of(source)
        seen, rows = [(source_key, source)], []
        for number, (url, anchor, block, score) in enumerate(links):
            target = storable(url)
            key = url_key(target)
            seen.append((key, target))
            is_external = int(site_of(target) != site)
            rows.append((number, storable(anchor[:LONGEST_ANCHOR]), block, score, is_external, key))
        return cls(source_key, seen, rows)

    def write(self, database: CrawlDatabase) -> None:
        """Put these in the place of what links the page had."""
        database.write_all(_SEEN, self.urls)
        database.execute(_COUNT_LINKS, (len(self.rows), self.source))
        database.execute(_UNLINK, (self.source,))
        database.write_all(_LINK, self.rows, (self.source,))
