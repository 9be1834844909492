"""Builds a Page from a stream of tags and text, without a tree and without recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from focused_crawler.page.markup import Target
from focused_crawler.page.model import Named, Outline, Page, Piece, Sections, Terms, place_of
from focused_crawler.page.nofollow import CLOSED, CLOSING, NOFOLLOW, ROBOTS
from focused_crawler.page.tags import BLOCKS, BREAKS, HEADINGS, HEADLINES, SKIPPED
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import normalise

MAX_LINKS = 5_000
MAX_WORDS = 200_000
MAX_CHARACTERS = 2_000_000
"""Of text, meta keywords included; what follows is left out, as are links and words above the bounds."""

MAX_DEPTH = 100
MAX_BLOCKS = 20_000
"""Block-level elements nested deeper, or after so many, are part of the one they stand in: an outline is to
be copied and pickled safely, and cut into blocks in some milliseconds."""

MAX_LAST = 32_768
"""Characters without a space that are waited for; a word is cut there."""

MAX_CLASS = 40
"""Characters of an element's class that count."""

SOFT_HYPHEN = "\xad"
MAX_TITLE = 300
MAX_LINK_TEXT = 200
MAX_LANGUAGE = 35
MAX_FEEDS = 4
"""Feeds and canonical URLs of a page that are read."""

Attributes: TypeAlias = Mapping[str, str]

_Opened: TypeAlias = tuple[list["Piece | Outline"], bool]
"""An open outline: the parts of its parent so far, and whether it is a heading."""

_Step: TypeAlias = tuple[str, str | None]
"""An element's tag and class."""

_META = frozenset(["keywords", "description"])

_SERIES = frozenset(["next", "prev", "previous"])
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")


