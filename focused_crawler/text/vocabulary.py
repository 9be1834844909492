"""Documents as a sparse matrix: one row a document, one column a term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

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
