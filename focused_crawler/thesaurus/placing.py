"""Where in a thesaurus a new phrase might belong, and a sentence that has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.matcher import Matcher
from focused_crawler.thesaurus.phrases import MAX_CHARACTERS
from focused_crawler.thesaurus.tree import Thesaurus
from focused_crawler.thesaurus.wording import Key, wording_key

_SUBSUMED = 0.8  # of a phrase's pages have an entry: it is broader (Sanderson and Croft 1999)
_PAGES = 30  # looked at for a phrase
_AROUND = 80  # characters of an example either side
_SENTENCE_END = re.compile(r"[.!?…]\s")


class Place(NamedTuple):
    """A suggestion."""

    facet: str
    broader: str  # "" for none
    example: str


class _Known(NamedTuple):
    facet: str
    name: str
    key: Key


class Placing:
    """Knows which entries stand on which of the relevant pages."""

    def __init__(self, thesaurus: Thesaurus, texts: Sequence[SourceText], analyzer: Analyzer) -> None:
        self._texts = texts
        self._analyzer = analyzer
        self._trees = {facet.name for facet in thesaurus.facets if facet.depth > 1}
        self._facets = [facet.name for facet in thesaurus.facets] or [""]
        self._known = list(_entries(thesaurus, analyzer))
        self._matcher = Matcher([known.key for known in self._known])
        self._entries_on = lru_cache(None)(self._new_entries_on)
        self._pages_with = Counter(
            number for page in range(min(len(texts), _PAGES)) for number in self._entries_on(page)
        )

    def place(self, key: Key, wording: str, pages: Sequence[int]) -> Place:
        """Return the place of a phrase that stands on these pages, by number.

        Broader is the longest entry that ends as the phrase does ("welding" of "arc welding"), else the
        rarest one of those that nearly all its pages have. Its facet is that of the broader entry, else
        the one whose entries its pages have most of. In a facet of one level nothing is broader: a second
        one would make all that is there weigh half.
        """
        looked_at = pages[:_PAGES]
        counts = Counter(number for page in looked_at for number in self._entries_on(page))
        broader = self._by_head(key) or self._by_pages(counts, len(looked_at))
        facets = Counter[str]()
        for number, times in counts.items():
            facets[self._known[number].facet] += times
        facet = broader.facet if broader else max(self._facets, key=lambda name: facets[name])
        is_tree = facet in self._trees
        return Place(facet, broader.name if broader and is_tree else "", self._example(wording, looked_at))

    def _by_head(self, key: Key) -> _Known | None:
        ends = [
            known
            for known in self._known
            if len(known.key) < len(key) and key[-len(known.key) :] == known.key
        ]
        return max(ends, key=lambda known: len(known.key), default=None)

    def _by_pages(self, counts: Counter[int], pages: int) -> _Known | None:
        everywhere = [number for number, times in counts.items() if times >= _SUBSUMED * pages]
        best = min(everywhere, key=lambda number: (self._pages_with[number], number), default=None)
        return None if best is None else self._known[best]

    def _new_entries_on(self, page: int) -> frozenset[int]:
        terms = self._analyzer.terms(self._texts[page].text[:MAX_CHARACTERS])
        return frozenset(self._matcher.count(terms).get(0, ()))

    def _example(self, wording: str, pages: Sequence[int]) -> str:
        """Return some words around the first place that has the wording as it is written."""
        pattern = re.compile(rf"(?<!\w){re.escape(wording)}(?!\w)", re.IGNORECASE)
        for page in pages:
            if found := pattern.search(text := self._texts[page].text):
                before = text[max(0, found.start() - _AROUND) : found.start()]
                after = text[found.end() : found.end() + _AROUND]
                return " ".join(f"{_SENTENCE_END.split(before)[-1]}{found[0]}{_rest(after)}".split())
        return ""


def _rest(text: str) -> str:
    """Return a text up to the end of its sentence."""
    found = _SENTENCE_END.search(text)
    return text[: found.start() + 1] if found else text


def _entries(thesaurus: Thesaurus, analyzer: Analyzer) -> Iterator[_Known]:
    """Yield the wordings of all entries, each once."""
    seen: set[Key] = set()
    for facet in thesaurus.facets:
        for _, entry, _ in facet.walk():
            for wording in entry.wordings:
                key = wording_key(wording, analyzer)
                if key and key not in seen:
                    seen.add(key)
                    yield _Known(facet.name, entry.name, key)
