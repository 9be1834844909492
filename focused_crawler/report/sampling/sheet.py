"""Sheets for judges (CSV), and the key: what a judge must not see.

A sheet says of each page what is needed to compute precision from sheets alone, long after the crawl has gone
on or away: its stratum, how many pages were drawn from that and how many it has. Strata have numbers given by
chance, since "relevance 0.97 to 1" would tell a judge what to answer. What the crawl thought of each page is
in the key, which precision does not need: to set scores beside judgements, join the two by number.
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from focused_crawler.report.sampling.sample import Sample, SampledPage
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.printable import harmless
from focused_crawler.safety.sheet import Sheet

COLUMNS = ("number", "url", "title", "stratum", "drawn", "pages", "judge", "relevant")
KEY_COLUMNS = ("number", "position", "url", "relevance", "is_relevant", "stratum", "meaning")
KEY = "key.csv"

_BYTE_ORDER_MARK = "\ufeff"


def sheet_row(page: SampledPage, judge: str) -> list[str]:
    """Return the cells of a page, the last one empty: for the judgement."""
    part = page.part
    return [
        str(page.number),
        harmless(page.url),
        harmless(tidy(page.title)),
        part.name,
        str(part.drawn),
        str(part.pages),
        judge,
        "",
    ]


def sheet_text(sample: Sample, judge: str) -> str:
    """Return a judge's sheet."""
    return _csv([COLUMNS, *(sheet_row(page, judge) for page in sample.pages)])


def key_text(sample: Sample) -> str:
    """Return what the crawl thought of each page and what the strata are."""
    return _csv([KEY_COLUMNS, *map(_key_row, sample.pages)])


def csv_line(cells: Iterable[object]) -> str:
    """Return one line of a sheet, without its end."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def check_new(folder: Path, names: Iterable[str]) -> None:
    """Raise ConfigError where a file exists."""
    for name in names:
        if (folder / name).exists():
            raise ConfigError(
                f"{folder / name} exists, and may hold judgements; name another folder with --out FOLDER"
            )


def write_new(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files by name; raises ConfigError where one exists, before anything is written."""
    check_new(folder, texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with (folder / name).open("x", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
    except OSError as error:
        raise ConfigError(
            f"cannot write to {folder} ({error.strerror}); name another folder with --out FOLDER"
        ) from None
    return [folder / name for name in texts]


def _key_row(page: SampledPage) -> list[str]:
    part = page.part
    known = [str(page.position), harmless(page.url), f"{page.relevance:.6f}", str(int(page.is_relevant))]
    return [str(page.number), *known, part.name, harmless(part.meaning)]


def _csv(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as spreadsheets read them: with a mark that says UTF-8, lines ending in CR LF."""
    return _BYTE_ORDER_MARK + "".join(f"{csv_line(row)}\r\n" for row in rows)


RELEVANT = ("y", "yes", "1", "1.0", "true", "t", "relevant", "on topic")
NOT_RELEVANT = ("n", "no", "0", "0.0", "false", "f", "irrelevant", "not relevant", "off topic")
UNDECIDED = ("u", "?", "undecided", "unsure", "unclear", "maybe")

_MEANING: Mapping[str, bool | None] = {
    **dict.fromkeys(RELEVANT, True),
    **dict.fromkeys(NOT_RELEVANT, False),
    **dict.fromkeys(UNDECIDED, None),
}
_NEEDED = sorted({*COLUMNS} - {"title"})
_MOST_DIGITS = 15
_SHOWN = 40


class SheetStratum(NamedTuple):
    """A stratum, as a sheet knows it."""

    drawn: int
    pages: int  # of the crawl


@dataclass(slots=True)
class JudgedSample:
    """A sample, and what each judge said of it: True, False, None for undecided; no entry: left empty."""

    pages: dict[int, tuple[str, str]] = field(default_factory=dict)  # number -> (URL, stratum)
    parts: dict[str, SheetStratum] = field(default_factory=dict)  # by stratum
    judges: dict[str, dict[int, bool | None]] = field(default_factory=dict)  # name -> number -> answer

    @property
    def drawn(self) -> int:
        """Return how many pages were drawn, those counted whose rows are gone."""
        return sum(part.drawn for part in self.parts.values())


def read_judged(paths: Sequence[Path]) -> JudgedSample:
    """Read the sheets of one sample; raises CrawlError that names the file and the line."""
    judged = JudgedSample()
    for path in paths:
        for place, row in _rows(path, _NEEDED):
            _take(judged, place, row, row["judge"] or path.stem)
    if not judged.pages:
        raise CrawlError(f"{paths[0]} has no rows; give a sheet that scrapy sample wrote")
    if judged.drawn < max(judged.pages):
        raise CrawlError(f"{paths[0]} lacks all rows of a stratum; put them back, or give the whole sheet")
    return judged


def read_meanings(key: Path, judged: JudgedSample) -> dict[str, str]:
    """Return what the strata of a sample are, by its key; nothing where there is none that belongs to it."""
    found: dict[str, str] = {}
    with contextlib.suppress(CrawlError):
        for place, row in _rows(key, KEY_COLUMNS):
            if judged.pages.get(_whole(place, row, "number")) != (row["url"], row["stratum"]):
                return {}
            found[row["stratum"]] = row["meaning"]
    return found


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield FILE:LINE and cells of each row of a sheet, or of its key; raises CrawlError."""
    return Sheet(path, columns, "give a sheet that scrapy sample wrote, as CSV", CrawlError).rows()


def _take(judged: JudgedSample, place: str, row: Mapping[str, str], judge: str) -> None:
    """Add a row; raises CrawlError where it contradicts the rows before it, or says nothing we know."""
    number = _whole(place, row, "number")
    page, part = (
        (row["url"], row["stratum"]),
        SheetStratum(_whole(place, row, "drawn"), _whole(place, row, "pages")),
    )
    if judged.pages.setdefault(number, page) != page:
        raise CrawlError(f"{place}: page {number} is another page before; give sheets of one sample only")
    if judged.parts.setdefault(row["stratum"], part) != part or part.drawn > part.pages:
        raise CrawlError(
            f"{place}: drawn and pages are not those of stratum {row['stratum'][:_SHOWN]} before;"
            " restore them from the sheet that scrapy sample wrote"
        )
    answers = judged.judges.setdefault(judge, {})
    if not row["relevant"]:
        return
    if number in answers:
        raise CrawlError(f"{place}: {judge[:_SHOWN]} has judged page {number} before; keep one of the rows")
    answers[number] = meaning_of(place, row["relevant"])


def meaning_of(place: str, answer: str) -> bool | None:
    """Return what a judge wrote: relevant or not, None for undecided; raises CrawlError for anything else."""
    known = " ".join(answer.casefold().replace("-", " ").split())
    if known not in _MEANING:
        raise CrawlError(
            f"{place}: {answer[:_SHOWN]!r} is neither yes nor no; write y or n, or u for undecided"
        )
    return _MEANING[known]


def _whole(place: str, row: Mapping[str, str], name: str) -> int:
    text = row[name]
    if not (
        text.isascii() and text.isdecimal() and int(text[:_MOST_DIGITS]) > 0 and len(text) < _MOST_DIGITS
    ):
        raise CrawlError(
            f"{place}: {name} is {text[:_SHOWN]!r}, not 1 or more; restore it from the sheet that"
            " scrapy sample wrote"
        )
    return int(text)
