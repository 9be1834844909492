"""The place of a text that says most of what was searched for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise

from focused_crawler.text.tokens import Analyzer

READ = 20_000
"""Characters at the start of a text that are looked at."""
LENGTH = 240
_PIECE = LENGTH // 2


def snippet(text: str, terms: Collection[str], analyzer: Analyzer) -> str:
    """Return some 240 characters of a text: the first place with most different terms, then most of them.

    >>> snippet("Of ships. " * 99 + "Rust eats ships.", {"rust"}, Analyzer("en"))[-40:]
    'ps. Of ships. Of ships. Rust eats ships.'
    """
    wanted = frozenset(terms)
    pieces = list(_pieces(text[:READ]))
    said = [Counter(filter(wanted.__contains__, analyzer.terms(text[start:end]))) for start, end in pieces]
    worth = [_worth(one + other) for one, other in pairwise([*said, Counter[str]()])]
    if not worth or max(worth) == (0, 0):
        return _shown(text, 0, 0)
    best = worth.index(max(worth))
    if not said[best]:  # all of it is said in the second piece
        best += 1
    last = best + 1 if best + 1 < len(said) and _worth(said[best]) < worth[best] else best
    return _shown(text, pieces[best][0], pieces[last][1])


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield where pieces of some 120 characters begin and end, at spaces if there are any."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text) and (gap := text.rfind(" ", start, end)) > start:
            end = gap
        yield start, min(end, len(text))
        start = end


def _worth(said: Counter[str]) -> tuple[int, int]:
    return len(said), said.total()


def _shown(text: str, first: int, last: int) -> str:
    """Return a place with what stands around it, in whole words."""
    room = max(0, LENGTH - (last - first))
    start = max(0, min(first - room // 3, len(text) - LENGTH))
    end = min(len(text), start + LENGTH)
    if start and (gap := text.find(" ", start, max(first, start) + 1)) >= 0:
        start = gap + 1
    if end < len(text) and (gap := text.rfind(" ", max(last, start), end + 1)) >= 0:
        end = gap
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
