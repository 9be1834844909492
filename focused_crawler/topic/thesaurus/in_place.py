"""A thesaurus's file added to in place: its comments, its order and all else stay as they are."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.printable import harmless, place
from focused_crawler.safety.sheet import Sheet
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.thesaurus.file import MAX_FILE_BYTES, read_thesaurus, reread
from focused_crawler.topic.thesaurus.grow import Candidate
from focused_crawler.topic.thesaurus.model import Key, Thesaurus, as_wording, wording_key
from focused_crawler.topic.thesaurus.outline import insert
from focused_crawler.topic.toml import long_texts, save, with_long_texts

_FACET = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_QUOTES = ("'''", '"""')


class NewEntry(NamedTuple):
    """What is to be added."""

    wording: str
    facet: str  # one that is new is made
    broader: str = ""  # any wording of the entry above it; "": the top level
    where: str = ""  # FILE:LINE of the sheet that it stands in


def add_entries(path: Path, new: Sequence[NewEntry], language: str) -> list[NewEntry]:
    """Add entries to a file and return those that it did not have in any facet; raises TopicError."""
    thesaurus = read_thesaurus(path, language)
    analyzer = Analyzer(thesaurus.language)
    known = {wording_key(text, analyzer) for text in thesaurus.wordings()}
    added = list[NewEntry]()
    for entry in (one._replace(wording=as_wording(one.wording)) for one in new):
        key = _key(entry, analyzer, path)
        if key not in known:
            known.add(key)
            added.append(entry)
    if added:
        file = TopicFile(path, MAX_FILE_BYTES)
        text = _with_entries(file, added, {facet.name for facet in thesaurus.facets}, analyzer)
        if len(reread(path, text, language)) != len(thesaurus) + len(added):
            raise TopicError(
                f"{place(path)}: cannot be changed by a tool as it is written; add the lines by hand"
            )
        save(file, text)
    return added


def deepened(before: Thesaurus, after: Thesaurus) -> list[str]:
    """Return what to tell of facets that have another level now: an entry's weight is level / depth."""
    depths = {facet.name: facet.depth for facet in before.facets}
    return [
        f"facet {facet.name} has {facet.depth} levels now instead of {depths[facet.name]}: each entry that"
        f" was there weighs {depths[facet.name] / facet.depth:.2f} times what it did"
        for facet in after.facets
        if 0 < depths.get(facet.name, 0) < facet.depth
    ]


def _key(new: NewEntry, analyzer: Analyzer, path: Path) -> Key:
    """Return the terms of a wording; raises TopicError where it cannot stand in an outline, or has none."""
    key = wording_key(new.wording, analyzer)
    if not key:
        problem = "has no word to look for, stop words at most"
    elif quotes := next((quotes for quotes in _QUOTES if quotes in new.wording), ""):
        problem = f"holds {quotes}, which ends the outline"
    else:
        return key
    raise TopicError(f"{new.where or place(path)}: {shown(new.wording)} {problem}; write another, or none")


def _with_entries(file: TopicFile, new: Sequence[NewEntry], facets: set[str], analyzer: Analyzer) -> str:
    """Return a file's text with one more line in an outline for each entry; new facets come last."""
    outlines = {name: text.split("\n") for name, text in long_texts(file, "facets", "entries").items()}
    for entry in new:
        if entry.facet in facets - outlines.keys():
            raise TopicError(
                f"{place(file.path)}: entries of facet {entry.facet} cannot be added to here; write them as"
                " entries = '''...''' below its header"
            )
        _add(outlines, entry, analyzer, file.path)
    texts = {name: "\n".join(lines) for name, lines in outlines.items()}
    text = with_long_texts(file, "facets", "entries", {name: texts[name] for name in facets & texts.keys()})
    made = [f"\n\n[facets.{name}]\nentries = '''{texts[name]}'''" for name in texts if name not in facets]
    return f"{text.rstrip()}{''.join(made)}\n" if made else text


def _add(outlines: dict[str, list[str]], new: NewEntry, analyzer: Analyzer, path: Path) -> None:
    """Put one more line into the outline of its facet, a new one if it is missing; raises TopicError."""
    if new.facet not in outlines and not new.broader:
        if not _FACET.fullmatch(new.facet):
            message = f"facet {shown(new.facet)} of {shown(new.wording)} is no name; use a-z, 0-9 and - alone"
            raise TopicError(f"{new.where or place(path)}: {message}")
        outlines[new.facet] = ["", new.wording, ""]
    elif not insert(outlines.get(new.facet, []), new.wording, new.broader, analyzer):
        raise TopicError(
            f"{new.where or place(path)}: facet {new.facet} has no entry {shown(new.broader)} for"
            f" {shown(new.wording)} to stand below; write one that it has, or leave broader empty"
        )


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
