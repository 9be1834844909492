"""The pages of a crawl as rows: some at a time in memory, in order of recording, by any judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from focused_crawler.crawl.judging import TextJudge, check_texts
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PAGE_COLUMNS
from focused_crawler.store.page_table import PageFilter
from focused_crawler.store.page_texts import PageText, PageTexts

Row = dict[str, Any]

CHUNK = 500
"""Pages that are read at a time: their texts are 50 MB at the very most."""

_STORED = ("position", "host", "run", "gone_at", *(column.name for column in PAGE_COLUMNS))
_QUERY = f"SELECT {', '.join(_STORED)} FROM pages WHERE position > ? AND {{}} ORDER BY position LIMIT ?"  # noqa: S608
_JUDGES = "SELECT id, judge FROM runs"
_TRUTHS = tuple(column.name for column in PAGE_COLUMNS if column.kind is bool)

COLUMNS: Mapping[str, type] = {
    "position": int,
    **{column.name: column.kind for column in PAGE_COLUMNS},
    "fetched_at": datetime,
    "gone_at": datetime,
    "host": str,
    "run": int,
    "judge": str,
}
"""Name -> kind of what stands in a row; with texts also `text`. All but the first may be empty."""

MEANINGS: Mapping[str, str] = {
    "position": "its number in the crawl, from 1, in order of recording",
    **{column.name: column.stored.comment for column in PAGE_COLUMNS},
    "fetched_at": "when, in UTC",
    "gone_at": "when a revisit first found it gone; empty: it is there",
    "host": "of `url`",
    "run": "number of the run that recorded it",
    "judge": "who says `relevance` and `is_relevant`",
    "text": "its first 100,000 characters as a reader sees them; empty: not stored",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which pages of a crawl, by which judge, and whether their texts come along."""

    pages: PageFilter = field(default_factory=lambda: PageFilter(is_relevant=True))
    judge: TextJudge | None = None  # None: as it is recorded
    with_text: bool = False

    @property
    def columns(self) -> Mapping[str, type]:
        """Return name -> kind of what the rows hold."""
        return {**COLUMNS, "text": str} if self.with_text else COLUMNS

    def count(self, database: CrawlDatabase) -> int:
        """Return how many pages are read."""
        pages = self.pages if self.judge is None else replace(self.pages, is_relevant=None)
        condition, values = pages.condition(database)
        return int(database.rows(f"SELECT count(*) FROM pages WHERE {condition}", values)[0][0])  # noqa: S608

    def rows(self, database: CrawlDatabase) -> Iterator[Row]:
        """Yield a row a page; CrawlError where another judge has no texts to go by."""
        if self.judge is None:
            yield from _recorded(database, self.pages, with_text=self.with_text)
            return
        check_texts(database)
        all_judged = replace(self.pages, is_relevant=None)
        for row in _recorded(database, all_judged, with_text=True, judge=self.judge):
            if self.pages.is_relevant in (None, row["is_relevant"]):
                yield row if self.with_text else {name: row[name] for name in COLUMNS}


def _recorded(
    database: CrawlDatabase, pages: PageFilter, *, with_text: bool, judge: TextJudge | None = None
) -> Iterator[Row]:
    judges = dict(database.rows(_JUDGES))
    texts = PageTexts(database)
    for found in _chunks(database, pages):
        words = {text.position: text for text in texts.of([row[0] for row in found])} if with_text else {}
        for values in found:
            row = _row(values, judges)
            if with_text:
                row["text"] = words[row["position"]].text if row["position"] in words else None
            if judge is not None:
                _judge(row, words.get(row["position"]), judge)
            yield row


def _chunks(database: CrawlDatabase, pages: PageFilter) -> Iterator[Sequence[Any]]:
    condition, values = pages.condition(database)
    query, after = _QUERY.format(condition), 0
    while rows := database.rows(query, (after, *values, CHUNK)):
        yield rows
        after = rows[-1][0]


def _row(values: Sequence[Any], judges: Mapping[int, str]) -> Row:
    stored = dict(zip(_STORED, values, strict=True))
    for name in _TRUTHS:
        if stored[name] is not None:
            stored[name] = bool(stored[name])
    for name in ("fetched_at", "gone_at"):
        if stored[name] is not None:
            stored[name] = datetime.fromtimestamp(stored[name], UTC)
    stored["judge"] = judges.get(stored["run"])
    return {name: stored[name] for name in COLUMNS}


def _judge(row: Row, text: PageText | None, judge: TextJudge) -> None:
    relevance, is_relevant = (0.0, False) if text is None else judge.judge(text)
    row |= {"relevance": relevance, "is_relevant": is_relevant and row["duplicate_of"] is None}
    row["judge"] = judge.name
