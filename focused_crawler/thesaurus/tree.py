"""A thesaurus: the words of a topic in facets, each facet a tree from broad to narrow (Badia et al. 2006)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Frequency = Literal["count", "density"]
"""How often an entry is there: in all, or for a page of its length."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One concept; each of its wordings may have several words."""

    name: str  # the preferred wording
    synonyms: tuple[str, ...] = ()
    narrower: tuple[Entry, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


@dataclass(frozen=True, slots=True)
class Facet:
    """One tree. The facet itself is its root: its entries are on level 1."""

    name: str  # [a-z0-9-]
    entries: tuple[Entry, ...]
    title: str = ""
    negative: tuple[str, ...] = ()  # wordings that count against this facet

    def walk(self) -> Iterator[tuple[int, Entry, Entry | None]]:
        """Yield (level from 1, entry, broader entry) in the order of the file."""
        pending: list[tuple[int, Entry, Entry | None]] = [
            (1, entry, None) for entry in reversed(self.entries)
        ]
        while pending:
            level, entry, broader = pending.pop()
            yield level, entry, broader
            pending += [(level + 1, narrower, entry) for narrower in reversed(entry.narrower)]

    @property
    def depth(self) -> int:
        """The deepest level, 0 without entries."""
        return max((level for level, _, _ in self.walk()), default=0)


@dataclass(frozen=True, slots=True)
class Scoring:
    """The constants that the paper leaves open."""

    kappa: float = 2.0  # > 0: a facet of this score has half of what it can have
    anchor: float = 0.2  # >= 0, mu: share of the anchor window of the link that a page was fetched by
    url: float = 0.1  # >= 0, nu: share of the words of its URL
    penalty: float = 1.0  # >= 0: of each negative wording that is there
    frequency: Frequency = "count"


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """The facets of a topic."""

    facets: tuple[Facet, ...]
    language: str = "en"  # ISO 639
    negative: tuple[str, ...] = ()  # wordings that count against every facet
    scoring: Scoring = Scoring()

    def __len__(self) -> int:
        """Number of entries."""
        return sum(1 for facet in self.facets for _ in facet.walk())
