"""What the topic is, in weighted terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from focused_crawler.page.model import STOP, Page
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.languages import frequent_words
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import RAW, count_terms, section_counts, tfc
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


def query_vector(keywords: Iterable[str], analyzer: Analyzer) -> TopicVector:
    """Return the topic's words as Batsakis et al. 2009 weigh a query, tf / max tf * idf (Eq. 2).

    A cosine does not see the division by max tf, so it is left out.
    """
    statistics = TermStatistics.for_language(analyzer.language)
    counts = _with_pairs(count_terms(chain.from_iterable(map(analyzer.terms, keywords))), analyzer)
    weights = {term: count * statistics.idf(term) for term, count in counts.items()}
    return TopicVector(weights, statistics.mapping, statistics.default)


def phrase_weights(phrases: Iterable[str], analyzer: Analyzer) -> dict[str, float]:
    """Return the terms of keywords but stop words, of weight 1, with the pairs of those of one character."""
    return _with_pairs(dict.fromkeys(_terms(phrases, analyzer), 1.0), analyzer)


def _with_pairs(weights: Mapping[str, float], analyzer: Analyzer) -> dict[str, float]:
    """Return weighted terms with the pairs that those of one character stand for.

    Running text has such a character in pairs alone. All its pairs together are as long a vector as itself.
    """
    found: dict[str, float] = {}
    for term, weight in weights.items():
        pairs = _pairs_with(term, analyzer) if is_character(term) else []
        shared = dict.fromkeys(pairs, weight / math.sqrt(max(len(pairs), 1)))
        for one, value in ((term, weight), *shared.items()):
            found[one] = max(value, found.get(one, 0.0))
    return found


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
