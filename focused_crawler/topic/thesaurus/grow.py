"""Candidates for a thesaurus: phrases that tell the pages about its topic from others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from focused_crawler.page.model import STOP
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import WordNet
from focused_crawler.topic.thesaurus.document_counts import (
    DocumentCounts,
    Occurrences,
    SourceText,
    log_likelihood,
)
from focused_crawler.topic.thesaurus.model import Key, Thesaurus, as_wording, wording_key
from focused_crawler.topic.thesaurus.phrases import MAX_CHARACTERS, PhraseReader
from focused_crawler.topic.thesaurus.scoring import Matcher

MAX_TEXTS = 1000
"""Pages of a kind that are read."""

LEAST_WORDS = 2
"""Of what nobody looks at before it is taken: a single word means too much else."""

_LEAST_PAGES, _LEAST_SITES = 3, 2  # that have a candidate, of the relevant ones
_TIMES = 10.0  # as frequent on relevant pages as on others, at least
_SAME = 0.8  # of the pages of two phrases have both: one of them says nothing new
_WITHIN = 0.8  # of the pages of a phrase have it in a longer one: the longer one is meant
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


@dataclass(frozen=True, slots=True)
class CandidatePhrase:
    """A phrase for a person to accept."""

    wording: str
    facet: str  # suggested
    broader: str  # the entry that it might stand below; "" for none
    relevant: int  # pages with it
    other: int
    score: float  # > 0: log-likelihood ratio times the idf of its rarest word
    example: str  # of its use, a part of a sentence


def candidates(
    thesaurus: Thesaurus,
    relevant: Sequence[SourceText],
    other: Sequence[SourceText],
    n: int,
    wordnet: WordNet | None = None,
    *,
    least_words: int = 1,
) -> list[CandidatePhrase]:
    """Return up to `n` phrases of so many words that the thesaurus lacks, the most telling first.

    A phrase stands on three relevant pages and two sites at least, where there are as many. It is left out
    where nearly all its pages have it within a longer one, or it stands on nearly the same pages as a better
    one, as the words of a menu do. Of each kind the first `MAX_TEXTS` pages are read.
    """
    analyzer = Analyzer(thesaurus.language)
    reader = PhraseReader(analyzer, wordnet)
    here = DocumentCounts(relevant[:MAX_TEXTS], reader)
    known = {wording_key(wording, analyzer) for wording in thesaurus.wordings()}
    frequent = {key for key, found in here.found.items() if _is_frequent(found, here) and key not in known}
    there = DocumentCounts(other[:MAX_TEXTS], reader, frequent)
    statistics = TermStatistics.for_language(thesaurus.language)
    scores = {key: _score(key, here, there, statistics) for key in frequent}
    ranked = sorted((key for key in scores if scores[key] > 0), key=lambda key: (-scores[key], key))
    placing = Placing(thesaurus, relevant[:MAX_TEXTS], analyzer)
    best = islice((key for key in _distinct(ranked, here) if len(key) >= least_words), n)
    return [_candidate(key, here.found[key], there.found.get(key), scores[key], placing) for key in best]


def _candidate(
    key: Key, here: Occurrences, there: Occurrences | None, score: float, placing: Placing
) -> CandidatePhrase:
    name = _wording(here)
    facet, broader, example = placing.place(key, name, here.pages)
    others = len(there.pages) if there else 0
    return CandidatePhrase(name, facet, broader, len(here.pages), others, score, example)


def _is_frequent(found: Occurrences, counts: DocumentCounts) -> bool:
    return len(found.pages) >= _LEAST_PAGES and len(found.sites) >= min(_LEAST_SITES, counts.sites)


def _score(key: Key, here: DocumentCounts, there: DocumentCounts, statistics: TermStatistics) -> float:
    """Return how well a phrase tells the pages apart, 0 where the others have it nearly as often."""
    one, other = here.weight_of(key), there.weight_of(key)
    pages, others = here.pages_of(key), there.pages_of(key)
    if (
        one * there.weight < _TIMES * other * here.weight
        or pages * there.pages < _TIMES * others * here.pages
    ):
        return 0.0
    rarest = max((statistics.idf(term) for term in key if term != STOP), default=0.0)
    return rarest * log_likelihood(one, here.weight, other, there.weight)


def _distinct(ranked: Sequence[Key], counts: DocumentCounts) -> Iterable[Key]:
    """Yield the phrases that say something of their own, best first."""
    within: dict[Key, int] = {}
    for key in ranked:
        for part in _parts(key):
            within[part] = max(within.get(part, 0), len(counts.found[key].pages))
    taken: list[frozenset[int]] = []
    for key in ranked:
        pages = frozenset(counts.found[key].pages)
        if within.get(key, 0) < _WITHIN * len(pages) and not any(_are_same(pages, other) for other in taken):
            taken.append(pages)
            yield key


def _are_same(some: frozenset[int], other: frozenset[int]) -> bool:
    return len(some & other) >= _SAME * len(some | other)


def _parts(key: Key) -> Iterable[Key]:
    """Yield what stands within a phrase."""
    for length in range(1, len(key)):
        for start in range(len(key) - length + 1):
            yield key[start : start + length]


def _wording(found: Occurrences) -> str:
    """Return the commonest way to write a phrase, in small letters unless it is a name."""
    wordings = found.wordings
    best = min(wordings, key=lambda wording: (-wordings[wording], wording))
    is_name = 2 * found.names > found.times
    return as_wording(best if is_name or best.isupper() else best.lower())
