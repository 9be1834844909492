"""The recorded pages as a table: filtered, sorted, and read a screen at a time.

A screen costs two passes over the table at most, whichever it is: the database picks its rows. It begins
after a page, or ends before one, and stays what it is while the crawl goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from focused_crawler.store.database import CrawlDatabase

SCREEN = 50
"""Rows of a screen."""

ORDERS: dict[str, tuple[str, bool]] = {
    "newest": ("position", True),
    "oldest": ("position", False),
    "relevance": ("relevance", True),
    "doubt": ("relevance", False),
    "host": ("host", False),
    "depth": ("depth", False),
}
"""Name -> column, and whether its largest value comes first; equals in order of recording."""

_HOSTS = "SELECT host, count(*) AS pages FROM pages GROUP BY host ORDER BY pages DESC, host LIMIT ?"


class ListedPage(NamedTuple):
    """A page as a table shows it."""

    position: int
    key: int
    url: str
    title: str
    host: str
    depth: int
    relevance: float  # [0, 1], by the crawl's judge
    is_relevant: bool
    duplicate_of: str | None
    category: str | None


_ROWS = f"SELECT {', '.join(ListedPage._fields)} FROM pages"  # noqa: S608 - our own names


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Which pages a table shows; what is None or empty asks for nothing."""

    is_relevant: bool | None = None
    host: str = ""  # and those below it
    depth: int | None = None
    low: float | None = None  # least relevance
    high: float | None = None  # greatest
    among: Collection[int] | None = None  # keys of pages
    not_among: Collection[int] = ()
    positions: Collection[int] | None = None

    def condition(self, database: CrawlDatabase) -> tuple[str, list[Any]]:
        """Return the SQL, and its values."""
        parts: list[tuple[str, list[Any]]] = [("1 = 1", [])]
        if self.is_relevant is not None:
            parts.append(("is_relevant = ?", [int(self.is_relevant)]))
        if self.host:
            below = "%." + "".join(f"!{sign}" if sign in "!%_" else sign for sign in self.host)
            parts.append(("(host = ? OR host LIKE ? ESCAPE '!')", [self.host, below]))
        for column, sign, value in (
            ("depth", "=", self.depth),
            ("relevance", ">=", self.low),
            ("relevance", "<=", self.high),
        ):
            if value is not None:
                parts.append((f"{column} {sign} ?", [value]))
        for column, word, values in (
            ("key", "", self.among),
            ("key", "NOT", self.not_among or None),
            ("position", "", self.positions),
        ):
            if values is not None:
                parts.append((f"{word} ({column} {database.among})", [database.many(values)]))
        sql, values = zip(*parts, strict=True)
        return " AND ".join(sql), [value for some in values for value in some]


class PageScreen(NamedTuple):
    """Some rows of a table."""

    rows: tuple[ListedPage, ...]
    first: int  # number of the first row in the whole table, from 1; 0: there is no row
    total: int  # rows of the whole table

    @property
    def has_before(self) -> bool:
        """Tell whether there are rows before these."""
        return self.first > 1

    @property
    def has_after(self) -> bool:
        """Tell whether there are rows after these."""
        return 0 < self.first <= self.total - len(self.rows)


class PageTable:
    """The pages that a filter lets through, in an order of `ORDERS`."""

    def __init__(self, database: CrawlDatabase, pages: PageFilter, order: str) -> None:
        self._database = database
        self._condition, self._values = pages.condition(database)
        self._column, self._is_falling = ORDERS[order]

    def screen(self, *, after: int = 0, before: int = 0, size: int = SCREEN) -> PageScreen:
        """Return the rows after a page, those before one, or the first; pages by their positions.

        A page that is not there is no bound.
        """
        rows = self._rows(after=after, before=before, size=size)
        if (not rows and after) or (len(rows) < size and before):
            rows = self._rows(size=size)
        if not rows:
            return PageScreen((), 0, 0)
        is_before, values = self._beyond(rows[0].position, getattr(rows[0], self._column), forwards=False)
        query = f"SELECT count(*), count(CASE WHEN {is_before} THEN 1 END) FROM pages WHERE {self._condition}"  # noqa: S608
        total, earlier = self._database.rows(query, (*values, *self._values))[0]
        return PageScreen(tuple(rows), earlier + 1, total)

    def _rows(self, *, after: int = 0, before: int = 0, size: int) -> list[ListedPage]:
        bound, forwards = "", not before
        values: list[Any] = []
        if at := after or before:
            anchor = self._database.rows(f"SELECT {self._column} FROM pages WHERE position = ?", (at,))  # noqa: S608
            if anchor:
                bound, values = self._beyond(at, anchor[0][0], forwards=forwards)
                bound = f" AND {bound}"
            else:
                forwards = True
        falls, rises = ("DESC", "ASC") if forwards else ("ASC", "DESC")
        order = f"{self._column} {falls if self._is_falling else rises}, position {rises}"
        query = f"{_ROWS} WHERE {self._condition}{bound} ORDER BY {order} LIMIT ?"
        found = self._database.rows(query, (*self._values, *values, size))
        rows = [_listed(row) for row in found]
        return rows if forwards else rows[::-1]

    def _beyond(self, position: int, value: Any, *, forwards: bool) -> tuple[str, list[Any]]:
        """Return the SQL for what comes after a page, or before it, and its values."""
        sign = "<" if self._is_falling is forwards else ">"
        sql = f"({self._column} {sign} ? OR ({self._column} = ? AND position {'>' if forwards else '<'} ?))"
        return sql, [value, value, position]


class RankedTable:
    """The same of pages that a search has ranked."""

    def __init__(self, database: CrawlDatabase, pages: PageFilter, ranked: Sequence[int]) -> None:
        """`ranked`: positions, the best first."""
        condition, values = replace(pages, positions=ranked).condition(database)
        let_through = database.rows(f"SELECT position FROM pages WHERE {condition}", values)  # noqa: S608
        positions = {position for (position,) in let_through}
        self._database = database
        self._ranked = [position for position in ranked if position in positions]

    def screen(self, *, after: int = 0, before: int = 0, size: int = SCREEN) -> PageScreen:
        """Return what that of a `PageTable` does."""
        start = 0
        if after in self._ranked[:-1]:
            start = self._ranked.index(after) + 1
        elif before in self._ranked:
            start = max(0, self._ranked.index(before) - size)
        rows = tuple(self._rows(self._ranked[start : start + size]))
        return PageScreen(rows, start + 1 if rows else 0, len(self._ranked))

    def _rows(self, positions: Sequence[int]) -> Iterator[ListedPage]:
        query = f"{_ROWS} WHERE position {self._database.among}"
        rows = self._database.rows(query, (self._database.many(positions),))
        found = {row[0]: _listed(row) for row in rows}
        return (found[position] for position in positions if position in found)


def _listed(row: Sequence[Any]) -> ListedPage:
    page = ListedPage(*row)
    return page._replace(is_relevant=bool(page.is_relevant))


def largest_hosts(database: CrawlDatabase, most: int) -> list[tuple[str, int]]:
    """Return the hosts with most recorded pages, and how many each has."""
    return [(host, pages) for host, pages in database.rows(_HOSTS, (most,))]
