"""A page's text with its borders, which are lost with its white space: no phrase runs over a menu's items."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from focused_crawler.page.model import Link, Page, Terms
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.phrases import BORDER, MAX_CHARACTERS


def bordered_text(page: Page, analyzer: Analyzer) -> str:
    """Return what phrases are read of: the beginning of a text, `BORDER` between what is no neighbour.

    Two words are neighbours where they stand side by side in a block of the page, both in a link or both
    outside. The page is partitioned; one without blocks has no borders.
    """
    words = page.text[:MAX_CHARACTERS].split()
    if not page.blocks:
        return " ".join(words)
    neighbours = {pair for run in _runs(page) for pair in pairwise(run)}
    parts, last = list[str](), None
    for word in words:
        terms = analyzer.terms(word)
        is_apart = last is not None and bool(terms) and (last, terms[0]) not in neighbours
        parts += (BORDER if is_apart else " ", word)
        last = terms[-1] if terms else last
    return "".join(parts[1:])


def _runs(page: Page) -> Iterator[Terms]:
    """Yield the terms of each link, and of what is between links, of each block."""
    links: list[list[Link]] = [[] for _ in page.blocks]
    for link in page.links:
        links[link.block].append(link)
    for block, within in zip(page.blocks, links, strict=True):
        end = 0
        for link in within:
            if link.anchor and (start := _start(block.terms, link, end)) is not None:
                yield block.terms[end:start]
                yield link.anchor
                end = start + len(link.anchor)
        yield block.terms[end:]


def _start(terms: Terms, link: Link, first: int) -> int | None:
    """Return where in a block's terms a link stands, from `first` on."""
    size, before = len(link.anchor), link.context[: link.before]
    for start in range(max(first, link.before), len(terms) - size + 1):
        is_there = terms[start : start + size] == link.anchor
        if is_there and terms[start - link.before : start] == before:
            return start
    return None
