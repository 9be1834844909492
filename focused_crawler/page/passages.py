"""HTML -> the passages of a page under their headings, for language models and searches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

from focused_crawler.page.builder import BLOCKS, HEADINGS, SKIPPED
from focused_crawler.page.encoding import decode
from focused_crawler.page.parser import MAX_BODY

LONGEST = 2_000
"""Characters of a passage: some 300 words."""

LONGEST_HEADING = 300

_ASIDE = SKIPPED | {"aside", "button", "footer", "form", "head", "nav", "select", "textarea"}
"""What is not of the page's own text, or no text at all."""
_ENDS_LINE = (BLOCKS - {"td", "th"}) | {"br", "dd", "dt", "figcaption", "hr", "li", "tr"}
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")


class Passage(NamedTuple):
    """Some text, and the headings that it stands under, the highest first."""

    headings: tuple[str, ...]
    text: str


def passages_of_html(body: bytes, encoding: str | None = None) -> list[Passage]:
    """Return the passages of an HTML body as Markdown without any HTML or link, whatever the page says."""
    target = _Reader()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=target)
    markup = decode(body[:MAX_BODY], encoding).encode("utf-8", "replace").replace(b"\0", b"")
    if not markup.strip():
        return []
    parser.feed(markup)
    parser.close()
    return [
        Passage(headings, part)
        for headings, lines in target.sections
        for part in _parts([_harmless(line) for line in lines], "\n\n")
    ]


def passages_of_text(text: str) -> list[Passage]:
    """Return the passages of a text without headings, cut where sentences end.

    >>> [passage.text for passage in passages_of_text("One. Two.")]
    ['One. Two.']
    """
    return [Passage((), part) for part in _parts([text] if text else [], " ")]


def _parts(lines: list[str], between: str) -> Iterator[str]:
    """Yield lines joined as long as they are no longer than a passage; a longer one is cut."""
    part = ""
    for piece in (piece for line in lines for piece in _pieces(line)):
        joined = f"{part}{between}{piece}" if part else piece
        if part and len(joined) > LONGEST:
            yield part
            joined = piece
        part = joined
    if part:
        yield part


def _pieces(line: str) -> Iterator[str]:
    """Yield a line whole, or its sentences put together to passages, or a sentence without end cut up."""
    if len(line) <= LONGEST:
        yield line
        return
    part = ""
    for sentence in _END.split(line):
        for start in range(0, len(sentence), LONGEST):
            piece = sentence[start : start + LONGEST]
            if part and len(part) + len(piece) >= LONGEST:
                yield part
                part = ""
            part = f"{part} {piece}" if part else piece
    if part:
        yield part


def _harmless(line: str) -> str:
    """Return a line in which Markdown finds no tags and no links, so that nothing is loaded or run."""
    return _MARKUP.sub("&lt;", line).replace("](", "]\\(").replace("][", "]\\[")


class _Reader:
    """A parser target that collects lines under their headings."""

    def __init__(self) -> None:
        self.sections: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
        self._headings: list[tuple[int, str]] = []
        self._run: list[str] = []
        self._mark = ""  # of the line: a list's
        self._aside = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _ASIDE:
            self._aside += 1
        elif not self._aside:
            if tag in _ENDS_LINE:
                self._line()
                self._mark = "- " if tag == "li" else self._mark if tag in {"p", "div"} else ""
            elif tag in {"td", "th", "img"}:
                self._run.append(" ")

    def end(self, tag: str) -> None:
        if tag in _ASIDE:
            self._aside = max(0, self._aside - 1)
        elif not self._aside:
            if tag in HEADINGS:
                self._heading(int(tag[1]))
            elif tag in _ENDS_LINE:
                self._line()
                self._mark = "" if tag == "li" else self._mark
            elif tag in {"td", "th"}:
                self._run.append(" | ")

    def data(self, text: str) -> None:
        if not self._aside:
            self._run.append(text)

    def close(self) -> None:
        self._line()

    def _taken(self) -> str:
        text = " ".join("".join(self._run).split()).strip("| ")
        self._run.clear()
        return text

    def _line(self) -> None:
        if text := self._taken():
            self.sections[-1][1].append(self._mark + text)

    def _heading(self, level: int) -> None:
        text = _harmless(self._taken())[:LONGEST_HEADING]
        self._headings = [one for one in self._headings if one[0] < level]
        if text:
            self._headings.append((level, text))
        self.sections.append((tuple(one for _, one in self._headings), []))
