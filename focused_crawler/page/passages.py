"""HTML -> the passages of a page under their headings, for language models and searches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import NamedTuple

from focused_crawler.page.encoding import decode
from focused_crawler.page.markup import Target, reading
from focused_crawler.page.parser import MAX_BODY
from focused_crawler.page.tags import BLOCKS, HEADINGS, SKIPPED
from focused_crawler.safety.aside import finished

LONGEST = 2_000
"""Characters of a passage: some 300 words."""

LONGEST_HEADING = 300

MENU = 3
"""Links in a row with nothing between them are a menu, and none of the page's own text."""

_BARE = 0.9
"""A line of links holds hardly any other letter."""
_BETWEEN = re.compile(r"[\W_]*")
_ASIDE = SKIPPED | {"aside", "button", "footer", "form", "head", "nav", "select", "textarea"}
"""What is not of the page's own text, or no text at all."""
_ENDS_LINE = (BLOCKS - {"td", "th"}) | {"br", "dd", "dt", "figcaption", "hr", "li", "tr"}
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"\](?=[(\[:])")
"""Before a link's place, a reference, or what references are defined by."""


class Passage(NamedTuple):
    """Some text, and the headings that it stands under, the highest first."""

    headings: tuple[str, ...]
    text: str


class _Text(NamedTuple):
    """A line of a page."""

    text: str
    links: int  # that begin in it
    linked: int  # letters and digits in links
    letters: int

    def is_bare(self) -> bool:
        """Tell whether it is links and nothing else."""
        return self.links > 0 and self.linked >= _BARE * self.letters


def passages_of_html(body: bytes, encoding: str | None = None) -> list[Passage]:
    """Return the passages of an HTML body as Markdown without any HTML or link, whatever the page says."""
    text = decode(body[:MAX_BODY], encoding)
    target = _Reader(_ASIDE)
    finished(reading(text, target))
    if target.in_forms > target.others:  # some sites have the whole page in one
        target = _Reader(_ASIDE - {"form"})
        finished(reading(text, target))
    return [
        Passage(headings, part)
        for headings, lines in target.sections
        for part in _parts([_harmless(line) for line in _without_menus(lines)], "\n\n")
    ]


def passages_of_text(text: str, links: Sequence[str] = ()) -> list[Passage]:
    """Return the passages of a text without headings, cut where sentences end.

    `links`: the texts of the page's links, in reading order: menus are left out.

    >>> [passage.text for passage in passages_of_text("A | B | C | D One. Two.", "ABCD")]
    ['One. Two.']
    """
    parts = [part for part in _around_menus(text, links) if part]
    return [Passage((), passage) for part in parts for passage in _parts([part], " ")]


def _around_menus(text: str, links: Sequence[str]) -> Iterator[str]:
    """Yield what stands before, between and after menus."""
    kept = start = end = number = 0  # the run of links that ends there, from where, and how many
    for link in (*filter(None, links), None):
        at = text.find(link, end) if link is not None else len(text)
        if at < 0:
            continue
        if link is not None and number and _BETWEEN.fullmatch(text, end, at):
            number += 1
        else:
            if number >= MENU:
                yield text[kept:start].strip()
                kept = end
            start, number = at, 1
        end = at + len(link or "")
    yield _BETWEEN.sub("", text[kept:], count=1) if kept else text


def _without_menus(lines: Sequence[_Text]) -> Iterator[str]:
    """Yield the lines but those of links alone, where these are as many as a menu's, or all there is."""
    if all(map(_Text.is_bare, lines)):
        return
    for is_bare, some in groupby(lines, key=_Text.is_bare):
        run = list(some)
        if not is_bare or sum(line.links for line in run) < MENU:
            yield from (line.text for line in run)


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
    text = _MARKUP.sub("&lt;", line)
    return _LINK.sub(r"]\\", text) if "]" in text else text


class _Reader(Target):
    """A parser target that collects lines under their headings."""

    def __init__(self, left_out: Set[str]) -> None:
        super().__init__()
        self.in_forms = self.others = 0  # letters and digits
        self._left_out = left_out
        self.sections: list[tuple[tuple[str, ...], list[_Text]]] = [((), [])]
        self._headings: list[tuple[int, str]] = []
        self._run: list[str] = []
        self._mark = ""  # of the line: a list's
        self._aside = self._forms = 0  # elements open
        self._in_link = False
        self._links = self._linked = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.opened.append(tag)
        if tag in self._left_out:
            self._aside += 1
            self._forms += tag == "form"
        elif not self._aside:
            if tag == "a":
                self._in_link = True
                self._links += 1
            elif tag in _ENDS_LINE:
                self._line()
                self._mark = "- " if tag == "li" else self._mark if tag in {"p", "div"} else ""
            elif tag in {"td", "th", "img"}:
                self._run.append(" ")

    def end(self, tag: str) -> None:
        self.opened.pop()
        if tag in self._left_out:
            self._aside -= 1
            self._forms -= tag == "form"
        elif not self._aside:
            if tag == "a":
                self._in_link = False
            elif tag in HEADINGS:
                self._heading(int(tag[1]))
            elif tag in _ENDS_LINE:
                self._line()
                self._mark = "" if tag == "li" else self._mark
            elif tag in {"td", "th"}:
                self._run.append(" | ")

    def data(self, text: str) -> None:
        if self._aside > self._forms:
            return
        if self._aside:
            self.in_forms += _letters(text)
            return
        self._run.append(text)
        if self._in_link:
            self._linked += _letters(text)

    def close(self) -> None:
        self._line()

    def _taken(self) -> str:
        text = " ".join("".join(self._run).split()).strip("| ")
        self._run.clear()
        self._links = self._linked = 0
        return text

    def _line(self) -> None:
        links, linked = self._links, self._linked
        if text := self._taken():
            letters = _letters(text)
            self.others += letters
            self.sections[-1][1].append(_Text(self._mark + text, links, linked, letters))

    def _heading(self, level: int) -> None:
        text = _harmless(self._taken())[:LONGEST_HEADING]
        self.others += _letters(text)
        self._headings = [one for one in self._headings if one[0] < level]
        if text:
            self._headings.append((level, text))
        self.sections.append((tuple(one for _, one in self._headings), []))


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
