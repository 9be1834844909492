"""What terms mean, in numbers: terms that stand in the same entries of a dictionary have vectors alike.

The table is made from WordNet by `benchmarks/word_vectors.py`, and comes with the package (English alone).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from io import BytesIO
from sys import intern
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.text.idf import TermStatistics

PACKAGE, FOLDER = "focused_crawler.shipped", "vectors"

Meaning = NDArray[np.float64]
"""A vector of as many numbers as the table has columns; only its direction counts."""


class WordVectors:
    """A table: a row for each term that it knows."""

    def __init__(
        self, terms: Iterable[str], rows: NDArray[np.int8], common: NDArray[np.float32], language: str
    ) -> None:
        """Take terms with their rows; `common`: what the vectors of topics of all kinds have in common."""
        idf = TermStatistics.for_language(language)
        self._row = {term: row for row, term in enumerate(map(intern, terms))}
        self._rows = rows
        self._idf = np.array([idf.idf(term) for term in self._row])
        self.common: Meaning = common.astype(np.float64)

    @classmethod
    @lru_cache
    def for_language(cls, language: str) -> Self | None:
        """Return the table of a language (ISO 639-1), read once a process; None: there is none."""
        file = files(PACKAGE) / FOLDER / f"{language}.npz"
        if not file.is_file():
            return None
        with np.load(BytesIO(file.read_bytes()), allow_pickle=False) as table:  # it may lie in an egg
            terms = table["terms"].tobytes().decode().split("\n")
            return cls(terms, table["rows"], table["common"], language)

    @cached_property
    def content(self) -> bytes:
        """Return what tells it from other tables."""
        return f" {FOLDER} {crc32(self._rows.tobytes()):08x}".encode()

    def of(self, weights: Mapping[str, float]) -> Meaning | None:
        """Return the sum of the vectors of weighted terms; None if it knows none of them."""
        known = [term for term in weights if term in self._row]
        if not known:
            return None
        rows = self._rows[[self._row[term] for term in known]].astype(np.float64)
        return np.array([weights[term] for term in known]) @ rows

    def text(self, counts: Mapping[str, float]) -> tuple[list[str], Meaning, NDArray[np.int8]]:
        """Return the known terms of a text, how much each counts, ln(1 + count) * idf, and their vectors."""
        row_of = self._row.get
        known = {term: row for term in counts if (row := row_of(term)) is not None}
        at = list(known.values())
        often = np.log1p([counts[term] for term in known])
        return list(known), often * self._idf[at], self._rows[at]
