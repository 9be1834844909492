"""The similarity from which on a block is rather about the topic than not.

The paper compares cosines with 0.5, but a cosine depends on how long the vectors are: a block of ordinary
prose comes to 0.05 with a topic of 200 terms, and nothing would ever be followed. So a similarity s is read
as s / (s + midpoint): the order stays, and 0.5 is where blocks of relevant examples and of others part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.topic_vector import topic_vector
from focused_crawler.page.model import Page
from focused_crawler.text.similarity import TopicVector
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic

COLD_MIDPOINT = 0.06
"""Of a topic without examples: what makes a page's relevance 0.5 there."""

FOLDS = 5
MIN_TERMS = 5
"""Shorter blocks say too little to learn from."""


def block_midpoint(
    topic: Topic, relevant: Sequence[Page], other: Sequence[Page], analyzer: Analyzer, terms: int
) -> float:
    """Return where (share of relevant pages' blocks above it) - (share of others') is greatest.

    Every block is compared with a vector made without its page. Falls back on `COLD_MIDPOINT`.
    """
    similarities: list[float] = []
    truths: list[bool] = []
    for fold in range(FOLDS):
        vector = topic_vector(topic, _rest(relevant, fold), _rest(other, fold), analyzer, terms)
        for pages, is_relevant in ((relevant, True), (other, False)):
            found = _similarities(vector, pages[fold::FOLDS])
            similarities += found
            truths += [is_relevant] * len(found)
    return _parting(np.array(similarities), np.array(truths, dtype=np.bool_))


def _rest(pages: Sequence[Page], fold: int) -> list[Page]:
    return [page for number, page in enumerate(pages) if number % FOLDS != fold]


def _similarities(vector: TopicVector, pages: Sequence[Page]) -> list[float]:
    blocks = (block.terms for page in pages for block in page.blocks)
    return [vector.similarity(terms) for terms in blocks if sum(map(bool, terms)) >= MIN_TERMS]


def _parting(similarities: NDArray[np.float64], truths: NDArray[np.bool_]) -> float:
    """Return Youden's cut: the threshold with the greatest true minus false positive rate."""
    relevant, others = int(truths.sum()), int((~truths).sum())
    if not relevant or not others:
        return COLD_MIDPOINT
    order = np.argsort(-similarities, kind="stable")
    gains = np.cumsum(np.where(truths[order], 1 / relevant, -1 / others))
    ranked = similarities[order]
    ends = np.append(ranked[1:] < ranked[:-1], True)  # equal similarities fall on one side together
    best = int(np.argmax(np.where(ends, gains, -np.inf)))
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best]
    midpoint = float(ranked[best] + below) / 2
    return midpoint if midpoint > 0 else COLD_MIDPOINT
