"""A topic's `thesaurus.toml`, read strictly: a table a facet, the facet's tree as an outline."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import cast, get_args

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.rules import language_problem
from focused_crawler.topic.thesaurus.model import (
    CONTROL,
    Facet,
    Frequency,
    Key,
    Scoring,
    Thesaurus,
    wording_key,
)
from focused_crawler.topic.thesaurus.outline import OutlineEntry, OutlineError, read_outline, tree
from focused_crawler.topic.topic import Topic

FILE_NAME = "thesaurus.toml"
MAX_FILE_BYTES = 1_000_000
MAX_ENTRIES = 20_000
MAX_FACETS = 50
_KEYS = {
    "": ("language", "negative"),
    "scoring": ("kappa", "anchor", "url", "penalty", "frequency"),
    "facets": (),
}
_FACET_KEYS = ("title", "negative", "entries")
_FIRST_FACET = "write [facets.subject] and below it entries = '''...''', an entry a line"
_CONTROL = "has a control character; remove it"
_NO_TERM = "holds no word that can be found, as stop words are not looked for; write another wording"
_MOST = 1000.0


def find_thesaurus(topic: Topic) -> Thesaurus | None:
    """Return the thesaurus in a topic's folder, None where there is none; raises `TopicError`."""
    path = topic.folder / FILE_NAME
    return read_thesaurus(path, topic.language) if path.exists() else None


def read_thesaurus(path: Path, language: str = "en", text: str | None = None) -> Thesaurus:
    """Return what a file says, or a text that is to be written there.

    `language` is that of a file which names none. Raises `TopicError`.
    """
    file = TopicFile(path, MAX_FILE_BYTES, text)
    file.check_keys(_KEYS)
    names = list(file.table("facets"))
    if not names:
        raise file.error("facets", "", f"no facets; {_FIRST_FACET}")
    if len(names) > MAX_FACETS:
        message = f"has {len(names)} facets; {MAX_FACETS} are enough, each may be a tree"
        raise TopicError(f"{place(path)}: {message}")
    own = file.text("", "language", language_problem)
    reading = _Reading(file, Analyzer(own or language))
    facets = tuple(reading.facet(name) for name in names)
    return Thesaurus(facets, own or language, reading.negative(), _scoring(file))


