"""Candidates as a sheet (CSV) for a person, who marks the rows to accept and corrects facet and broader."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.net.spreadsheet import as_written, harmless
from focused_crawler.thesaurus.grow import Candidate
from focused_crawler.thesaurus.in_place import NewEntry
from focused_crawler.topic_file import place

COLUMNS = ("accept", "phrase", "facet", "broader", "relevant", "other", "score", "example")
YES = frozenset({"y", "yes", "x", "1", "true", "ja", "oui", "si", "sí"})

_NEEDED = ("accept", "phrase", "facet", "broader")
_DELIMITERS = ",;\t"
_MAX_BYTES = 10_000_000


def save_candidates(candidates: Iterable[Candidate], path: Path) -> None:
    """Write a sheet, safe to open in a spreadsheet; raises ConfigError, also where the file exists."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in candidates:
        words = map(harmless, (one.wording, one.facet, one.broader))
        writer.writerow(("", *words, one.relevant, one.other, f"{one.score:.1f}", harmless(one.example)))
    try:
        with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text.getvalue())
    except FileExistsError:
        raise ConfigError(f"{place(path)} exists, and may hold your marks; name another file") from None
    except OSError as error:
        raise ConfigError(f"{place(path)} cannot be written ({error.strerror}); name another file") from None


def accepted(path: Path) -> list[NewEntry]:
    """Return the rows of a sheet that a person accepted; raises ConfigError with the line and the cure."""
    entries = []
    for line, row in _rows(path):
        if row["accept"].lower() in YES:
            if not row["phrase"] or not row["facet"]:
                missing = "phrase" if row["facet"] else "facet"
                raise ConfigError(
                    f"{place(path, line)}: accepted without a {missing}; write one into the row"
                )
            entries.append(NewEntry(row["phrase"], row["facet"].lower(), row["broader"]))
    return entries


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield line and cells of each row, whatever delimiter a spreadsheet saved it with."""
    text = _text(path)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            cure = "give a sheet that scrapy thesaurus grow wrote, saved as CSV"
            raise ConfigError(f"{place(path, 1)}: no column {', '.join(missing)}; {cure}")
        for row in reader:
            yield reader.line_num, {name: as_written(row[name].strip()) for name in _NEEDED}
    except csv.Error as error:
        raise ConfigError(f"{place(path, reader.line_num + 1)}: no CSV ({error}); save it as CSV") from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"{place(path)} cannot be read ({error.strerror}); give a filled-in sheet"
        ) from None
    if len(content) > _MAX_BYTES:
        raise ConfigError(f"{place(path)} is larger than any sheet (10 MB); give one with candidates")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:  # a spreadsheet may save in the code of its country
        return content.decode("cp1252", "replace")
