"""How much a term counts: section-weighted tf, TFIDF and ITFIDF (Lu et al. 2016, section 3.2), TFC (4.2).

Documents as a sparse matrix, and which of their terms distinguish classes (section 3).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.model import STOP, Sections

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# ruff: noqa: PLC0415 - matrices are for training, and load slowly.

Matrix: TypeAlias = "csr_array[Any, Any]"
"""Documents (rows) by terms (columns), float64."""


def count_terms(terms: Iterable[str]) -> dict[str, float]:
    """Count the terms of a text; stop words are not terms.

    >>> count_terms(["robot", "", "arm", "robot"])
    {'robot': 2, 'arm': 1}
    """
    counts: dict[str, float] = dict(Counter(terms))
    counts.pop(STOP, None)
    return counts


def vocabulary(documents: Iterable[Mapping[str, float]]) -> list[str]:
    """Return all terms of the documents, sorted: the order of the documents must not matter."""
    return sorted(set().union(*documents))


def count_matrix(documents: Sequence[Mapping[str, float]], terms: Sequence[str]) -> Matrix:
    """Return the documents' counts of `terms`, a column each; other terms are left out."""
    from scipy.sparse import csr_array

    column = {term: index for index, term in enumerate(terms)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, document in enumerate(documents):
        for term, count in document.items():
            if term in column:
                rows.append(row)
                columns.append(column[term])
                values.append(count)
    shape = (len(documents), len(terms))
    where = np.array(rows, dtype=np.int32), np.array(columns, dtype=np.int32)  # liblinear takes no others
    return csr_array((np.array(values, dtype=np.float64), where), shape=shape)


Vector: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[Any]
"""The class of each document, in the order of a matrix's rows."""


def document_frequencies(counts: Matrix) -> Vector:
    """Return for each term the number of documents that hold it."""
    return np.asarray((counts > 0).sum(axis=0), dtype=np.float64).ravel()


def class_document_frequencies(counts: Matrix, labels: Labels) -> tuple[NDArray[np.float64], Vector]:
    """Return (classes x terms: documents of the class that hold the term, documents of each class)."""
    classes = np.unique(labels)
    holding = np.vstack([document_frequencies(counts[labels == name]) for name in classes])
    sizes = np.array([np.count_nonzero(labels == name) for name in classes], dtype=np.float64)
    return holding, sizes


def mutual_information(counts: Matrix, labels: Labels) -> Vector:
    """Return for each term the largest pointwise mutual information with a class (natural logarithm).

    MI(t, C) = log(P(t, C) / (P(t) P(C))), -inf for a term that no document holds.
    """
    holding, sizes = class_document_frequencies(counts, labels)
    expected = holding.sum(axis=0) * sizes[:, np.newaxis] / sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(holding / expected)
    return np.asarray(np.nan_to_num(information.max(axis=0), nan=-np.inf))


def keep_highest(values: Vector, frequencies: Vector, count: int, min_df: int) -> NDArray[np.intp]:
    """Return the columns (ascending) of the `count` highest values among terms in >= `min_df` documents.

    Values that are equal to a billionth are ordered by document frequency, then by column (alphabetically).
    """
    order = np.lexsort((-frequencies, -np.round(values, 9)))
    frequent = order[frequencies[order] >= min_df]
    return np.sort(frequent[:count])


def document_information_gain(counts: Matrix) -> Vector:
    """Return H(D) - H(D | t) of each term in bits, clipped at 0: its information on the document.

    P(d) is the document's share of all words, P(d | t) its share of the term's occurrences (raw counts).
    A term of one document has the maximum, whatever the classes.
    """
    from scipy.special import entr

    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    # H(D | t) = log2(n) - (1/n) * sum of f log2 f, with n the term's occurrences
    inner = counts.copy()
    inner.data = -entr(inner.data) / np.log(2)
    sums = np.asarray(inner.sum(axis=0), dtype=np.float64).ravel()
    safe = np.where(totals > 0, totals, 1.0)
    conditional = np.log2(safe) - sums / safe
    return np.asarray(np.clip(_entropy(lengths[np.newaxis, :]) - conditional, 0.0, None))


def class_information_gain(counts: Matrix, labels: Labels) -> Vector:
    """Return H(C) - P(t) H(C|t) - P(not t) H(C|not t) of each term in bits: its information on the class."""
    holding, sizes = class_document_frequencies(counts, labels)
    lacking = sizes[:, np.newaxis] - holding
    share = holding.sum(axis=0) / sizes.sum()
    conditional = share * _entropy(holding.T) + (1 - share) * _entropy(lacking.T)
    return np.asarray(np.clip(_entropy(sizes[np.newaxis, :]) - conditional, 0.0, None))


def _entropy(amounts: NDArray[np.float64]) -> Vector:
    """Return the entropy in bits of each row, its amounts taken as shares of their sum; 0 if all are 0."""
    from scipy.special import entr

    totals = amounts.sum(axis=1, keepdims=True)
    shares = amounts / np.where(totals > 0, totals, 1.0)
    return np.asarray(entr(shares).sum(axis=1) / np.log(2))


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
    from scipy.sparse import csr_array

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
