"""A facet's tree as an outline: an entry a line, two spaces a level, other wordings after |."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.formats import plural
from focused_crawler.topic.file import shown
from focused_crawler.topic.thesaurus.model import (
    CONTROL,
    MAX_LENGTH,
    Entry,
    Key,
    without_comment,
    wording_key,
)

MAX_LEVEL = 20


class OutlineError(ValueError):
    """What is wrong with a line of an outline, with the cure."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class OutlineEntry(NamedTuple):
    """One entry as it stands in the outline."""

    number: int  # from 1
    level: int  # from 1
    wordings: tuple[str, ...]


def read_outline(outline: str) -> list[OutlineEntry]:
    """Return the lines that hold entries; raises `OutlineError`."""
    lines: list[OutlineEntry] = []
    deepest = 1
    for number, text in enumerate(outline.split("\n"), start=1):
        content = without_comment(text)
        if content.strip():
            line = OutlineEntry(number, _level(content, number, deepest), _wordings(content, number))
            lines.append(line)
            deepest = line.level + 1
    return lines


def tree(lines: Sequence[OutlineEntry]) -> tuple[Entry, ...]:
    """Return the entries of an outline's lines, each with what is narrower."""
    narrower: list[list[Entry]] = [[] for _ in range(MAX_LEVEL + 2)]
    for line in reversed(lines):
        name, *synonyms = line.wordings
        below = narrower[line.level + 1]
        narrower[line.level].append(Entry(name, tuple(synonyms), tuple(reversed(below))))
        below.clear()
    return tuple(reversed(narrower[1]))


def outline_lines(entries: Sequence[Entry], level: int = 1) -> Iterator[str]:
    for entry in entries:
        yield "  " * (level - 1) + " | ".join(entry.wordings)
        yield from outline_lines(entry.narrower, level + 1)


def _level(content: str, number: int, deepest: int) -> int:
    indentation = content[: len(content) - len(content.lstrip())]
    if indentation.strip(" "):
        raise OutlineError(number, "is indented with a tab or the like; use two spaces a level")
    level, odd = divmod(len(indentation), 2)
    if odd:
        raise OutlineError(number, f"is indented by {plural(len(indentation), 'space')}; use two a level")
    level += 1
    if level > MAX_LEVEL:
        raise OutlineError(number, f"is on level {level}; {MAX_LEVEL} are enough, put it under a broader one")
    if level > deepest:
        above = f"the line above it is on level {deepest - 1}" if deepest > 1 else "it is the first"
        message = f"is on level {level}, but {above}; indent it by {2 * (deepest - 1)} spaces at most"
        raise OutlineError(number, message)
    return level


def _wordings(content: str, number: int) -> tuple[str, ...]:
    wordings = tuple(" ".join(wording.split()) for wording in content.split("|"))
    if not all(wordings):
        raise OutlineError(number, "has an empty wording; write a wording before and after each |")
    if found := next(filter(None, map(CONTROL.search, wordings)), None):
        raise OutlineError(number, f"{shown(found.string)} has a control character; remove it")
    if long := next((wording for wording in wordings if len(wording) > MAX_LENGTH), None):
        message = f"{shown(long)} has {len(long)} characters; {MAX_LENGTH} are enough for a wording"
        raise OutlineError(number, message)
    return wordings


def insert(lines: list[str], wording: str, broader: str, analyzer: Analyzer) -> bool:
    """Put an entry into the lines of an outline, comments and all: at the end of what is below `broader`.

    "" stands for the outline itself. Return False where no entry has the wording `broader`.
    """
    contents = [without_comment(line) for line in lines]
    filled = [number for number, content in enumerate(contents) if content.strip()]
    position, level = (filled[-1] + 1 if filled else len(lines)), 0
    if broader:
        wanted = wording_key(broader, analyzer)
        above = next((number for number in filled if _has(contents[number], wanted, analyzer)), None)
        if above is None:
            return False
        indentation = _indentation(contents[above])
        level = min(indentation // 2 + 1, MAX_LEVEL - 1)
        rest = [number for number in filled if number > above]
        below = takewhile(lambda number: _indentation(contents[number]) > indentation, rest)
        position = max(below, default=above) + 1
    lines.insert(position, "  " * level + wording)
    if position == len(lines) - 1:
        lines.append("")
    return True


def _has(content: str, wanted: Key, analyzer: Analyzer) -> bool:
    return any(wording_key(wording, analyzer) == wanted for wording in content.split("|"))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
