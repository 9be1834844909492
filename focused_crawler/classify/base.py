"""The contracts of page classification: what judges a page, and what a classification method learns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import Bend
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import (
    RAW,
    Matrix,
    SectionWeights,
    Vector,
    count_matrix,
    section_counts,
    vocabulary,
)

if TYPE_CHECKING:
    from focused_crawler.classify.settings import ClassifierSettings


@dataclass(frozen=True)
class ExamplePages:
    """Pages, each relevant or not, with the counts of their terms: a row a page, a column a term."""

    pages: tuple[Page, ...]
    is_relevant: NDArray[np.bool_]
    weights: Vector  # how much each page counts: 1, less for background
    terms: NDArray[np.str_]  # all of them, sorted
    tf: Matrix  # counts weighted by section
    raw: Matrix  # plain counts

    @classmethod
    def of(
        cls,
        pages: Sequence[Page],
        is_relevant: Sequence[bool],
        section_weights: SectionWeights,
        weights: Sequence[float] | None = None,
    ) -> Self:
        """Take pages with their labels, and how much each of them counts (default: 1)."""
        raw, weighted = (
            [section_counts(page.sections, each) for page in pages] for each in (RAW, section_weights)
        )
        terms = vocabulary(raw)
        return cls(
            tuple(pages),
            np.array(is_relevant, dtype=np.bool_),
            np.ones(len(pages)) if weights is None else np.array(weights, dtype=np.float64),
            np.array(terms, dtype=np.str_),
            count_matrix(weighted, terms),
            count_matrix(raw, terms),
        )

    def __len__(self) -> int:
        return len(self.pages)

    def rows(self, rows: NDArray[np.intp]) -> Self:
        """Return some of the pages; they keep the columns of all."""
        pages = tuple(self.pages[row] for row in rows.tolist())
        columns = (self.is_relevant[rows], self.weights[rows], self.terms, self.tf[rows], self.raw[rows])
        return type(self)(pages, *columns)

    def own(self) -> Self:
        """Return the pages without the background."""
        return self.rows(np.flatnonzero(self.weights >= 1.0))


class Evidence(NamedTuple):
    """Why a page has its relevance: what each of its known terms adds to what every page has."""

    terms: Mapping[str, float]
    bias: float
    unit: str
    """ "log odds": the sum is ln(r / (1 - r)) of relevance r; "cosine": r; else r rises with it."""

    @property
    def total(self) -> float:
        return sum(self.terms.values()) + self.bias

    def bent(self, bend: Bend) -> Evidence:
        """Return what makes the log odds of the relevance: all parts so many times as large."""
        total = self.total
        factor = bend.factor(total)
        if factor == 1:
            return self
        terms = {term: factor * value for term, value in self.terms.items()}
        return Evidence(terms, factor * self.bias, self.unit)


class PageClassifier(Protocol):
    """Says how much a page is about the topic. Pure: the same page always has the same relevance."""

    judge: ClassVar[str]
    """What run.json and reports call it."""

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

    uses_background: ClassVar[bool]
    """Does it learn from pages of other topics as well, each of which counts for less than one?"""

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


class Typical(NamedTuple):
    """What relevant pages of known sites come to in particular."""

    of_site: Mapping[str, float]  # the mean of a site's relevant examples
    trust: float  # [0, 1]: how much counts how far a page is from it


NOTHING_TYPICAL = Typical({}, 0.0)


@runtime_checkable
class SiteMethod(Protocol):
    """A method that tells the pages of a known site from each other by what is not usual there."""

    def particular(self, page: Page) -> float | None:
        """Return the part of the log odds that is the page's own; None for pages of unknown sites."""

    def knowing(self, typical: Typical) -> Method:
        """Return the method that adds, on each of these sites, how far this part is from what is typical."""


def __getattr__(name: str) -> object:
    """Return `MethodState` by its old name too, for one version."""
    if name == "State":
        warnings.warn("classify.base.State is MethodState now", DeprecationWarning, stacklevel=2)
        return MethodState
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
