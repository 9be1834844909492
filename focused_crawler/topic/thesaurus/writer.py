"""Write a topic's `thesaurus.toml`, and add entries to one: its comments, order and all else stay.

Candidates for entries go to a person as a CSV file and come back with marks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.printable import harmless, place
from focused_crawler.safety.sheet import Sheet
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.thesaurus.file import MAX_FILE_BYTES, read_thesaurus
from focused_crawler.topic.thesaurus.grow import CandidatePhrase
from focused_crawler.topic.thesaurus.model import Facet, Key, Scoring, Thesaurus, as_wording, wording_key
from focused_crawler.topic.thesaurus.outline import insert, outline_lines
from focused_crawler.topic.toml import listed, long_texts, quoted, replace_text, save, with_long_texts

_FACET = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_QUOTES = ("'''", '"""')
_NOT_LITERAL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]|'''")
_EXPLANATION = (
    "# The words of the topic in facets: an entry a line, two spaces deeper for what is narrower, other",
    "# wordings of the same after |. Edit it freely: errors name the line and the cure.",
)

COLUMNS = ("accept", "phrase", "facet", "broader", "relevant", "other", "score", "example")
YES = frozenset({"y", "yes", "x", "1", "true", "ja", "oui", "si", "sí"})
NO = frozenset({"", "n", "no", "0", "false", "nein", "non", "-"})

_NEEDED = ("accept", "phrase", "facet", "broader")
_CURE = "give a sheet that scrapy thesaurus grow wrote, saved as CSV"


def thesaurus_text(thesaurus: Thesaurus) -> str:
    """Return the file's text."""
    lines = [*_EXPLANATION, f"language = {quoted(thesaurus.language)}"]
    if thesaurus.negative:
        lines += ["# Wordings that count against every facet.", f"negative = {listed(thesaurus.negative)}"]
    lines += _scoring_lines(thesaurus.scoring)
    for facet in thesaurus.facets:
        lines += ["", *_facet_lines(facet)]
    return "\n".join(lines) + "\n"


def write_thesaurus(path: Path, thesaurus: Thesaurus) -> None:
    """Write the file, whole or not at all; raises `TopicError`, also for what could not be read back."""
    text = thesaurus_text(thesaurus)
    if _reread(path, text) != thesaurus:
        raise TopicError(
            f"{place(path)}: is not written, as it would not be read as the same; see as_wording"
        )
    replace_text(path, text)


def _reread(path: Path, text: str, language: str = "en") -> Thesaurus:
    """Return as what a text would be read from the file; raises TopicError where it could not be."""
    try:
        return read_thesaurus(path, language, text)
    except TopicError as error:
        problem = str(error).partition(": ")[2]
        raise TopicError(f"{place(path)}: is not written, as it could not be read: {problem}") from None


def _scoring_lines(scoring: Scoring) -> list[str]:
    usual = asdict(Scoring())
    changed = {name: value for name, value in asdict(scoring).items() if value != usual[name]}
    lines = [
        f"{name} = {quoted(value) if isinstance(value, str) else repr(value)}"
        for name, value in changed.items()
    ]
    return ["", "[scoring]", *lines] if lines else []


def _facet_lines(facet: Facet) -> Iterator[str]:
    yield f"[facets.{facet.name}]"
    if facet.title:
        yield f"title = {quoted(facet.title)}"
    if facet.negative:
        yield f"negative = {listed(facet.negative)}"
    outline = "".join(f"{line}\n" for line in outline_lines(facet.entries))
    yield f"entries = {_outline_text(outline)}"


def _outline_text(outline: str) -> str:
    """Return the outline in quotes that need no escapes, where it holds nothing that does."""
    return quoted(outline) if _NOT_LITERAL.search(outline) else f"'''\n{outline}'''"


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
        if len(_reread(path, text, language)) != len(thesaurus) + len(added):
            raise TopicError(
                f"{place(path)}: cannot be changed by a tool as it is written; add the lines by hand"
            )
        save(file, text)
    return added


def deepened(before: Thesaurus, after: Thesaurus) -> list[str]:
    """Return a warning for each facet that has another level now: an entry's weight is level / depth."""
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


def save_candidates(candidates: Iterable[CandidatePhrase], path: Path) -> None:
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
