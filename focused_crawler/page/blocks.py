"""Content block partition (CBP, Lu et al. 2016, section 4): blocks, and links with their context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from focused_crawler.page.model import Block, Link, Outline, Page, Piece, Terms
from focused_crawler.page.url import normalise


@dataclass(slots=True)
class Unit:
    """A block in the making."""

    pieces: list[Piece]
    is_heading: bool = False
    first: int = 0  # index of the first unit of the element that was split: its left siblings begin there

    def is_short(self, min_words: int) -> bool:
        """Tell whether it may join a sibling: it has no link and fewer than `min_words` words."""
        return _size(self.pieces) < min_words and not _has_link(self.pieces)


def partition(page: Page, alpha: float = 0.5, min_words: int = 10, context_words: int = 10) -> None:
    """Fill `page.blocks` and `page.links`, both in reading order.

    An element is split where its block-level children hold at least the share `alpha` of its words and it has
    `min_words` of them (stop words count): 0 splits most, above 1 the page is one block. A link's context is
    up to `context_words` words either side of it in its block. What `normalise` refuses is no link.
    """
    page.blocks, page.links = [], []
    for pieces in join(split(page.outline, alpha, min_words), min_words):
        terms: Terms = []
        found: list[tuple[Piece, str, int]] = []
        for piece in pieces:
            url = normalise(piece.href, page.base or page.url) if piece.href is not None else None
            if url is not None:
                found.append((piece, url, len(terms)))
            terms += piece.terms
        index = len(page.blocks)
        page.blocks.append(Block(terms))
        for piece, url, start in found:
            context = _around(terms, start, start + len(piece.terms), context_words)
            page.links.append(Link(url, piece.text, piece.terms, context, index))


def split(outline: Outline, alpha: float, min_words: int) -> list[Unit]:
    """Return the leaves of the partition in reading order."""
    units: list[Unit] = []
    sizes = _sizes(outline)
    waiting: list[tuple[Unit | Outline, int]] = [(outline, 0)]
    while waiting:
        node, first = waiting.pop()
        if isinstance(node, Outline) and _is_split(node, sizes, alpha, min_words):
            waiting += ((child, len(units)) for child in reversed(_children(node)))
            continue
        unit = node if isinstance(node, Unit) else Unit(list(_pieces(node)), is_heading=node.is_heading)
        unit.first = first
        if unit.pieces:
            units.append(unit)
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


def _is_split(node: Outline, sizes: dict[int, int], alpha: float, min_words: int) -> bool:
    kids = [sizes[id(part)] for part in node.parts if isinstance(part, Outline)]
    size = sizes[id(node)]
    return bool(kids) and size >= min_words and sum(kids) >= alpha * size


def _children(node: Outline) -> list[Unit | Outline]:
    """Return the nested elements, and the loose words and links as one unit where the first of them stand."""
    loose = Unit([part for part in node.parts if isinstance(part, Piece)])
    children: list[Unit | Outline] = []
    is_placed = False
    for part in node.parts:
        if isinstance(part, Outline):
            children.append(part)
        elif not is_placed:
            children.append(loose)
            is_placed = True
    return children


def _sizes(outline: Outline) -> dict[int, int]:
    """Return the number of words in each outline, by its identity."""
    order = [outline]
    for node in order:  # grows while it is read: parents stand before their children
        order += (part for part in node.parts if isinstance(part, Outline))
    sizes: dict[int, int] = {}
    for node in reversed(order):
        sizes[id(node)] = sum(
            len(part.terms) if isinstance(part, Piece) else sizes[id(part)] for part in node.parts
        )
    return sizes


def _pieces(outline: Outline) -> Iterator[Piece]:
    open_: list[Outline | Piece] = [outline]
    while open_:
        node = open_.pop()
        if isinstance(node, Piece):
            yield node
        else:
            open_ += reversed(node.parts)


def _size(pieces: list[Piece]) -> int:
    return sum(len(piece.terms) for piece in pieces)


def _has_link(pieces: list[Piece]) -> bool:
    return any(piece.href is not None for piece in pieces)


def _around(terms: Terms, start: int, end: int, width: int) -> Terms:
    return terms[max(start - width, 0) : start] + terms[end : end + width]