class PageBuilder(Target):
    """A parser target that makes a page."""

    def __init__(self, url: str, analyzer: Analyzer, nofollow: str = NOFOLLOW[0]) -> None:
        super().__init__()
        self._url = self._base_url = url
        self._analyzer = analyzer
        self._title = ""
        self._sections = Sections()
        self._parts: list[Piece | Outline] = []  # of the innermost open outline
        self._open: list[_Opened | None] = []  # the open elements; None: it is no outline
        self._way: list[_Step] = []  # to them
        self._places: dict[tuple[_Step, ...], int] = {}
        self._paths: dict[int, str] = {}  # by place
        self._run: list[str] = []  # text since the last boundary, not yet processed
        self.data = self._run.append  # text comes in so many parts that a method of ours would cost more
        self._text: list[str] = []  # all text of the page
        self._depth = 0  # outlines open
        self._blocks = 0  # opened so far
        self._skipping = 0  # skipped elements open
        self._before_skip = 0  # parts of the run from before the skipped element
        self._headlines = 0  # h1, h2, h3 open
        self._is_anchor = self._is_title = False
        self._has_base = False
        self._link: Piece | None = None
        self._link_text: list[str] = []
        self._links = 0
        self._cut = 0  # links beyond those
        self._language = ""
        self._nofollow = nofollow
        self._is_closed = nofollow == CLOSED  # the page wants none of its links to be followed
        self._closed = 0  # links left alone for that, or for their own wish
        self._canonicals: list[str] = []
        self._feeds: list[str] = []
        self._words = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        self.opened.append(tag)
        handle = _STARTS.get(tag)
        if handle is not None and (not self._skipping or tag in SKIPPED):
            handle(self, tag, attributes)

    def end(self, tag: str) -> None:
        self.opened.pop()
        handle = _ENDS.get(tag)
        if handle is not None and (not self._skipping or tag in SKIPPED):
            handle(self, tag)

    def close(self) -> Page:
        while self._skipping:
            self._end_skipped("")
        self._end_anchor()
        while self._open:
            self._end_block("")
        self._flush()
        outline = Outline(is_heading=False, parts=self._parts)
        text = _one_line("".join(self._text))[:MAX_CHARACTERS]
        base, cut, closed = self._base_url, self._cut, self._closed
        page = Page(self._url, self._title, text, self._sections, outline, base, cut=cut, closed=closed)
        page.language, page.places = self._language, self._paths
        if self._canonicals or self._feeds:
            page.named = self._named()
        return page

    def pause(self) -> None:
        """Process what was read of a long text, all but its last word, so that its end takes no longer."""
        run = self._run
        if self._skipping or self._is_title or not run:
            return
        text = "".join(run)
        end = max(text.rfind(" "), text.rfind("\n")) + 1
        if len(text) - end > MAX_LAST:
            end = len(text)
        if end:
            run[:] = [text[:end]]
            self._flush()
            run.append(text[end:])

    def forget(self) -> None:
        """Let go of all that was read; nothing can be called after."""
        vars(self).clear()

    def _start_skipped(self, tag: str, attributes: Attributes) -> None:
        if not self._skipping:
            self._before_skip = len(self._run)
        self._skipping += 1

    def _end_skipped(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= 1
            if not self._skipping:
                del self._run[self._before_skip :]

    def _break(self, tag: str, attributes: Attributes | None = None) -> None:
        self._run.append(" ")

    def _start_block(self, tag: str, attributes: Attributes) -> None:
        self._flush()
        self._text.append(" ")
        self._way.append((tag, attributes.get("class")))
        if self._is_anchor or self._depth >= MAX_DEPTH or self._blocks >= MAX_BLOCKS:
            self._open.append(None)
            return
        self._blocks += 1
        self._open.append((self._parts, tag in HEADINGS))
        self._parts = []
        self._depth += 1

    def _end_block(self, tag: str) -> None:
        self._flush()
        self._text.append(" ")
        opened = None
        if self._open:
            opened = self._open.pop()
            self._way.pop()
        if opened is None:
            return
        self._end_anchor()
        self._depth -= 1
        parts = self._parts
        self._parts, is_heading = opened
        if parts:
            self._parts.append(_outline(parts, is_heading))

    def _start_headline(self, tag: str, attributes: Attributes) -> None:
        self._start_block(tag, attributes)
        self._headlines += 1

    def _end_headline(self, tag: str) -> None:
        self._end_block(tag)
        self._headlines -= 1

    def _start_anchor(self, tag: str, attributes: Attributes) -> None:
        href = attributes.get("href")
        if href is None:
            return
        self._end_anchor()
        self._flush()
        self._is_anchor = True
        if href.lstrip().startswith("#"):  # a jump within the page is no link
            return
        if self._nofollow == "link" and "nofollow" in attributes.get("rel", "").lower():
            self._closed += 1
            return
        self._link = self._new_link(href, (tag, attributes.get("class")))

    def _end_anchor(self, tag: str = "a") -> None:
        if not self._is_anchor:
            return
        self._flush()
        self._is_anchor = False
        if self._link is not None:
            text = " ".join(self._link_text)
            self._link.text = (text if text.isprintable() else _shown(text))[:MAX_LINK_TEXT]
            self._link = None
            self._link_text.clear()

    def _new_link(self, href: str, element: _Step) -> Piece | None:
        """Put a link at the position reached; None if it is left alone, or the page has had its share."""
        if self._is_closed:
            self._closed += 1
            return None
        if self._links >= MAX_LINKS:
            self._cut += 1
            return None
        self._links += 1
        way = (*self._way[-3:], element)
        place = self._places.get(way)
        if place is None:
            path = " ".join(map(_step, way))
            place = self._places[way] = place_of(path)
            self._paths[place] = path
        link = Piece([], href, place=place)
        self._parts.append(link)
        return link

    def _area(self, tag: str, attributes: Attributes) -> None:
        self._start_anchor(tag, attributes)
        self._image(tag, attributes)
        self._end_anchor()

    def _image(self, tag: str, attributes: Attributes) -> None:
        self._run.append(" ")
        if self._is_anchor:
            self.data(attributes.get("alt", ""))
            self._run.append(" ")

    def _frame(self, tag: str, attributes: Attributes) -> None:
        if "src" in attributes:
            self._flush()
            self._new_link(attributes["src"], (tag, None))

    def _html(self, tag: str, attributes: Attributes) -> None:
        self._language = self._language or attributes.get("lang", "").strip()[:MAX_LANGUAGE]

    def _head_link(self, tag: str, attributes: Attributes) -> None:
        """Read what a page names for crawlers; in its body anybody may have written it."""
        href = attributes.get("href")
        if not href or self._open:
            return
        rels = attributes.get("rel", "").lower().split()
        if "canonical" in rels:
            self._canonicals += [href] if len(self._canonicals) < MAX_FEEDS else []
        elif not _SERIES.isdisjoint(rels):
            self._flush()
            self._new_link(href, (tag, rels[0]))
        elif "alternate" in rels and attributes.get("type", "").strip().lower().startswith(_FEED_TYPES):
            self._feeds += [href] if len(self._feeds) < MAX_FEEDS else []

    def _named(self) -> Named:
        base = self._base_url
        found = {normalise(href, base) for href in self._canonicals}
        canonical = found.pop() if len(found) == 1 else None
        feeds = [] if self._is_closed else [normalise(href, base) for href in self._feeds]
        return Named(canonical or "", tuple(dict.fromkeys(filter(None, feeds))))

    def _base(self, tag: str, attributes: Attributes) -> None:
        if self._has_base or "href" not in attributes:
            return
        self._has_base = True
        self._base_url = normalise(attributes["href"], self._url) or self._url

    def _meta(self, tag: str, attributes: Attributes) -> None:
        name = attributes.get("name", "").strip().lower()
        if name in _META:
            self._sections.keywords += self._terms(attributes.get("content", "").split())
        elif name in ROBOTS and self._nofollow != "off":
            wishes = attributes.get("content", "").lower().replace(",", " ").replace(";", " ").split()
            if not (self._is_closed or CLOSING.isdisjoint(wishes)):
                self._close_links()

    def _close_links(self) -> None:
        """Leave the page's links alone, also those before: <link rel=next> may stand above the wish."""
        self._is_closed = True
        waiting = [*self._parts, *(part for opened in self._open if opened for part in opened[0])]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Outline):
                waiting += part.parts
            else:
                part.href = None
        self._link = None
        self._link_text.clear()
        self._closed += self._links

    def _start_title(self, tag: str, attributes: Attributes) -> None:
        self._flush()
        self._is_title = True

    def _end_title(self, tag: str) -> None:
        title = _one_line("".join(self._run))
        self._run.clear()
        self._is_title = False
        if title and not self._title:
            self._title = title[:MAX_TITLE]
            self._sections.headline += self._terms(title.split())

    def _flush(self) -> None:
        """Give the text since the last boundary to its section and to the link or outline it stands in."""
        run = self._run
        if not run:
            return
        text = "".join(run)
        run.clear()
        words = text.split()
        if not words:
            self._text.append(" ")
            return
        if SOFT_HYPHEN in text:
            text = text.replace(SOFT_HYPHEN, "")
            words = text.split()
        self._text.append(text)
        terms = self._terms(words)
        if self._headlines:
            self._sections.headline += terms
        elif self._is_anchor:
            self._sections.anchor += terms
        else:
            self._sections.body += terms
        if self._link is not None:
            self._link.terms += terms
            self._link_text += words
        elif terms:
            self._parts.append(Piece(terms))

    def _terms(self, words: list[str]) -> Terms:
        if self._words >= MAX_WORDS:
            return []
        terms = self._analyzer.terms_of(words)
        self._words += len(terms)
        return terms if self._words <= MAX_WORDS else terms[: MAX_WORDS - self._words]


