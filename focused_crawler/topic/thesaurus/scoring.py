"""How much a text has of a thesaurus (Badia et al. 2006, filtering phase; they publish no formula).

Many different entries count for more than one that is repeated, narrow ones for more than broad ones, and a
facet that is covered well does not make up for the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, Self
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick

from focused_crawler.page.model import STOP, Page, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Key, Thesaurus, Vocabulary

REPEATED = 0.1
"""What the logarithm of how often an entry is there adds to its being there."""

HALF_POINT = 0.6
"""The score of what is as likely as not about the topic, with one facet or with several: relevance 0.5."""

PAGE_LENGTH = 600
"""Terms of an ordinary page, stop words left out."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BEGIN, _END = "\x01", "\x02"
"""Around each term, so that a wording begins and ends with whole words and neighbours share no sign."""
_SEAM = _END + _BEGIN

_start = itemgetter(1)


class Matcher:
    """Finds the wordings of facets by one automaton (Aho-Corasick), each facet as if it were alone.

    Of a facet: the longest wording from the leftmost word on, none in another. A text is read as terms.
    `STOP` within a wording is found where any stop word stands.
    """

    def __init__(self, *facets: Sequence[Key]) -> None:
        """Take the wordings of each facet, none of them empty and each once in it."""
        self._facets = facets
        places: dict[Key, list[tuple[int, int]]] = {}
        for facet, keys in enumerate(facets):
            for number, key in enumerate(keys):
                places.setdefault(key, []).append((facet, number))
        self._places = tuple(places.values())
        self._automaton = AhoCorasick(list(map(_written, places)))

    def __reduce__(self) -> tuple[type[Self], tuple[Sequence[Key], ...]]:
        return type(self), self._facets

    def count(self, *runs: Terms) -> Mapping[int, Mapping[int, int]]:
        """Return facet -> wording (both by index) -> how often it was found, without what is not there.

        None goes over two runs.
        """
        text = "\n".join(map(_written, runs))
        # they come by their ends: the longest of those that begin together last
        matches = reversed(self._automaton.find_matches_as_indexes(text, overlapping=True))
        counts: dict[int, dict[int, int]] = {}
        ends: dict[int, int] = {}
        for pattern, start, end in sorted(matches, key=_start):
            for facet, number in self._places[pattern]:
                if start >= ends.get(facet, 0):
                    ends[facet] = end
                    found = counts.setdefault(facet, {})
                    found[number] = found.get(number, 0) + 1
        return counts


def _written(terms: Sequence[str]) -> str:
    return _BEGIN + _SEAM.join(terms) + _END


class FacetEvidence(NamedTuple):
    """What a text has of one facet."""

    facet: str
    entries: Sequence[tuple[str, float]]  # names, and what all wordings of each count together, > 0
    negative: Sequence[str]  # wordings that count against it
    score: float  # any real number: the entries' values less the penalties
    value: float  # [0, 1): what the facet adds to the text's score


class ThesaurusScorer:
    """Scores pages, texts and URLs by one thesaurus; each score is in [0, number of facets)."""

    def __init__(self, thesaurus: Thesaurus, analyzer: Analyzer) -> None:
        self.thesaurus, self.scoring = thesaurus, thesaurus.scoring
        self._analyzer = analyzer
        facets = [facet for facet in thesaurus.facets if facet.entries]
        self._facets = [Vocabulary(facet, thesaurus.negative, analyzer) for facet in facets]
        self._matcher = Matcher(*(facet.keys for facet in self._facets))

    def page(self, page: Page) -> float:
        """Return the score of a page's words, without those of its URL and of the links to it."""
        return self.text(*page_runs(page))

    def text(self, *runs: Terms) -> float:
        """Return the score of some terms; no entry goes over two runs."""
        return sum((found.value for found in self.evidence(*runs)), 0.0)

    def of_all(self) -> float:
        """Return the score of a page that has each entry once: hardly any has more."""
        gain = self._gain(1, 0)
        facets = (sum(entry.weight for entry in facet.entries) * gain for facet in self._facets)
        return sum(map(self._saturated, facets))

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
        counts = self._matcher.count(*runs)
        length = sum(len(run) - run.count(STOP) for run in runs) if counts else 0
        return [self._of_facet(self._facets[number], counts[number], length) for number in sorted(counts)]

    def addends(self, *runs: Terms) -> dict[str, float]:
        """Return what each wording adds to the score of some terms: its share of what its facet adds.

        A facet that counts for nothing, as too much counts against it, has no shares.
        """
        addends: dict[str, float] = {}
        for found in self.evidence(*runs):
            share = found.value / found.score if found.score > 0 else 0.0
            values = sorted(found.entries, key=lambda entry: (-entry[1], entry[0]))
            values += [(wording, -self.scoring.penalty) for wording in found.negative]
            for wording, value in values:
                name = _label(wording, found.facet)
                addends[name] = addends.get(name, 0.0) + value * share
        return addends

    def wordings(self) -> list[dict[str, list[Key]]]:
        """Return, for each facet, as which terms all that `addends` may name is read."""
        return [_wordings(facet) for facet in self._facets]

    def _of_facet(self, facet: Vocabulary, counts: Mapping[int, int], length: int) -> FacetEvidence:
        """Score a facet: how often each of its wordings was found in a text of so many terms."""
        times: dict[int, int] = {}
        negative = []
        for number, count in counts.items():
            meaning = facet.meanings[number]
            for entry in meaning.entries:
                times[entry] = times.get(entry, 0) + count
            if meaning.is_negative:
                negative.append(meaning.wording)
        entries = [
            (facet.entries[entry].name, facet.entries[entry].weight * self._gain(count, length))
            for entry, count in times.items()
        ]
        score = sum(value for _, value in entries) - self.scoring.penalty * len(negative)
        return FacetEvidence(facet.name, entries, negative, score, self._saturated(score))

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


def _wordings(facet: Vocabulary) -> dict[str, list[Key]]:
    keys: dict[str, list[Key]] = {}
    for key, meaning in zip(facet.keys, facet.meanings, strict=True):
        names = [facet.entries[number].name for number in meaning.entries]
        for name in (*names, meaning.wording) if meaning.is_negative else names:
            keys.setdefault(_label(name, facet.name), []).append(key)
    return keys


def _label(wording: str, facet: str) -> str:
    return f"{wording} [{facet}]"


def page_runs(page: Page) -> tuple[Terms, ...]:
    """Return the terms of a page: title and headlines, meta keywords, then each content block as it reads.

    Of a page that was not cut into blocks its sections, in which no link stands where it stood.
    """
    sections = page.sections
    if not page.blocks:
        return sections.headline, sections.keywords, sections.anchor, sections.body
    return sections.headline, sections.keywords, *(block.terms for block in page.blocks)
