"""Documents as a sparse matrix, and which of their terms distinguish classes (Lu et al. 2016, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import entr

from focused_crawler.page.model import STOP

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

    Equal values are ordered by document frequency, then by column (alphabetically).
    """
    order = np.lexsort((-frequencies, -values))
    frequent = order[frequencies[order] >= min_df]
    return np.sort(frequent[:count])


def document_information_gain(counts: Matrix) -> Vector:
    """Return H(D) - H(D | t) of each term in bits, clipped at 0: its information on the document.

    P(d) is the document's share of all words, P(d | t) its share of the term's occurrences (raw counts).
    A term of one document has the maximum, whatever the classes.
    """
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
    totals = amounts.sum(axis=1, keepdims=True)
    shares = amounts / np.where(totals > 0, totals, 1.0)
    return np.asarray(entr(shares).sum(axis=1) / np.log(2))
