"""Labelled pages to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.model import Page
from focused_crawler.text.selection import Vector
from focused_crawler.text.vocabulary import Matrix, count_matrix, vocabulary
from focused_crawler.text.weighting import RAW, SectionWeights, section_counts


@dataclass(frozen=True)
class ExamplePages:
    """Pages, each relevant or not; their terms are counted once for all folds."""

    pages: tuple[Page, ...]
    is_relevant: NDArray[np.bool_]
    weights: Vector  # how much each page counts: 1, less for background
    section_weights: SectionWeights

    @classmethod
    def of(
        cls,
        pages: Sequence[Page],
        is_relevant: Sequence[bool],
        section_weights: SectionWeights,
        weights: Sequence[float] | None = None,
    ) -> Self:
        """Take pages with their labels, and how much each of them counts (default: 1)."""
        counts = np.ones(len(pages)) if weights is None else np.array(weights, dtype=np.float64)
        return cls(tuple(pages), np.array(is_relevant, dtype=np.bool_), counts, section_weights)

    def __len__(self) -> int:
        return len(self.pages)

    def rows(self, rows: NDArray[np.intp]) -> ExamplePages:
        """Return some of the pages."""
        return _Part(
            tuple(self.pages[row] for row in rows.tolist()),
            self.is_relevant[rows],
            self.weights[rows],
            self.section_weights,
            self,
            rows,
        )

    def own(self) -> ExamplePages:
        """Return the pages without the background."""
        return self.rows(np.flatnonzero(self.weights >= 1.0))

    @cached_property
    def terms(self) -> NDArray[np.str_]:
        """All terms of the pages, sorted: the columns of `tf` and `raw`."""
        return np.array(vocabulary(self._raw_counts), dtype=np.str_)

    @cached_property
    def tf(self) -> Matrix:
        """Section-weighted counts, a row a page."""
        counts = [section_counts(page.sections, self.section_weights) for page in self.pages]
        return count_matrix(counts, self.terms.tolist())

    @cached_property
    def raw(self) -> Matrix:
        """Plain counts, a row a page."""
        return count_matrix(self._raw_counts, self.terms.tolist())

    @cached_property
    def _raw_counts(self) -> list[dict[str, float]]:
        return [section_counts(page.sections, RAW) for page in self.pages]


@dataclass(frozen=True)
class _Part(ExamplePages):
    """Some rows of others, which have counted the terms."""

    whole: ExamplePages
    numbers: NDArray[np.intp]

    @cached_property
    def terms(self) -> NDArray[np.str_]:
        return self.whole.terms

    @cached_property
    def tf(self) -> Matrix:
        return self.whole.tf[self.numbers]

    @cached_property
    def raw(self) -> Matrix:
        return self.whole.raw[self.numbers]
