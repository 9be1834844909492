"""Sheets for judges (CSV), and the key: what a judge must not see.

A sheet says of each page what is needed to reckon precision from sheets alone, long after the crawl has gone
on or away: its stratum, how many pages were drawn from that and how many it has. Strata have numbers given by
chance, since "relevance 0.97 to 1" would tell a judge what to answer. What the crawl thought of each page is
in the key, which precision does not need: to set scores beside judgements, join the two by number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.net.spreadsheet import harmless
from focused_crawler.report.words import tidy
from focused_crawler.sampling.sample import Sample, SampledPage

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


def write_new(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files by name; raises ConfigError where one exists, before anything is written."""
    for name in texts:
        if (folder / name).exists():
            raise ConfigError(
                f"{folder / name} exists, and may hold judgements; name another folder with --out FOLDER"
            )
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
