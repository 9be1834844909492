"""Content block partition (CBP, Lu et al. 2016, section 4): blocks, and links with their context."""

from __future__ import annotations

import math
from dataclasses import dataclass

from focused_crawler.page.model import STOP, Block, Link, Outline, Page, Piece, Terms
from focused_crawler.page.url import normalise, to_other_sites
from focused_crawler.safety.aside import Parts, finished

LINK_COST = 100
"""Bytes that storing a link takes besides its URL, about."""
PART = 100
"""Links that are read at a time."""

COST_A_BYTE = 6
COST_OF_ANY = 8_192
"""Links of a page may take so many bytes for each byte of its body, and so many more: a long <base href>
makes 2,000 bytes of a link of 10. Of 1,500 pages of the web none took more than 1.5 bytes a byte."""


@dataclass(slots=True)
class Unit:
    """A block in the making."""

    pieces: list[Piece]
    is_heading: bool = False
    first: int = 0  # index of the first unit of the element that was split: its left siblings begin there

    def is_short(self, min_words: int) -> bool:
        """Tell whether it may join a sibling: it has no link and fewer than `min_words` words."""
        words = 0
        for piece in self.pieces:
            words += len(piece.terms)
            if piece.href is not None or words >= min_words:
                return False
        return words < min_words


def partition(page: Page, alpha: float = 0.5, min_words: int = 10, context_words: int = 10) -> None:
    """Turn `page.outline` into `page.blocks` and `page.links`, both in reading order; the outline is used up.

    An element is split where its block-level children hold at least the share `alpha` of its words and it has
    `min_words` of them (stop words count): 0 splits most, above 1 the page is one block. A link's context is
    up to `context_words` words either side of it in its block. What `normalise` refuses is no link; those
    beyond `COST_A_BYTE` are left out. A page that has been partitioned stays as it is.
    """
    finished(partitioning(page, alpha, min_words, context_words))


def partitioning(page: Page, alpha: float, min_words: int, context_words: int) -> Parts[None]:
    """Do what `partition` does, in parts."""
    outline, page.outline = page.outline, Outline(is_heading=False)
    if not outline.parts:
        return
    page.blocks, page.links = [], []
    base = page.base or page.url
    seen = 0
    room = math.inf if page.size is None else COST_OF_ANY + COST_A_BYTE * page.size
    for pieces in join(split(outline, alpha, min_words), min_words):
        terms: Terms = []
        found: list[tuple[Piece, str, int]] = []
        for piece in pieces:
            if piece.href is not None:
                seen += 1
                if seen % PART == 0:
                    yield
                url = normalise(piece.href, base) if room >= 0 else None
                if url is not None:
                    room -= len(url) + LINK_COST
                if room < 0:
                    page.cut += 1
                elif url is not None:
                    found.append((piece, url, len(terms)))
            terms += piece.terms
        index = len(page.blocks)
        page.blocks.append(Block(terms))
        for piece, url, start in found:
            context = around(terms, start, start + len(piece.terms), context_words)
            before = min(start, context_words)
            page.links.append(Link(url, piece.text, piece.terms, context, index, before, piece.place))


def split(outline: Outline, alpha: float, min_words: int) -> list[Unit]:
    """Return the leaves of the partition in reading order."""
    units: list[Unit] = []
    waiting: list[tuple[Unit | Outline, int]] = [(outline, 0)]
    while waiting:
        node, first = waiting.pop()
        if isinstance(node, Outline):
            if _is_split(node, alpha, min_words):
                start = len(units)
                waiting += [(child, start) for child in reversed(_children(node))]
                continue
            node = Unit(_pieces(node), node.is_heading)
        node.first = first
        if node.pieces:
            units.append(node)
    return units


def join(units: list[Unit], min_words: int) -> list[list[Piece]]:
    """Join headings with what follows them, and short units without links with their left sibling.

    A short unit without a left sibling joins what follows it, as a heading does.
    """
    joined: list[list[Piece]] = []
    waiting: list[Piece] = []  # for the unit that follows
    for index, unit in enumerate(units):
        is_short = unit.is_short(min_words)
        if unit.is_heading or (is_short and index == unit.first):
            waiting += unit.pieces
        elif is_short and not waiting:
            joined[-1] += unit.pieces
        else:
            joined.append(waiting + unit.pieces)
            waiting = []
    if waiting:
        joined.append(waiting)
    return joined


def _is_split(node: Outline, alpha: float, min_words: int) -> bool:
    is_enough = node.words >= min_words and node.nested >= alpha * node.words
    return is_enough and any(isinstance(part, Outline) for part in node.parts)


def _children(node: Outline) -> list[Unit | Outline]:
    """Return the nested elements, and the loose words and links as one unit where the first of them stand."""
    loose: Unit | None = None
    children: list[Unit | Outline] = []
    for part in node.parts:
        if isinstance(part, Outline):
            children.append(part)
        elif loose is not None:
            loose.pieces.append(part)
        else:
            children.append(loose := Unit([part]))
    return children


def _pieces(outline: Outline) -> list[Piece]:
    pieces: list[Piece] = []
    waiting: list[Outline | Piece] = [outline]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Piece):
            pieces.append(node)
        else:
            waiting += reversed(node.parts)
    return pieces


def around(terms: Terms, start: int, end: int, width: int) -> Terms:
    """Return up to `width` terms either side of those from `start` to `end`."""
    return terms[max(start - width, 0) : start] + terms[end : end + width]


def hub_measure(page: Page) -> float | None:
    """Return the links to other sites for each word outside links (stop words do not count), 0 or more.

    None for a page without such words. Of a page that was partitioned; what is written in a link that leads
    nowhere (a mail address, a script) counts as words.
    """
    words = sum(map(_words, [block.terms for block in page.blocks]))
    words -= sum(map(_words, [link.anchor for link in page.links]))
    if words <= 0:
        return None
    return sum(to_other_sites(page.url, [link.url for link in page.links])) / words


def _words(terms: list[str]) -> int:
    return len(terms) - terms.count(STOP)
