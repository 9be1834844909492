"""The contracts of page classification: what judges a page, and what a classification method learns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.model import Page
from focused_crawler.page.text.selection import Matrix, Vector, count_matrix, vocabulary
from focused_crawler.page.text.weighting import RAW, SectionWeights, section_counts

if TYPE_CHECKING:
    pass
    from focused_crawler.classify.settings import ClassifierSettings


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


class Evidence(NamedTuple):
    """Why a page has its relevance: what each of its known terms adds to what every page has."""

    terms: Mapping[str, float]
    bias: float
    unit: str  # "log odds": the sum is ln(r / (1 - r)) of relevance r; "similarity", "score": r rises with it


class PageClassifier(Protocol):
    """Says how much a page is about the topic. Pure: the same page always has the same relevance."""

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1], read from its sections."""

    def evidence(self, page: Page) -> Evidence:
        """Return what made the relevance."""


class MethodState(NamedTuple):
    """What a method learnt, as data that can be written to a file and never runs."""

    values: Mapping[str, Any]  # of JSON
    arrays: Mapping[str, NDArray[Any]]


class Method(Protocol):
    """A classification method, made by `fit` or from a model file by `restore`; relevant against other pages.

    Its log odds need be neither calibrated nor right about how many pages are relevant: training sees to it.
    """

    uses_background: ClassVar[
        bool
    ]  # learns from pages of other topics as well, each of which counts for less than one

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""

    @classmethod
    def restore(cls, state: MethodState, settings: ClassifierSettings) -> Self:
        """Return what had that state; KeyError, TypeError or ValueError if it is none of this method's."""

    def state(self) -> MethodState:
        """Return all that was learnt."""

    def log_odds(self, page: Page) -> float | None:
        """Return log P(relevant | page) / P(other | page), any real number; None without one known term."""

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds; they are the sum."""


def __getattr__(name: str) -> object:
    """Return `MethodState` by its old name too, for one version."""
    if name == "State":
        warnings.warn("classify.base.State is MethodState now", DeprecationWarning, stacklevel=2)
        return MethodState
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
