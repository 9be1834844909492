"""What a user typed -> what pages have to say: words, "phrases in quotes", and -words they must not have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeAlias

from focused_crawler.page.model import STOP
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.words import is_character

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


MOST_TERMS = 64
"""Of one search; what follows is left out. A long phrase of one frequent word would take minutes."""

Unit: TypeAlias = tuple[str, ...]
"""Terms that stand side by side: of a phrase, or of one word that is several terms (as e-mail is)."""

_PART = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
_ANYWHERE = "{title body url}"


@dataclass(frozen=True, slots=True)
class Wording:
    """A search, as terms."""

    units: tuple[Unit, ...]  # what a page should have, each once
    excluded: tuple[Unit, ...] = ()  # what it must not have

    @property
    def terms(self) -> frozenset[str]:
        """Return all terms that a page should have."""
        return frozenset(term for unit in self.units for term in unit)


def read_wording(query: str, analyzer: Analyzer) -> Wording:
    """Return what a query asks for, whatever its signs; stop words ask for nothing.

    >>> read_wording('the "sand blasting" of ships -paint', Analyzer("en"))
    Wording(units=(('sand', 'blast'), ('ship',)), excluded=(('paint',),))
    """
    units: dict[Unit, bool] = {}
    room = MOST_TERMS
    for minus, phrase, word in _PART.findall(query):
        unit = tuple(term for term in analyzer.terms(phrase or word) if term != STOP)[:room]
        if unit and unit not in units:
            units[unit] = bool(minus)
            room -= len(unit)
    wanted = (unit for unit, is_out in units.items() if not is_out)
    return Wording(tuple(wanted), tuple(unit for unit, is_out in units.items() if is_out))


def every(wording: Wording) -> str:
    """Return FTS5's expression for pages that have all units."""
    return _without(wording, f"{_ANYWHERE} : ({_all(wording.units)})")


def every_and_title(wording: Wording) -> str:
    """Return the expression for those of them that have a unit in their title."""
    return f"title : ({_any(wording.units)}) AND ({every(wording)})"


def some(wording: Wording, terms: Sequence[str]) -> str:
    """Return the expression for pages with two of these terms, or one where there are but two."""
    size = 2 if len(terms) > 2 else 1
    groups = (f"({_all((term,) for term in group)})" for group in combinations(terms, size))
    return _without(wording, f"{_ANYWHERE} : ({' OR '.join(groups)})")


def _without(wording: Wording, expression: str) -> str:
    if not wording.excluded:
        return expression
    return f"({expression}) NOT {_ANYWHERE} : ({_any(wording.excluded)})"


def _all(units: Iterable[Unit]) -> str:
    return " AND ".join(map(_quoted, units))


def _any(units: Iterable[Unit]) -> str:
    return " OR ".join(map(_quoted, units))


def _quoted(unit: Unit) -> str:
    """Return a phrase in which no sign means anything to FTS5.

    A character that texts have in pairs alone stands for the pairs that begin with it.
    """
    phrase = '"' + " ".join(unit).replace('"', '""') + '"'
    return f"{phrase} *" if len(unit) == 1 and is_character(unit[0]) else phrase