_STARTS: Mapping[str, Callable[[PageBuilder, str, Attributes], None]] = {
    **dict.fromkeys(BREAKS, PageBuilder._break),
    **dict.fromkeys(BLOCKS, PageBuilder._start_block),
    **dict.fromkeys(HEADLINES, PageBuilder._start_headline),
    **dict.fromkeys(SKIPPED, PageBuilder._start_skipped),
    "a": PageBuilder._start_anchor,
    "area": PageBuilder._area,
    "base": PageBuilder._base,
    "frame": PageBuilder._frame,
    "html": PageBuilder._html,
    "img": PageBuilder._image,
    "link": PageBuilder._head_link,
    "meta": PageBuilder._meta,
    "title": PageBuilder._start_title,
}
_ENDS: Mapping[str, Callable[[PageBuilder, str], None]] = {
    **dict.fromkeys(BREAKS, PageBuilder._break),
    **dict.fromkeys(BLOCKS, PageBuilder._end_block),
    **dict.fromkeys(HEADLINES, PageBuilder._end_headline),
    **dict.fromkeys(SKIPPED, PageBuilder._end_skipped),
    "a": PageBuilder._end_anchor,
    "title": PageBuilder._end_title,
}


def _outline(parts: list[Piece | Outline], is_heading: bool) -> Outline:
    """Return a closed element; one that only wraps another is that other."""
    if len(parts) == 1 and isinstance(only := parts[0], Outline):
        only.is_heading |= is_heading
        return only
    return Outline(is_heading, parts)


def _step(element: _Step) -> str:
    """Return an element's tag with its first class."""
    tag, names = element
    first = (names or "").split(None, 1)
    return f"{tag}.{first[0][:MAX_CLASS]}" if first else tag


def _one_line(text: str) -> str:
    """Fold white space; other characters that show nothing, or steer a terminal, fall away."""
    line = " ".join(text.split())
    return line if line.isprintable() else _shown(line)


def _shown(line: str) -> str:
    """Return what shows of a line."""
    return " ".join("".join(filter(str.isprintable, line)).split())
