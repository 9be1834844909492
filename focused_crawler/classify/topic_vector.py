"""What the topic is, in weighted terms, and from which similarity on a block is about it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import median

from focused_crawler.page.model import STOP, Page
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.languages import frequent_words
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import RAW, section_counts, tfc
from focused_crawler.page.text.words import is_character
from focused_crawler.topic.topic import Topic

DESCRIPTION_IMPORTANCE = 0.5
"""Of a term of the description; the terms of keywords and title have 1."""

LISTED_PAIRS = 30
NEIGHBOURS = 10
"""A keyword of one character stands for so many of the language's commonest pairs that hold it, and for its
pairs with so many of the commonest words of one character."""


def topic_vector(
    topic: Topic, relevant: Sequence[Page], other: Sequence[Page], analyzer: Analyzer, terms: int
) -> TopicVector:
    """Return the vector of a topic with examples.

    Its weights are the `terms` heaviest of the mean TFC vector of the relevant pages less that of the others
    (which leaves out what all pages say), joined with the topic's keywords, which weigh as much as the
    heaviest. The idf is that of the language (Batsakis et al. 2009, Eq. 2): a hundred examples cannot tell
    which words are rare, least of all the topic's own.
    """
    statistics = TermStatistics.for_language(topic.language)
    common = _centroid(other, statistics)
    centroid = _centroid(relevant, statistics)
    heaviest = _heaviest({term: weight - common.get(term, 0.0) for term, weight in centroid.items()}, terms)
    top = max(heaviest.values(), default=1.0)
    keywords = {term: top * weight for term, weight in phrase_weights(topic.keywords, analyzer).items()}
    return TopicVector(_highest(heaviest, keywords), statistics.mapping, statistics.default)


def cold_topic_vector(topic: Topic, analyzer: Analyzer) -> TopicVector:
    """Return the vector of a topic that has only words: importance * idf of the language."""
    statistics = TermStatistics.for_language(topic.language)
    description = dict.fromkeys(_terms([topic.description], analyzer), DESCRIPTION_IMPORTANCE)
    importance = _highest(description, phrase_weights([topic.title, *topic.keywords], analyzer))
    weights = {term: weight * statistics.idf(term) for term, weight in importance.items()}
    return TopicVector(weights, statistics.mapping, statistics.default)


def phrase_weights(phrases: Iterable[str], analyzer: Analyzer) -> dict[str, float]:
    """Return the terms of keywords but stop words, of weight 1, and the pairs that one character stands for.

    Running text has such a character in pairs alone. All its pairs together are as long a vector as one term.
    """
    weights: dict[str, float] = {}
    for term in _terms(phrases, analyzer):
        pairs = _pairs_with(term, analyzer) if is_character(term) else []
        shared = dict.fromkeys(pairs, 1.0 / math.sqrt(max(len(pairs), 1)))
        for one, weight in ((term, 1.0), *shared.items()):
            weights[one] = max(weight, weights.get(one, 0.0))
    return weights


def _terms(phrases: Iterable[str], analyzer: Analyzer) -> list[str]:
    terms = chain.from_iterable(analyzer.terms(phrase) for phrase in phrases)
    return [term for term in dict.fromkeys(terms) if term != STOP]


def _pairs_with(character: str, analyzer: Analyzer) -> list[str]:
    """Return the pairs of a character that pages of the language are likely to have."""
    idf = TermStatistics.for_language(analyzer.language).mapping
    listed = sorted((idf[term], term) for term in idf if character in term and term != character)
    neighbours = [word for word in frequent_words(analyzer.language) if is_character(word)][:NEIGHBOURS]
    seams = [pair for word in neighbours for pair in (character + word, word + character)]
    return list(dict.fromkeys([term for _, term in listed[:LISTED_PAIRS]] + seams))


def _highest(*weightings: Mapping[str, float]) -> dict[str, float]:
    """Return the highest weight of each term."""
    highest: dict[str, float] = {}
    for term, weight in chain.from_iterable(weights.items() for weights in weightings):
        highest[term] = max(weight, highest.get(term, 0.0))
    return highest


def _centroid(pages: Sequence[Page], statistics: TermStatistics) -> dict[str, float]:
    total: dict[str, float] = {}
    for page in pages:
        counts = section_counts(page.sections, RAW)
        for term, weight in tfc(counts, statistics.mapping, statistics.default).items():
            total[term] = total.get(term, 0.0) + weight / len(pages)
    return total


def _heaviest(weights: Mapping[str, float], count: int) -> dict[str, float]:
    """Return the heaviest positive weights, heaviest first, equal ones in alphabetical order."""
    positive = [(term, weight) for term, weight in weights.items() if weight > 0]
    return dict(sorted(positive, key=lambda item: (-item[1], item[0]))[:count])


# The similarity from which on a block is rather about the topic than not.
#
# The paper compares cosines with 0.5, but a cosine depends on how long the vectors are: a block of ordinary
# prose comes to 0.05 with a topic of 200 terms, and nothing would ever be followed. So a similarity s is read
# as s / (s + midpoint): the order stays, and 0.5 is half way between a usual block of the relevant examples
# and one of the others.

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
