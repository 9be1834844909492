"""The page classifier of a topic without examples: similarity with the topic's own words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from focused_crawler.classify.base import Evidence
from focused_crawler.page.model import Page
from focused_crawler.text.similarity import TopicVector
from focused_crawler.text.weighting import section_counts

HALF_POINT = 0.06
"""The similarity of a page that is as likely as not about the topic: relevance 0.5."""


@dataclass(frozen=True, slots=True)
class ColdClassifier:
    """Relevance from the cosine of page and topic (Batsakis et al. 2009, Eq. 1), with precompiled idf.

    A page's words weigh (1 + ln tf) * idf, tf by section. The logarithm is ours: with the plain tf of Eq. 2,
    a word that a menu or a listing repeats would hide all others.
    """

    vector: TopicVector

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; an estimate, not calibrated."""
        return squash(self.vector.similarity_of_counts(_damped(page)))

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the cosine."""
        return Evidence(self.vector.products(_damped(page)), 0.0, "similarity")


def _damped(page: Page) -> dict[str, float]:
    return {term: 1.0 + math.log(count) for term, count in section_counts(page.sections).items()}


def squash(similarity: float) -> float:
    """Return s^2 / (s^2 + HALF_POINT^2): a monotone way from the similarities that pages have to [0, 1].

    A whole page is never near a few keywords: if it has m of the topic's q words among n different ones, all
    of like weight, their cosine is m / sqrt(q n). With q = 12 and n = 200 three words make 0.06, the
    half-point; one makes 0.02 and a relevance of 0.1, eight make 0.16 and 0.88. The square keeps chance words
    low.

    >>> squash(0.0), squash(0.06), round(squash(0.02), 2), round(squash(0.16), 2)
    (0.0, 0.5, 0.1, 0.88)
    """
    square = similarity * similarity
    return square / (square + HALF_POINT * HALF_POINT)
