"""Labels from files: sheets that judges filled in, and any CSV file of URLs with their labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from focused_crawler.report.sampling.sheet import COLUMNS, meaning_of, read_judged
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.printable import UNSAFE, place, printable
from focused_crawler.safety.sheet import Sheet
from focused_crawler.topic.label import ANSWER_NAMES, Label, key_of, person_problem
from focused_crawler.topic.labels import Labels
from focused_crawler.topic.rules import url_problem

_CURE = (
    "give a sheet of scrapy sample, or a CSV file with the columns url and label (and by, for who said it)"
)


class Imported(NamedTuple):
    """What a file adds to the labels that are there."""

    labels: list[Label]  # that are new
    known: int  # rows that say what is in the labels already
    blank: int  # rows without an answer


class _Row(NamedTuple):
    at: str  # FILE:LINE, or FILE and the number of its page
    url: str
    by: str
    answer: bool | None


def import_labels(path: Path, there: Labels, by: str, user: str, crawl: str = "") -> Imported:
    """Return the labels of a file; raises CrawlError for all of it where a row is wrong.

    `by`: who gave them; empty: whom the file names, else `user`.
    """
    kind, rows, blank = _read(path, by, user)
    new: dict[tuple[int, str], Label] = {}
    known = 0
    for row in rows:
        if problem := url_problem(row.url) or _hidden(row.url) or person_problem(row.by):
            raise CrawlError(f"{row.at}: {problem}")
        mark = key_of(row.url), row.by
        if mark in new:
            raise CrawlError(f"{row.at}: {printable(row.by)} labels this page twice; keep one of the rows")
        label = Label(url=row.url, label=ANSWER_NAMES[row.answer], by=row.by, queue=kind, crawl=crawl)
        before = there.newest.get(label.key, {}).get(row.by)
        if before and before.answer == label.answer:
            known += 1
        else:
            new[mark] = label
    return Imported(list(new.values()), known, blank)


def _hidden(url: str) -> str:
    """Return what is wrong with a URL that holds a character which shows nothing, as cells of a sheet may."""
    return f"{printable(url)} holds a character that shows nothing; delete it" if UNSAFE.search(url) else ""


def _read(path: Path, by: str, user: str) -> tuple[str, list[_Row], int]:
    """Return the queue that labels of a file are from, its rows, and how many are not judged."""
    sheet = Sheet(path, ("url",), _CURE, CrawlError, ("label", "by", *COLUMNS))
    rows = list(sheet.rows())
    if not rows:
        raise CrawlError(f"{place(path)} has no rows; {_CURE}")
    if "label" in rows[0][1]:
        given = [(at, row) for at, row in rows if row["label"]]
        said = [
            _Row(at, row["url"], by or row.get("by") or user, meaning_of(at, row["label"]))
            for at, row in given
        ]
        return "import", said, len(rows) - len(given)
    if "relevant" not in rows[0][1]:
        raise CrawlError(f"{place(path, 1)}: no column label; {_CURE}")
    said = list(_of_sheet(path, by))
    return "sheet", said, len(rows) - len(said)


def _of_sheet(path: Path, by: str) -> Iterator[_Row]:
    judged = read_judged([path])
    if len(judged.judges) > 1 and by:
        raise ConfigError(f"{place(path)} is of {len(judged.judges)} judges, not of one --by; leave that out")
    for judge, answers in judged.judges.items():
        for number, answer in answers.items():
            yield _Row(f"{place(path)}, page {number}", judged.pages[number][0], by or judge, answer)
