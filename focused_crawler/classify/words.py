"""The page classifier of a topic that has only words: no example has been seen."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Self

from focused_crawler.classify.base import Evidence
from focused_crawler.classify.calibration import sigmoid
from focused_crawler.classify.meaning import TopicMeaning
from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.page.model import STOP, Page
from focused_crawler.page.text.idf import PAGE_LENGTH
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import SectionWeights, count_terms
from focused_crawler.store.judges import KEYWORDS
from focused_crawler.topic.topic import Topic

PLACES: SectionWeights = (1.0, 1.0, 0.2, 1.0)
"""Anchors count for less: a word of a menu says what the site has, not what the page is about."""

SATURATION = 1.5
LENGTH = 0.75
"""k1 and b of BM25 (Robertson et al. 1994), near their usual values: no others are clearly better."""

HALF_POINT = 0.63
"""The score of a page that is as likely as not about the topic: relevance 0.5 (docs/research/judge.md)."""

STEEPNESS = 4

SHORT = 50
"""A page of fewer terms has no room for many words of a topic: its score is raised for that."""

FLOOR = -4.0
MEANING = 5.0
HALF_NEAR = 0.25
"""Log odds = max(those of the words, `FLOOR`) + `MEANING` * (nearness in meaning - `HALF_NEAR`)."""

_LEAST = -21.0  # those of a billionth: a page that says nothing has none


@dataclass(frozen=True, slots=True)
class ColdClassifier:
    """Relevance from how many of the topic's words a page has, each counted for less the oftener it comes.

    The topic is a vector of length 1, a word's part its importance times the root of its idf; the page has
    tf / (tf + k) of each, k growing with its length. Their product, the score, counts different words for
    more than one that is repeated, and does not fall as the page says other things too, as a cosine does.

    `meaning`: what all its words mean counts as well, if there are vectors for its language.
    """

    vector: TopicVector
    meaning: TopicMeaning | None = None
    judge: ClassVar[str] = KEYWORDS
    section_weights: ClassVar[SectionWeights] = PLACES
    _parts: Mapping[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        idf, default = self.vector.idf, self.vector.default_idf
        # a weight is importance * idf
        parts = {term: w / math.sqrt(idf.get(term, default)) for term, w in self.vector.weights.items()}
        length = math.sqrt(sum(part * part for part in parts.values()))
        object.__setattr__(self, "_parts", {term: part / length for term, part in parts.items()})

    @classmethod
    def of(cls, topic: Topic, analyzer: Analyzer) -> Self:
        """Return that of a topic's title, keywords and description."""
        vector = cold_topic_vector(topic, analyzer)
        return cls(vector, TopicMeaning.of(vector, topic.language))

    @property
    def content(self) -> bytes:
        """Return what tells it from those of other words."""
        words = weights_content(self._parts)
        return words if self.meaning is None else words + self.meaning.content

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; an estimate, not calibrated; 0 if it has no known word."""
        score = sum(self._addends(page).values())
        if self.meaning is None:
            return relevance_of(score)
        near = self.meaning.near(_all_terms(page))
        return sigmoid(_floored(score) + MEANING * (near - HALF_NEAR)) if score or near else 0.0

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the score, or the log odds if meaning counts."""
        if self.meaning is None:
            return Evidence(self._addends(page), 0.0, "words")
        return self.log_odds(page, _LEAST)

    def log_odds(self, page: Page, least: float) -> Evidence:
        """Return what makes the log odds of the relevance, or those of `least` where they are below.

        What the topic's words lift them above a page without one is shared out among them.
        """
        addends = self._addends(page)
        score = sum(addends.values())
        floor = least if self.meaning is None else FLOOR
        lift = _floored(score, floor) - floor
        terms = {term: lift * value / score for term, value in addends.items()} if lift else {}
        if self.meaning is None:
            return Evidence(terms, floor, "log odds")
        for term, value in self.meaning.addends(_all_terms(page)).items():
            terms[term] = terms.get(term, 0.0) + MEANING * value
        found = Evidence(terms, floor - MEANING * HALF_NEAR, "log odds")
        return found if terms and found.total > least else Evidence({}, least, "log odds")

    def _addends(self, page: Page) -> dict[str, float]:
        parts, sections = self._parts, page.sections
        counts: dict[str, float] = {}
        terms = 0.0
        all_terms = (sections.headline, sections.keywords, sections.anchor, sections.body)
        for found, weight in zip(all_terms, PLACES, strict=True):
            terms += weight * (len(found) - found.count(STOP))
            for term, count in Counter([term for term in found if term in parts]).items():
                counts[term] = counts.get(term, 0.0) + weight * count
        if not counts:
            return {}
        k = SATURATION * (1.0 - LENGTH + LENGTH * terms / PAGE_LENGTH)
        raised = math.sqrt(max(SHORT / terms, 1.0))
        return {term: raised * parts[term] * counts[term] / (counts[term] + k) for term in sorted(counts)}


def _all_terms(page: Page) -> dict[str, float]:
    sections = page.sections
    return count_terms(chain(sections.headline, sections.keywords, sections.anchor, sections.body))


def _floored(score: float, floor: float = FLOOR) -> float:
    """Return the log odds of `relevance_of` a score, at least `floor`."""
    return max(STEEPNESS * math.log(score / HALF_POINT), floor) if score else floor


def weights_content(weights: Mapping[str, float]) -> bytes:
    """Write weighted terms as bytes that are the same on every machine, whose last digits may differ."""
    return json.dumps({term: f"{weight:.5g}" for term, weight in weights.items()}, sort_keys=True).encode()


def relevance_of(score: float) -> float:
    """Return s^4 / (s^4 + HALF_POINT^4): a monotone way from the scores that pages have to [0, 1].

    >>> [round(relevance_of(score), 2) for score in (0.0, 0.3, 0.63, 1.0, 2.0)]
    [0.0, 0.05, 0.5, 0.86, 0.99]
    """
    power = score**STEEPNESS
    return float(power / (power + HALF_POINT**STEEPNESS))
