"""The similarity from which on a block is rather about the topic than not.

The paper compares cosines with 0.5, but a cosine depends on how long the vectors are: a block of ordinary
prose comes to 0.05 with a topic of 200 terms, and nothing would ever be followed. So a similarity s is read
as s / (s + midpoint): the order stays, and 0.5 is half way between a usual block of the relevant examples and
one of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

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
    """Return the mean of two medians: of the similarities of relevant pages' blocks, and of the others'.

    Every block is compared with a vector made without its page. Falls back on `COLD_MIDPOINT`.
    """
    about: list[float] = []
    apart: list[float] = []
    for fold in range(FOLDS):
        vector = topic_vector(topic, _rest(relevant, fold), _rest(other, fold), analyzer, terms)
        about += _similarities(vector, relevant[fold::FOLDS])
        apart += _similarities(vector, other[fold::FOLDS])
    return _half_way(about, apart)


def _rest(pages: Sequence[Page], fold: int) -> list[Page]:
    return [page for number, page in enumerate(pages) if number % FOLDS != fold]


def _similarities(vector: TopicVector, pages: Sequence[Page]) -> list[float]:
    blocks = (block.terms for page in pages for block in page.blocks)
    return [vector.similarity(terms) for terms in blocks if sum(map(bool, terms)) >= MIN_TERMS]


def _half_way(about: Sequence[float], apart: Sequence[float]) -> float:
    """Return the middle of the medians, which a few odd blocks do not move."""
    if not about or not apart:
        return COLD_MIDPOINT
    return (median(about) + median(apart)) / 2 or COLD_MIDPOINT
