"""What a page is to every step after the parser: plain data, read by all, changed by none but its maker."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

STOP = ""
"""Stands in a sequence of terms where a stop word stood, so that word distances stay true."""

Terms = list[str]
"""Words in reading order: the stem of a word, or `STOP` for a stop word."""


@dataclass(slots=True)
class Sections:
    """The four disjoint sections of Lu et al. 2016: each word of a page is in exactly one of them."""

    headline: Terms = field(default_factory=list)  # <title>, h1 to h3
    keywords: Terms = field(default_factory=list)  # <meta name=keywords> and description
    anchor: Terms = field(default_factory=list)  # inside <a>, outside headlines
    body: Terms = field(default_factory=list)  # the rest

    @property
    def words(self) -> int:
        """Return how many words a reader sees."""
        return len(self.headline) + len(self.anchor) + len(self.body)


@dataclass(slots=True)
class Link:
    """One link of a page, as link scoring sees it."""

    url: str  # absolute, as it is to be fetched: no fragment, no white space
    text: str  # what a reader sees of it, one line, at most 200 characters
    anchor: Terms  # terms of the text
    context: Terms  # terms either side of it within its block, the anchor itself left out
    block: int  # index into Page.blocks
    before: int = 0  # so many terms of the context stand before it, the others after it
    place: int = 0  # number of its last elements with their first classes (`place_of`)

    @property
    def window(self) -> Terms:
        """Return the anchor where it stands in its context."""
        return [*self.context[: self.before], *self.anchor, *self.context[self.before :]]

    def __reduce__(self) -> tuple[type[Link], tuple[str, str, Terms, Terms, int, int, int]]:
        # a page's links are most of its pickle, and names of fields would be half of the work
        about = self.url, self.text, self.anchor, self.context, self.block, self.before, self.place
        return Link, about


@lru_cache(maxsize=4096)  # they repeat from page to page
def place_of(elements: str) -> int:
    """Return the number of a link's last elements, as `ul.menu li a`, [0, 2^32); of none 0."""
    return crc32(elements.encode("utf-8", "replace"))


@dataclass(slots=True)
class Block:
    """A content block: the unit of content block partition (Lu et al. 2016)."""

    terms: Terms


@dataclass(slots=True)
class Outline:
    """A block-level element: its words, links and nested block-level elements in reading order."""

    is_heading: bool
    parts: list[Piece | Outline] = field(default_factory=list)
    words: int = field(init=False, compare=False, repr=False)  # of all its parts, stop words too
    nested: int = field(init=False, compare=False, repr=False)  # of these, words in nested elements

    def __post_init__(self) -> None:
        loose = nested = 0
        for part in self.parts:
            if isinstance(part, Piece):
                loose += len(part.terms)
            else:
                nested += part.words
        self.words, self.nested = loose + nested, nested


@dataclass(slots=True)
class Piece:
    """A run of words of one element, or a link (a link may have no words)."""

    terms: Terms
    href: str | None = None  # set: this piece is a whole link
    text: str = ""  # of a link only
    place: int = 0  # see `Link`


@dataclass(frozen=True, slots=True)
class Focus:
    """Where a page stands in a taxonomy of which some categories are good (Chakrabarti et al. 1999)."""

    relevance: float  # R(d), [0, 1]: that the page belongs to a good category
    category: str  # path of its best leaf
    is_good: bool  # the best leaf, or a category above it, is good
    log_rd: float | None = None  # log R(d), exact where R(d) is 0 or 1 to a float; None: no category is good


class Named(NamedTuple):
    """What the head of a page names for crawlers: URLs in normal form."""

    canonical: str = ""  # of the page itself, as it says; empty: it names none, or several
    feeds: tuple[str, ...] = ()  # RSS or Atom


NOTHING_NAMED = Named()


@dataclass(slots=True)
class Page:
    """A page, parsed once. `blocks` and `links` are filled by `focused_crawler.page.blocks.partition`."""

    url: str
    title: str
    text: str  # all its words as a reader sees them, white space folded; meta keywords are not in it
    sections: Sections
    outline: Outline
    base: str = ""  # what the page's links are relative to: <base href>, else its URL
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    relevance: float = 0.0  # [0, 1], set by the page classifier
    is_relevant: bool = False  # relevance reaches the topic's threshold
    by_content: bool = False  # and would by what stands outside the page's links
    depth: int = 0  # links from a seed
    focus: Focus | None = None  # set where the crawl has a taxonomy
    path: bytes | None = None  # what the strategy noted on the page whose link led here
    asked: str = ""  # URL of the link that led here: a redirect may have come between; empty: its own
    size: int | None = field(default=None, compare=False)  # bytes of its body; None: not known
    cut: int = 0  # links left out: too many, or too much to store for a page of its size
    language: str = ""  # as it declares it (BCP 47); empty: it does not
    closed: int = 0  # links left alone, as the page or they themselves ask for (FOCUSED_NOFOLLOW)
    places: dict[int, str] = field(default_factory=dict)  # `Link.place` -> its elements, as `ul.menu li a`
    named: Named = NOTHING_NAMED
