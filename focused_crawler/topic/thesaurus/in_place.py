"""A thesaurus's file added to in place: its comments, its order and all else stay as they are."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.printable import harmless, place
from focused_crawler.safety.sheet import Sheet
from focused_crawler.topic.file import read_text, shown
from focused_crawler.topic.thesaurus.file import MAX_FILE_BYTES, MAX_LEVEL, read_thesaurus
from focused_crawler.topic.thesaurus.grow import Candidate
from focused_crawler.topic.thesaurus.model import Key, Thesaurus, as_wording, without_comment, wording_key
from focused_crawler.topic.toml import replace_text

_FACET = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_QUOTES = ("'''", '"""')
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_OUTLINE = re.compile(r"^[ \t]*entries[ \t]*=[ \t]*('''|\"\"\")(.*?)\1", re.MULTILINE | re.DOTALL)


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
    known = {wording_key(text, analyzer) for text in _wordings(thesaurus)}
    text, added = _content(path), list[NewEntry]()
    for entry in (one._replace(wording=as_wording(one.wording)) for one in new):
        key = _key(entry, analyzer, path)
        if key not in known:
            known.add(key)
            added.append(entry)
            text = _with_entry(text, entry, analyzer, path)
    if added:
        _replace(path, text, language, len(thesaurus) + len(added))
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


def _with_entry(text: str, new: NewEntry, analyzer: Analyzer, path: Path) -> str:
    """Return the file's text with one more line in an outline."""
    name = re.escape(new.facet)
    header = re.search(rf"^[ \t]*\[\s*facets\s*\.\s*[\"']?{name}[\"']?\s*\][^\n]*\n", text, re.MULTILINE)
    if header is None:
        if new.broader:
            raise _unknown(path, new)
        if not _FACET.fullmatch(new.facet):
            message = f"facet {shown(new.facet)} of {shown(new.wording)} is no name; use a-z, 0-9 and - alone"
            raise TopicError(f"{new.where or place(path)}: {message}")
        return f"{text.rstrip()}\n\n[facets.{new.facet}]\nentries = '''\n{new.wording}\n'''\n"
    outline = _OUTLINE.search(text, header.end())
    if outline is None or _TABLE.search(text, header.end(), outline.start()):
        raise TopicError(
            f"{place(path)}: entries of facet {new.facet} cannot be added to here; write them as"
            " entries = '''...''' below its header"
        )
    lines = outline[2].split("\n")
    at, level = _position(lines, new, analyzer, path)
    lines.insert(at, "  " * level + new.wording)
    if at == len(lines) - 1:
        lines.append("")
    return text[: outline.start(2)] + "\n".join(lines) + text[outline.end(2) :]


def _position(lines: Sequence[str], new: NewEntry, analyzer: Analyzer, path: Path) -> tuple[int, int]:
    """Return before which line of an outline an entry comes, and how many levels deep, from 0."""
    contents = [without_comment(line) for line in lines]
    filled = [number for number, content in enumerate(contents) if content.strip()]
    if not new.broader:
        return (filled[-1] + 1 if filled else len(lines)), 0
    wanted = wording_key(new.broader, analyzer)
    for number in filled:
        if wanted in {wording_key(wording, analyzer) for wording in contents[number].split("|")}:
            depth = _indentation(contents[number])
            below = [other for other in filled if other > number and _indentation(contents[other]) <= depth]
            last = max(other for other in filled if other < (below[0] if below else len(lines)))
            return last + 1, min(depth // 2 + 1, MAX_LEVEL - 1)
    raise _unknown(path, new)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _unknown(path: Path, new: NewEntry) -> TopicError:
    return TopicError(
        f"{new.where or place(path)}: facet {new.facet} has no entry {shown(new.broader)} for"
        f" {shown(new.wording)} to stand below; write one that it has, or leave broader empty"
    )


def _wordings(thesaurus: Thesaurus) -> list[str]:
    """Return all wordings of a thesaurus, those that count against it as well."""
    wordings = [*thesaurus.negative]
    for facet in thesaurus.facets:
        wordings += facet.negative
        wordings += [wording for _, entry, _ in facet.walk() for wording in entry.wordings]
    return wordings


def _content(path: Path) -> str:
    return read_text(path, MAX_FILE_BYTES).replace("\r\n", "\n")


def _replace(path: Path, text: str, language: str, entries: int) -> None:
    """Write a file that can be read and has so many entries, or none."""
    with TemporaryDirectory() as scratch:
        trial = Path(scratch) / path.name
        trial.write_text(text, encoding="utf-8", newline="\n")
        try:
            found = len(read_thesaurus(trial, language))
        except TopicError as error:
            problem = str(error).partition(": ")[2]
            raise TopicError(
                f"{place(path)}: is not changed, as it could not be read then: {problem}"
            ) from None
    if found != entries:
        raise TopicError(
            f"{place(path)}: cannot be changed by a tool as it is written; add the lines by hand"
        )
    replace_text(path, text.replace("\n", "\r\n") if b"\r\n" in path.read_bytes() else text)


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
