"""The wordings of a thesaurus, each once, with all that it stands for."""

from __future__ import annotations

from typing import NamedTuple

from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.tree import Thesaurus
from focused_crawler.thesaurus.wording import Key, wording_key


class KnownEntry(NamedTuple):
    """An entry as it counts."""

    facet: int  # index among the facets that have entries
    name: str
    level: int  # from 1
    weight: float  # (0, 1]: level / depth of its facet


class Meaning(NamedTuple):
    """What a wording stands for."""

    wording: str
    entries: list[int]
    against: set[int]  # facets


class Vocabulary:
    """What is looked for in texts. A wording may stand for several entries, and count against facets, too."""

    def __init__(self, thesaurus: Thesaurus, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._meanings: dict[Key, Meaning] = {}
        self.entries: list[KnownEntry] = []
        self.facets = [facet for facet in thesaurus.facets if facet.entries]
        for number, facet in enumerate(self.facets):
            depth = facet.depth
            for level, entry, _ in facet.walk():
                self._add(entry.wordings, KnownEntry(number, entry.name, level, level / depth))
            for wording in (*facet.negative, *thesaurus.negative):
                if meaning := self._meaning(wording):
                    meaning.against.add(number)
        self.keys = tuple(self._meanings)
        self.meanings = tuple(self._meanings.values())

    def _add(self, wordings: tuple[str, ...], entry: KnownEntry) -> None:
        for meaning in filter(None, map(self._meaning, wordings)):
            if len(self.entries) not in meaning.entries:
                meaning.entries.append(len(self.entries))
        self.entries.append(entry)

    def _meaning(self, wording: str) -> Meaning | None:
        """Return the meaning to fill, None for a wording without a term."""
        key = wording_key(wording, self._analyzer)
        return self._meanings.setdefault(key, Meaning(wording, [], set())) if key else None
