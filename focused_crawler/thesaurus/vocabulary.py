"""The wordings of a facet, each once, with all that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.tree import Entry, Facet
from focused_crawler.thesaurus.wording import Key, wording_key


class KnownEntry(NamedTuple):
    """An entry as it counts."""

    name: str
    level: int  # from 1
    weight: float  # (0, 1]: level / depth of its facet


@dataclass(slots=True)
class Meaning:
    """What a wording stands for."""

    wording: str
    entries: list[int] = field(default_factory=list)
    is_negative: bool = False


class Vocabulary:
    """What is looked for in texts for one facet, `negative` (what counts against every facet) with it.

    A wording may stand for several entries, and count against the facet, too.
    """

    def __init__(self, facet: Facet, negative: Sequence[str], analyzer: Analyzer) -> None:
        self.name = facet.name
        self.entries: list[KnownEntry] = []
        self._analyzer = analyzer
        self._meanings: dict[Key, Meaning] = {}
        depth = facet.depth
        for level, entry, _ in facet.walk():
            self._add(entry, level, level / depth)
        for wording in (*facet.negative, *negative):
            if meaning := self._meaning(wording):
                meaning.is_negative = True
        self.keys = tuple(self._meanings)
        self.meanings = tuple(self._meanings.values())

    def _add(self, entry: Entry, level: int, weight: float) -> None:
        number = len(self.entries)
        for meaning in filter(None, map(self._meaning, entry.wordings)):
            if number not in meaning.entries:
                meaning.entries.append(number)
        self.entries.append(KnownEntry(entry.name, level, weight))

    def _meaning(self, wording: str) -> Meaning | None:
        """Return the meaning to fill, None for a wording without a term."""
        key = wording_key(wording, self._analyzer)
        return self._meanings.setdefault(key, Meaning(wording)) if key else None
