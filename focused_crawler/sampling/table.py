"""CSV files as spreadsheets save them, whatever their country."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from pathlib import Path

from focused_crawler.errors import CrawlError

_DELIMITERS = ",;\t"
_LARGEST = 50_000_000


def read_rows(path: Path, columns: Collection[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield FILE:LINE and the cells, by column, of each row that is not empty; raises CrawlError."""
    text = _text(path)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise CrawlError(
                f"{path}:1: no column {', '.join(missing)}; give a sheet that scrapy sample wrote, as CSV"
            )
        for cells in reader:
            row = {name: cells[name].strip() for name in columns}
            if any(row.values()):
                yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise CrawlError(f"{path}:{reader.line_num + 1}: no CSV ({error}); save the sheet as CSV") from None


def _text(path: Path) -> str:
    """Return what is in a file; a spreadsheet may have saved it in the code of its country."""
    try:
        if path.stat().st_size > _LARGEST:
            raise CrawlError(f"{path} is larger than any sheet (50 MB); give one that scrapy sample wrote")
        content = path.read_bytes()
    except OSError as error:
        raise CrawlError(
            f"{path} cannot be read ({error.strerror}); give a sheet that was filled in"
        ) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