class _Reading:
    """What was read so far: each wording may stand in one place only."""

    def __init__(self, file: TopicFile, analyzer: Analyzer) -> None:
        self._file = file
        self._analyzer = analyzer
        self._places: dict[Key, tuple[int, str]] = {}  # line of the file, wording
        self._entries = 0

    def facet(self, name: str) -> Facet:
        """Return a facet of the file."""
        table = f"facets.{name}"
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", name):
            message = f"facet {shown(name)} is not made of a-z, 0-9 and - alone (64 at most)"
            raise self._file.error("facets", name, f"{message}; put its name in title, below [facets.NAME]")
        if not isinstance(self._file.table("facets")[name], dict):
            raise self._file.error("facets", name, f"{name} is no table; {_FIRST_FACET}")
        self._file.check_table(table, _FACET_KEYS)
        title = " ".join((self._file.text(table, "title") or "").split())
        if CONTROL.search(title):
            raise self._file.error(table, "title", f"title {shown(title)} {_CONTROL}")
        text = self._file.text(table, "entries")
        if text is None:
            message = f"facet {name} has no entries; write entries = '''...''', an entry a line"
            raise self._file.error("facets", name, message)
        span = _outline_span(self._file, table)
        lines = self._lines(text, span)
        return Facet(name, tree(lines), title, self.negative(table, span))

    def negative(self, table: str = "", span: range | None = None) -> tuple[str, ...]:
        """Return the wordings that count against the facet in those lines, or against all; read last."""
        texts = self._file.texts(table, "negative")
        for text in texts:
            key = wording_key(text, self._analyzer)
            problem = _CONTROL if CONTROL.search(text) else "" if key else _NO_TERM
            if problem:
                raise self._file.error(table, "negative", f"{shown(text)} {problem}", text)
            line, _ = self._places.get(key, (None, ""))
            if line is not None and (span is None or line in span):
                message = f"{shown(text)} counts against what it stands for on line {line}; keep one of them"
                raise self._file.error(table, "negative", message, text)
        return tuple(dict.fromkeys(" ".join(text.split()) for text in texts))

    def _lines(self, text: str, span: range) -> list[OutlineEntry]:
        try:
            lines = read_outline(text)
            for line in lines:
                self._note(line, _line_in(span, line.number))
        except OutlineError as error:
            where = place(self._file.path, _line_in(span, error.line))
            raise TopicError(f"{where}: {error}") from None
        if not lines:
            where = place(self._file.path, span[0])
            raise TopicError(f"{where}: entries holds comments only; write an entry a line")
        self._entries += len(lines)
        if self._entries > MAX_ENTRIES:
            message = f"has more than {MAX_ENTRIES:,} entries; keep those that say most"
            raise TopicError(f"{place(self._file.path)}: {message}")
        return lines

    def _note(self, line: OutlineEntry, number: int) -> None:
        """Refuse wordings without a term, and those that stand elsewhere, or twice in this line."""
        seen: set[str] = set()
        for wording in line.wordings:
            key = wording_key(wording, self._analyzer)
            if not key:
                raise OutlineError(line.number, f"{shown(wording)} {_NO_TERM}")
            if wording.casefold() in seen:
                raise OutlineError(line.number, f"has {shown(wording)} twice; remove one")
            seen.add(wording.casefold())
            first, other = self._places.setdefault(key, (number, wording))
            if first != number:
                raise OutlineError(line.number, _again(wording, other, first))


def _outline_span(file: TopicFile, table: str) -> range:
    """Return the lines of the file that hold a facet's outline; the last stands for any after it."""
    found = file.statement(table, "entries")
    if found is None:
        return range(1, 2)
    number, lines = found
    # the outline begins after the line break that follows the opening quotes
    is_below = len(lines) > 1 and re.search(r"""=\s*(?:'''|\""")\s*$""", lines[0])
    return range(number + 1 if is_below else number, number + len(lines))


def _line_in(span: range, line: int) -> int:
    return min(span[0] + line - 1, span[-1])


def _again(wording: str, other: str, line: int) -> str:
    if wording == other:
        return f"{shown(wording)} is on line {line}, too; keep it in one place"
    same = f"{shown(wording)} is read as the same words as {shown(other)} on line {line}"
    return f"{same}; keep one of them, or put both on one line with | between"


def _scoring(file: TopicFile) -> Scoring:
    default = asdict(Scoring())
    frequency = file.text("scoring", "frequency", _frequency_problem) or default["frequency"]
    numbers = {
        name: _number(file, name, default[name], may_be_zero=name != "kappa")
        for name in ("kappa", "anchor", "url", "penalty")
    }
    return Scoring(**numbers, frequency=cast("Frequency", frequency))


def _number(file: TopicFile, key: str, default: float, *, may_be_zero: bool) -> float:
    """Return a number from 0 to 1000, `default` where the key is missing."""
    value = file.table("scoring").get(key, default)
    least = "0" if may_be_zero else "above 0"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise file.error("scoring", key, f"{key} is no number; write one from {least} to {_MOST:.0f}")
    if not 0 <= value <= _MOST or (value == 0 and not may_be_zero):
        message = f"{key} is {shown(value)}; use a number from {least} to {_MOST:.0f}"
        raise file.error("scoring", key, message)
    return float(value)


def _frequency_problem(chosen: str) -> str | None:
    names = get_args(Frequency)
    choices = " or ".join(f'"{name}"' for name in names)
    return None if chosen in names else f"frequency is {shown(chosen)}; write {choices}"
