"""How near a page's or a link's words are in meaning to the topic's, whichever words these are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.vectors import Meaning, WordVectors

COMMON = 1.5
"""How often the mean of topics of all kinds is taken off a topic of length 1 (docs/research/judge.md)."""


class TopicMeaning:
    """The topic as a vector: the sum of those of its weighted words, less what all topics have in common."""

    def __init__(self, vectors: WordVectors, own: Meaning) -> None:
        """Take the words' sum; its length does not count."""
        self._vectors = vectors
        self._direction: Meaning = own / np.linalg.norm(own) - COMMON * vectors.common

    @classmethod
    def of(cls, topic: TopicVector, language: str) -> Self | None:
        """Return that of a topic's words; None where the language has no vectors, or none of these words."""
        vectors = WordVectors.for_language(language)
        own = None if vectors is None else vectors.of(topic.weights)
        return None if vectors is None or own is None or not own.any() else cls(vectors, own)

    @property
    def content(self) -> bytes:
        """Return what tells it from those of other tables, for the same words."""
        return self._vectors.content

    def near(self, counts: Mapping[str, float]) -> float:
        """Return how near a text of counted terms is: a cosine, but for what is taken off; 0: unknown."""
        _, weights, rows = self._vectors.text(counts)
        own = _sum(weights, rows)
        length = math.sqrt(float(own @ own))
        return float(own @ self._direction) / length if length else 0.0

    def addends(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Return what each known term adds to `near`."""
        terms, weights, rows = self._vectors.text(counts)
        length = float(np.linalg.norm(_sum(weights, rows)))
        found = weights * (rows @ self._direction) / (length or 1.0)
        return dict(zip(terms, found.tolist(), strict=True))


def _sum(weights: Meaning, rows: NDArray[np.int8]) -> Meaning:
    """Return the weighted sum of rows; to the last bit the same in any process, as BLAS's is not.

    einsum makes floats of the rows bit by bit: those of all were more memory than a page has otherwise.
    """
    found: Meaning = np.einsum("i,ij->j", weights, rows)
    return found
