"""The contracts of page classification: what judges a page, and what a classification method learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from numpy.typing import NDArray

from focused_crawler.page.model import Page

if TYPE_CHECKING:
    from focused_crawler.classify.example_pages import ExamplePages
    from focused_crawler.classify.settings import ClassifierSettings


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


class State(NamedTuple):
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
    def restore(cls, state: State, settings: ClassifierSettings) -> Self:
        """Return what had that state; KeyError, TypeError or ValueError if it is none of this method's."""

    def state(self) -> State:
        """Return all that was learnt."""

    def log_odds(self, page: Page) -> float | None:
        """Return log P(relevant | page) / P(other | page), any real number; None without one known term."""

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds; they are the sum."""
