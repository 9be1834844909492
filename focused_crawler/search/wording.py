"""What a user typed -> what pages have to say: words, "phrases in quotes", and -words they must not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import Analyzer

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


def relevant(expression: str) -> str:
    """Return the expression for those of the pages that are relevant."""
    return f"mark : relevant AND ({expression})"


def _without(wording: Wording, expression: str) -> str:
    if not wording.excluded:
        return expression
    return f"({expression}) NOT {_ANYWHERE} : ({_any(wording.excluded)})"


def _all(units: Iterable[Unit]) -> str:
    return " AND ".join(map(_quoted, units))


def _any(units: Iterable[Unit]) -> str:
    return " OR ".join(map(_quoted, units))


def _quoted(unit: Unit) -> str:
    """Return a phrase in which no sign means anything to FTS5."""
    return '"' + " ".join(unit).replace('"', '""') + '"'
