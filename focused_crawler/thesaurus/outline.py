"""A facet's tree as an outline: an entry a line, two spaces a level, synonyms after |, comments after #."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from focused_crawler.thesaurus.tree import Entry
from focused_crawler.thesaurus.wording import CONTROL, MAX_LENGTH, without_comment
from focused_crawler.topic_file import shown

MAX_LEVEL = 20


class OutlineError(ValueError):
    """What is wrong with a line of an outline, with the cure."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Line(NamedTuple):
    """One entry as it stands in the outline."""

    number: int  # from 1
    level: int  # from 1
    wordings: tuple[str, ...]


def read_outline(outline: str) -> list[Line]:
    """Return the lines that hold entries; raises `OutlineError`."""
    lines: list[Line] = []
    deepest = 1
    for number, text in enumerate(outline.split("\n"), start=1):
        content = without_comment(text)
        if content.strip():
            line = Line(number, _level(content, number, deepest), _wordings(content, number))
            lines.append(line)
            deepest = line.level + 1
    return lines


def tree(lines: Sequence[Line]) -> tuple[Entry, ...]:
    """Return the entries of an outline's lines, each with what is narrower."""
    narrower: list[list[Entry]] = [[] for _ in range(MAX_LEVEL + 2)]
    for line in reversed(lines):
        name, *synonyms = line.wordings
        below = narrower[line.level + 1]
        narrower[line.level].append(Entry(name, tuple(synonyms), tuple(reversed(below))))
        below.clear()
    return tuple(reversed(narrower[1]))


def outline_lines(entries: Sequence[Entry], level: int = 1) -> Iterator[str]:
    """Yield the lines of an outline."""
    for entry in entries:
        yield "  " * (level - 1) + " | ".join(entry.wordings)
        yield from outline_lines(entry.narrower, level + 1)


def _level(content: str, number: int, deepest: int) -> int:
    indentation = content[: len(content) - len(content.lstrip())]
    if indentation.strip(" "):
        raise OutlineError(number, "is indented with a tab or the like; use two spaces a level")
    level, odd = divmod(len(indentation), 2)
    if odd:
        raise OutlineError(number, f"is indented by {len(indentation)} spaces; use two a level")
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
