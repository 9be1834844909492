"""Candidates as a sheet (CSV) for a person, who marks the rows to accept and corrects facet and broader."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.net.sheet import Sheet
from focused_crawler.net.spreadsheet import harmless
from focused_crawler.thesaurus.grow import Candidate
from focused_crawler.thesaurus.in_place import NewEntry
from focused_crawler.topic_file import place, shown

COLUMNS = ("accept", "phrase", "facet", "broader", "relevant", "other", "score", "example")
YES = frozenset({"y", "yes", "x", "1", "true", "ja", "oui", "si", "sí"})

NO = frozenset({"", "n", "no", "0", "false", "nein", "non", "-"})

_NEEDED = ("accept", "phrase", "facet", "broader")
_CURE = "give a sheet that scrapy thesaurus grow wrote, saved as CSV"


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
    for where, row in Sheet(path, _NEEDED, _CURE, ConfigError).rows():
        mark = row["accept"].lower()
        if mark not in YES | NO:
            raise ConfigError(f"{where}: accept is {shown(row['accept'])}; write y, or leave it empty")
        if mark in YES:
            if not row["phrase"] or not row["facet"]:
                missing = "phrase" if row["facet"] else "facet"
                raise ConfigError(f"{where}: accepted without a {missing}; write one into the row")
            entries.append(NewEntry(row["phrase"], row["facet"].lower(), row["broader"], where))
    return entries
