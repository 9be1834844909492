"""Builds a Page from a stream of tags and text, without a tree and without recursion."""

from __future__ import annotations

from collections.abc import Mapping

from focused_crawler.page.model import Outline, Page, Piece, Sections, Terms
from focused_crawler.page.tags import BLOCKS, BREAKS, HEADINGS, HEADLINES, SKIPPED
from focused_crawler.page.url import normalise
from focused_crawler.text.tokens import Analyzer

MAX_LINKS = 5_000
MAX_WORDS = 200_000
MAX_CHARACTERS = 2_000_000
"""Of text, meta keywords included; what follows is left out, as are links and words above the bounds."""

MAX_DEPTH = 100
"""Block-level elements nested deeper do not nest further: an outline is to be copied and pickled safely."""

SOFT_HYPHEN = "\xad"
MAX_TITLE = 300
MAX_LINK_TEXT = 200

_META = frozenset(["keywords", "description"])


class PageBuilder:
    """A parser target: `start`, `data` and `end` are called in the order of the page, `close` at its end."""

    def __init__(self, url: str, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._sections = Sections()
        self._outline = Outline(is_heading=False)
        self._page = Page(url, "", "", self._sections, self._outline, base=url)
        self._handlers = {
            "a": self._start_anchor, "area": self._area, "base": self._base, "frame": self._frame,
            "img": self._image, "meta": self._meta, "title": self._start_title,
        }  # fmt: skip
        self._run: list[str] = []  # text since the last boundary, not yet looked at
        self._text: list[str] = []  # all text of the page
        self._open: list[Outline | None] = []  # parent of each open element; None: it is no outline
        self._depth = 0  # outlines open
        self._skipping = 0  # skipped elements open
        self._headlines = 0  # h1, h2, h3 open
        self._is_anchor = False
        self._has_base = False
        self._link: Piece | None = None
        self._link_text: list[str] = []
        self._links = 0
        self._words = 0
        self._characters = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in SKIPPED:
            self._skipping += 1
        if self._skipping:
            return
        if tag in BLOCKS:
            self._start_block(tag)
        elif tag in self._handlers:
            self._handlers[tag](attributes)
        elif tag in BREAKS:
            self._run.append(" ")

    def data(self, text: str) -> None:
        if self._skipping:
            return
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            text = text[: max(MAX_CHARACTERS - self._characters, -len(text))]
        self._run.append(text)

    def end(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= tag in SKIPPED
        elif tag in BLOCKS:
            self._end_block(tag)
        elif tag == "a":
            self._end_anchor()
        elif tag == "title":
            self._end_title()
        elif tag in BREAKS:
            self._run.append(" ")

    def close(self) -> Page:
        self._end_anchor()
        while self._open:
            self._end_block("")
        self._flush()
        self._page.text = _one_line("".join(self._text))
        return self._page

    def _start_block(self, tag: str) -> None:
        self._flush()
        self._text.append(" ")
        self._headlines += tag in HEADLINES
        if self._is_anchor or self._depth >= MAX_DEPTH:
            self._open.append(None)
            return
        self._open.append(self._outline)
        self._outline = Outline(is_heading=tag in HEADINGS)
        self._depth += 1

    def _end_block(self, tag: str) -> None:
        self._flush()
        self._text.append(" ")
        self._headlines -= tag in HEADLINES
        parent = self._open.pop() if self._open else None
        if parent is None:
            return
        self._end_anchor()
        self._depth -= 1
        outline, self._outline = self._outline, parent
        _adopt(parent, outline)

    def _start_anchor(self, attributes: Mapping[str, str]) -> None:
        href = attributes.get("href")
        if href is None:
            return
        self._end_anchor()
        self._flush()
        self._is_anchor = True
        if not href.lstrip().startswith("#"):  # a jump within the page is no link
            self._link = self._new_link(href)

    def _end_anchor(self) -> None:
        if not self._is_anchor:
            return
        self._flush()
        self._is_anchor = False
        if self._link is not None:
            self._link.text = _one_line("".join(self._link_text))[:MAX_LINK_TEXT]
            self._link = None
            self._link_text.clear()

    def _new_link(self, href: str) -> Piece | None:
        """Put a link at the place reached; None if the page has had its share."""
        if self._links >= MAX_LINKS:
            return None
        self._links += 1
        link = Piece([], href)
        self._outline.parts.append(link)
        return link

    def _area(self, attributes: Mapping[str, str]) -> None:
        self._start_anchor(attributes)
        self._image(attributes)
        self._end_anchor()

    def _image(self, attributes: Mapping[str, str]) -> None:
        self._run.append(" ")
        if self._is_anchor:
            self.data(attributes.get("alt", ""))
            self._run.append(" ")

    def _frame(self, attributes: Mapping[str, str]) -> None:
        if "src" in attributes:
            self._flush()
            self._new_link(attributes["src"])

    def _base(self, attributes: Mapping[str, str]) -> None:
        if self._has_base or "href" not in attributes:
            return
        self._has_base = True
        self._page.base = normalise(attributes["href"], self._page.url) or self._page.url

    def _meta(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("name", "").strip().lower() in _META:
            text = attributes.get("content", "")[: max(MAX_CHARACTERS - self._characters, 0)]
            self._characters += len(text)
            self._sections.keywords += self._terms(text)

    def _start_title(self, _: Mapping[str, str]) -> None:
        self._flush()

    def _end_title(self) -> None:
        title = _one_line("".join(self._run))
        self._run.clear()
        if title and not self._page.title:
            self._page.title = title[:MAX_TITLE]
            self._sections.headline += self._terms(title)

    def _flush(self) -> None:
        """Give the text since the last boundary to its section and to the link or outline it stands in."""
        text = "".join(self._run).replace(SOFT_HYPHEN, "")
        self._run.clear()
        if not text:
            return
        self._text.append(text)
        if text.isspace():
            return
        terms = self._terms(text)
        self._section().extend(terms)
        if self._link is not None:
            self._link.terms += terms
            self._link_text += (text, " ")
        elif terms:
            self._outline.parts.append(Piece(terms))

    def _terms(self, text: str) -> Terms:
        terms = self._analyzer.terms(text)
        if self._words + len(terms) > MAX_WORDS:
            terms = terms[: MAX_WORDS - self._words]
        self._words += len(terms)
        return terms

    def _section(self) -> Terms:
        if self._headlines:
            return self._sections.headline
        return self._sections.anchor if self._is_anchor else self._sections.body


def _adopt(parent: Outline, outline: Outline) -> None:
    """Put a closed outline into its parent: an empty one falls away, one that only wraps another gives it."""
    parts = outline.parts
    if len(parts) == 1 and isinstance(parts[0], Outline):
        parts[0].is_heading |= outline.is_heading
        parent.parts.append(parts[0])
    elif parts:
        parent.parts.append(outline)


def _one_line(text: str) -> str:
    """Fold white space; other characters that show nothing, or steer a terminal, fall away."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    unseen = {ord(character): None for character in set(line) if not character.isprintable()}
    return " ".join(line.translate(unseen).split())
