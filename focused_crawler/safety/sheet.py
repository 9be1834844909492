"""CSV files as spreadsheets save them, whatever their country."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.printable import as_written, place

MOST_BYTES = 50_000_000

_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file with rows that a person filled in."""

    path: Path
    columns: Sequence[str]  # that are read, in small letters
    cure: str  # what to do where it is another file
    error: type[FocusedCrawlerError]  # to raise
    optional: Sequence[str] = ()  # columns that are read where they are there

    def rows(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield FILE:LINE and the cells, by column, of each row that is not empty; raises `error`.

        Cells are as they were before an export made them harmless; those that a row lacks are empty.
        """
        text = self._text()
        delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            places = self._places(next(lines, []))
            for cells in lines:
                row = {name: _cell(cells, at) for name, at in places.items()}
                if any(row.values()):
                    yield place(self.path, lines.line_num), row
        except csv.Error as error:
            raise self.error(
                f"{place(self.path, lines.line_num)}: no CSV ({error}); save the sheet as CSV once more"
            ) from None

    def _places(self, header: Sequence[str]) -> dict[str, int]:
        """Return where the columns are; raises `error` for those that are missing."""
        names = [name.strip().lower() for name in header]
        missing = [name for name in self.columns if name not in names]
        if missing:
            raise self.error(f"{place(self.path, 1)}: no column {', '.join(missing)}; {self.cure}")
        return {name: names.index(name) for name in (*self.columns, *self.optional) if name in names}

    def _text(self) -> str:
        """Return what is in the file; a spreadsheet may have saved it in the code of its country."""
        content = self._content()
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise self.error(f"{place(self.path)} is Unicode text (UTF-16); save the sheet as CSV UTF-8")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", "replace")
        return text.replace("\0", "")

    def _content(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise self.error(f"{place(self.path)} cannot be read ({error.strerror}); {self.cure}") from None
        if len(content) > MOST_BYTES:
            raise self.error(
                f"{place(self.path)} is larger than any sheet ({MOST_BYTES:,} bytes); {self.cure}"
            )
        return content


def _cell(cells: Sequence[str], at: int) -> str:
    return as_written(cells[at].strip()) if at < len(cells) else ""
