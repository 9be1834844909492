"""How much a text has of a thesaurus (Badia et al. 2006, filtering phase; they publish no formula).

Many different entries count for more than one that is repeated, narrow ones for more than broad ones, and a
facet that is covered well does not make up for the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from focused_crawler.page.model import STOP, Page, Terms
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.matcher import Matcher
from focused_crawler.thesaurus.tree import Thesaurus
from focused_crawler.thesaurus.vocabulary import Vocabulary
from focused_crawler.thesaurus.wording import Key

REPEATED = 0.1
"""What the logarithm of how often an entry is there adds to its being there."""

HALF_POINT = 0.6
"""The score of what is as likely as not about the topic, with one facet or with several: relevance 0.5."""

PAGE_LENGTH = 600
"""Terms of an ordinary page, stop words left out."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class FoundEntry(NamedTuple):
    """An entry that a text has."""

    name: str
    level: int  # from 1
    times: int  # all its wordings together
    value: float  # > 0, of the facet's score


@dataclass(frozen=True, slots=True)
class FacetEvidence:
    """What a text has of one facet."""

    facet: str
    entries: tuple[FoundEntry, ...]  # what counts most first
    negative: tuple[str, ...]  # wordings that count against it
    score: float  # any real number: the entries' values less the penalties
    value: float  # [0, 1): what the facet adds to the text's score


class _Found(NamedTuple):
    times: Mapping[int, int]  # by entry
    patterns: Sequence[int]
    length: int  # terms of the text, stop words left out


class ThesaurusScorer:
    """Scores pages, texts and URLs by one thesaurus; each score is in [0, number of facets)."""

    def __init__(self, thesaurus: Thesaurus, analyzer: Analyzer) -> None:
        self.scoring = thesaurus.scoring
        self._analyzer = analyzer
        self._vocabulary = Vocabulary(thesaurus, analyzer)
        self._matcher = Matcher(self._vocabulary.keys)

    def page(self, page: Page) -> float:
        """Return the score of a page's words, without those of its URL and of the links to it."""
        return self.text(*page_runs(page))

    def text(self, *runs: Terms) -> float:
        """Return the score of some terms; no entry goes over two runs."""
        found = self._find(runs)
        return sum(map(self._saturated, self._scores(found))) if found.times else 0.0

    def url(self, url: str) -> float:
        """Return the score of a URL's words, its host left out."""
        return self.text(self.url_terms(url))

    def url_terms(self, url: str) -> Terms:
        """Return the terms of a URL's path and query.

        >>> ThesaurusScorer(Thesaurus(()), Analyzer()).url_terms("https://steel.example/HotDip%20zinc?coat=12")
        ['hot', 'dip', 'zinc', 'coat', '12']
        """
        words = unquote(url.partition("://")[2].partition("/")[2])
        return self._analyzer.terms(_HUMP.sub(" ", words))

    def evidence(self, *runs: Terms) -> list[FacetEvidence]:
        """Return what makes the score of some terms, by facet; one with nothing found is left out."""
        found, vocabulary = self._find(runs), self._vocabulary
        entries: list[list[FoundEntry]] = [[] for _ in vocabulary.facets]
        for number, times in found.times.items():
            entry = vocabulary.entries[number]
            value = entry.weight * self._gain(times, found.length)
            entries[entry.facet].append(FoundEntry(entry.name, entry.level, times, value))
        evidence = []
        for number, (facet, score) in enumerate(zip(vocabulary.facets, self._scores(found), strict=True)):
            meanings = [vocabulary.meanings[pattern] for pattern in found.patterns]
            negative = tuple(meaning.wording for meaning in meanings if number in meaning.against)
            if entries[number] or negative:
                ordered = tuple(sorted(entries[number], key=lambda entry: (-entry.value, entry.name)))
                evidence.append(FacetEvidence(facet.name, ordered, negative, score, self._saturated(score)))
        return evidence

    def addends(self, *runs: Terms) -> dict[str, float]:
        """Return what each wording adds to the score of some terms: its share of what its facet adds.

        A facet that counts for nothing, as too much counts against it, has no shares.
        """
        addends: dict[str, float] = {}
        for found in self.evidence(*runs):
            share = found.value / found.score if found.score > 0 else 0.0
            values = [(entry.name, entry.value) for entry in found.entries]
            values += [(wording, -self.scoring.penalty) for wording in found.negative]
            for wording, value in values:
                name = _label(wording, found.facet)
                addends[name] = addends.get(name, 0.0) + value * share
        return addends

    def wordings(self) -> dict[str, list[Key]]:
        """Return as which terms all that `addends` may name is read."""
        vocabulary = self._vocabulary
        keys: dict[str, list[Key]] = {}
        for key, meaning in zip(vocabulary.keys, vocabulary.meanings, strict=True):
            entries = [vocabulary.entries[number] for number in meaning.entries]
            known = [(entry.name, entry.facet) for entry in entries]
            for name, facet in (*known, *((meaning.wording, facet) for facet in meaning.against)):
                keys.setdefault(_label(name, vocabulary.facets[facet].name), []).append(key)
        return keys

    def _find(self, runs: Sequence[Terms]) -> _Found:
        times: dict[int, int] = {}
        counts = self._matcher.count(*runs)
        for pattern, count in counts.items():
            for entry in self._vocabulary.meanings[pattern].entries:
                times[entry] = times.get(entry, 0) + count
        length = sum(len(run) - run.count(STOP) for run in runs) if times else 0
        return _Found(times, tuple(counts), length)

    def _scores(self, found: _Found) -> list[float]:
        """Return the score of each facet, any real number."""
        scores = [0.0] * len(self._vocabulary.facets)
        for number, times in found.times.items():
            entry = self._vocabulary.entries[number]
            scores[entry.facet] += entry.weight * self._gain(times, found.length)
        for pattern in found.patterns:
            for facet in self._vocabulary.meanings[pattern].against:
                scores[facet] -= self.scoring.penalty
        return scores

    def _gain(self, times: int, length: int) -> float:
        """Return how much an entry counts that is there so often in a text of so many terms."""
        if self.scoring.frequency == "count":
            return 1.0 + REPEATED * math.log1p(times)
        return 2.0 * times / (times + max(1.0, length / PAGE_LENGTH))

    def _saturated(self, score: float) -> float:
        return score / (score + self.scoring.kappa) if score > 0 else 0.0


def relevance_of(score: float) -> float:
    """Return s^2 / (s^2 + HALF_POINT^2): a monotone way from scores to [0, 1].

    One facet has the half-point at a score of 1.5 kappa (three entries of the deepest level), several have it
    where a few entries of each add up to that. The square keeps low what pages have by chance, one entry.

    >>> [round(relevance_of(score), 2) for score in (0.0, 0.33, 0.6, 0.9, 2.0)]
    [0.0, 0.23, 0.5, 0.69, 0.92]
    """
    square = score * score
    return square / (square + HALF_POINT * HALF_POINT)


def _label(wording: str, facet: str) -> str:
    return f"{wording} [{facet}]"


def page_runs(page: Page) -> tuple[Terms, ...]:
    """Return the terms of a page's sections."""
    sections = page.sections
    return sections.headline, sections.keywords, sections.anchor, sections.body
