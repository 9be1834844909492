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

from focused_crawler.page.model import Page, Terms
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.matcher import Matcher
from focused_crawler.thesaurus.tree import Thesaurus
from focused_crawler.thesaurus.vocabulary import Vocabulary

REPEATED = 0.1
"""What the logarithm of how often an entry is there adds to its being there."""

HALF = 0.6
"""The half-point is this times the square root of the number of facets."""

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


class ThesaurusScorer:
    """Scores pages, texts and URLs by one thesaurus; each score is in [0, number of facets)."""

    def __init__(self, thesaurus: Thesaurus, analyzer: Analyzer) -> None:
        self.scoring = thesaurus.scoring
        self._analyzer = analyzer
        self._vocabulary = Vocabulary(thesaurus, analyzer)
        self._matcher = Matcher(self._vocabulary.keys)

    @property
    def most(self) -> int:
        """Return what every score is below: the number of facets."""
        return len(self._vocabulary.facets)

    @property
    def half_point(self) -> float:
        """Return the score of a page that is as likely as not about the topic."""
        return HALF * math.sqrt(self.most)

    def relevance(self, score: float) -> float:
        """Return the relevance in [0, 1] of what has this score in all, 0.5 at the half-point.

        Its odds are those of the score among the facets, score / (facets - score), beside the same of the
        half-point: 0 of 0, and 1 of a score that is as high as there are facets.
        """
        most, half = self.most, self.half_point
        for_it, against = score * (most - half), half * (most - score)
        return for_it / (for_it + against) if 0 < score < most else float(score > 0)

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
        """Return what makes the score of some terms, by facet; a facet of which nothing is there is left out."""
        found, vocabulary = self._find(runs), self._vocabulary
        entries: list[list[FoundEntry]] = [[] for _ in vocabulary.facets]
        for number, times in found.times.items():
            entry = vocabulary.entries[number]
            value = entry.weight * _gain(times)
            entries[entry.facet].append(FoundEntry(entry.name, entry.level, times, value))
        evidence = []
        for number, (facet, score) in enumerate(zip(vocabulary.facets, self._scores(found), strict=True)):
            meanings = [vocabulary.meanings[pattern] for pattern in found.patterns]
            negative = tuple(meaning.wording for meaning in meanings if number in meaning.against)
            if entries[number] or negative:
                ordered = tuple(sorted(entries[number], key=lambda entry: (-entry.value, entry.name)))
                evidence.append(FacetEvidence(facet.name, ordered, negative, score, self._saturated(score)))
        return evidence

    def _find(self, runs: Sequence[Terms]) -> _Found:
        times: dict[int, int] = {}
        counts = self._matcher.count(*runs)
        for pattern, count in counts.items():
            for entry in self._vocabulary.meanings[pattern].entries:
                times[entry] = times.get(entry, 0) + count
        return _Found(times, tuple(counts))

    def _scores(self, found: _Found) -> list[float]:
        """Return the score of each facet, any real number."""
        scores = [0.0] * len(self._vocabulary.facets)
        for number, times in found.times.items():
            entry = self._vocabulary.entries[number]
            scores[entry.facet] += entry.weight * _gain(times)
        for pattern in found.patterns:
            for facet in self._vocabulary.meanings[pattern].against:
                scores[facet] -= self.scoring.penalty
        return scores

    def _saturated(self, score: float) -> float:
        return score / (score + self.scoring.kappa) if score > 0 else 0.0


def page_runs(page: Page) -> tuple[Terms, ...]:
    """Return the terms of a page's sections."""
    sections = page.sections
    return sections.headline, sections.keywords, sections.anchor, sections.body


def _gain(times: int) -> float:
    return 1.0 + REPEATED * math.log1p(times)
