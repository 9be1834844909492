"""How much a term counts: section-weighted tf, TFIDF and ITFIDF (Lu et al. 2016, section 3.2), TFC (4.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from focused_crawler.page.model import Sections
from focused_crawler.page.text.selection import (
    Labels,
    Matrix,
    Vector,
    class_information_gain,
    count_terms,
    document_frequencies,
    document_information_gain,
)

SectionWeights = tuple[float, float, float, float]
"""Weight of a word in the headline, the keywords, an anchor, the body."""

SECTION_WEIGHTS: SectionWeights = (4.0, 3.0, 2.0, 1.0)
RAW: SectionWeights = (1.0, 1.0, 1.0, 1.0)
"""Plain counts: every word counts once, wherever it stands."""

Gain = Literal["document", "class", "none"]
"""The information gain of ITFIDF: the paper's (over documents), over classes, or none (which is TFIDF)."""


def section_counts(sections: Sections, weights: SectionWeights = SECTION_WEIGHTS) -> dict[str, float]:
    """Return tf = a tf_headline + b tf_keywords + c tf_anchor + e tf_body of each term of a page."""
    parts = (sections.headline, sections.keywords, sections.anchor, sections.body)
    total: dict[str, float] = {}
    for terms, weight in zip(parts, weights, strict=True):
        for term, count in count_terms(terms).items():
            total[term] = total.get(term, 0.0) + weight * count
    return total


def inverse_document_frequency(counts: Matrix) -> Vector:
    """Return ln(N / n_t) of each term, 0 for a term that no document holds."""
    frequencies = document_frequencies(counts)
    documents = counts.shape[0]
    return np.asarray(np.log(documents / np.where(frequencies > 0, frequencies, documents)))


def information_gain(counts: Matrix, labels: Labels, gain: Gain) -> Vector:
    """Return the factor IG of each term; `counts` are raw."""
    if gain == "document":
        return document_information_gain(counts)
    if gain == "class":
        return class_information_gain(counts, labels)
    return np.ones(counts.shape[1])


def tfidf(tf: Matrix, idf: Vector) -> Matrix:
    """Return tf * idf, each row scaled to length 1."""
    return itfidf(tf, idf, np.ones(tf.shape[1]), ig_in_norm=False)


def itfidf(tf: Matrix, idf: Vector, gain: Vector, *, ig_in_norm: bool) -> Matrix:
    """Return tf * idf * gain over the row's length; `ig_in_norm`: the length counts the gain."""
    weighted = csr_array(tf.multiply(idf * gain))
    measured = weighted if ig_in_norm else csr_array(tf.multiply(idf))
    lengths = np.sqrt(np.asarray(measured.multiply(measured).sum(axis=1), dtype=np.float64).ravel())
    return csr_array(weighted.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]))


def tfc(counts: Mapping[str, float], idf: Mapping[str, float], default_idf: float) -> dict[str, float]:
    """Return the TFC weights of a unit (block, anchor, context): f * idf, scaled to length 1.

    A unit without a term of positive idf has no weights at all.

    >>> tfc({"news": 3, "goal": 2}, {"news": 1.0}, default_idf=2.0)
    {'news': 0.6, 'goal': 0.8}
    """
    weights = {term: count * idf.get(term, default_idf) for term, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length > 0 else {}
