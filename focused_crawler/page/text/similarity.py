"""How near a piece of text is to the topic: the cosine of its TFC weights with the topic's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from focused_crawler.page.model import STOP


class TopicVector:
    """A topic as weighted terms, and the idf by which texts are compared with it.

    It is asked for every block, anchor and context of every page, so a text without a term of the topic
    costs one set operation.
    """

    def __init__(self, weights: Mapping[str, float], idf: Mapping[str, float], default_idf: float) -> None:
        """Take weights of any length (only positive ones count), the idf of terms, and that of all others."""
        positive = {term: weight for term, weight in weights.items() if weight > 0}
        self.weights = positive
        self._length = _length(positive)
        self.idf = idf
        self.default_idf = default_idf
        self._terms = frozenset(positive)

    def similarity(self, terms: Sequence[str]) -> float:
        """Return the cosine, in [0, 1], of a text's TFC weights with the topic's; stop words do not count."""
        if self._terms.isdisjoint(terms):
            return 0.0
        counts: dict[str, float] = {}
        for term in terms:  # of few terms: a Counter would cost more than it saves
            counts[term] = counts.get(term, 0) + 1
        counts.pop(STOP, None)
        return self._similarity(counts)

    def similarity_of_counts(self, counts: Mapping[str, float]) -> float:
        """Return the same of a text whose terms are counted (and perhaps weighted) already."""
        if self._terms.isdisjoint(counts):
            return 0.0
        return self._similarity(counts)

    def products(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Return what each term of the topic adds to `similarity_of_counts`."""
        idf, default = self.idf, self.default_idf
        weights = {term: count * idf.get(term, default) for term, count in counts.items()}
        scale = _length(weights) * self._length
        return {
            term: weight * self.weights[term] / scale
            for term, weight in weights.items()
            if term in self.weights
        }

    def _similarity(self, counts: Mapping[str, float]) -> float:
        topic, idf, default = self.weights, self.idf, self.default_idf
        product = squares = 0.0
        for term, count in counts.items():
            weight = count * idf.get(term, default)
            squares += weight * weight
            if term in topic:
                product += weight * topic[term]
        return min(product / (math.sqrt(squares) * self._length), 1.0) if squares > 0 else 0.0


def _length(weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))
