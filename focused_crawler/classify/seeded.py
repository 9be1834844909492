"""The page classifier of a topic that learnt from pages found by its words, not from chosen ones."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.classify.base import Evidence
from focused_crawler.classify.cold import ColdClassifier, squash
from focused_crawler.classify.platt import log_odds, sigmoid
from focused_crawler.classify.trained import TrainedClassifier
from focused_crawler.page.model import Page

TRUST = 0.5
"""What the learnt log odds count beside those of the words, which their labels came from."""

FLOOR = -6.0
"""Log odds of a page without a word of the topic."""


@dataclass(frozen=True, slots=True)
class SeededClassifier:
    """log odds = those of the topic's words + half of those learnt from pseudo-examples, at even odds."""

    words: ColdClassifier
    learnt: TrainedClassifier

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]: an estimate, not calibrated; 0 without one known term."""
        evidence = self.evidence(page)
        return sigmoid(evidence.bias + sum(evidence.terms.values())) if evidence.terms else 0.0

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds; what the topic's words lift them above the floor is shared out."""
        learnt = self.learnt.evidence(page)
        terms = {term: TRUST * value for term, value in learnt.terms.items()}
        words = self.words.evidence(page).terms
        similarity = sum(words.values())
        lift = max(log_odds(squash(similarity)) - FLOOR, 0.0)
        for term, value in words.items():
            terms[term] = terms.get(term, 0.0) + lift * value / similarity
        return Evidence(terms, FLOOR + TRUST * learnt.bias, "log odds")
