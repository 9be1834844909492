"""Classifiers that add up what each term says: logistic regression, linear SVM, Naive Bayes by the word."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import Evidence, ExamplePages, MethodState
from focused_crawler.classify.model_file import number, numbers, words
from focused_crawler.classify.naive_bayes import naive_bayes_ratio
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Matrix, SectionWeights, Vector, section_counts

REGULARISATION = 100.0
"""scikit-learn's C of the logistic regression, in units of one example: weak, as its few examples have
thousands of terms."""


@dataclass(frozen=True)
class Linear:
    """log odds = intercept + sum over terms of weight * value; `_values` says what a term's value is."""

    terms: Sequence[str]
    weights: Vector
    intercept: float
    section_weights: SectionWeights
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._known.update(zip(self.terms, self.weights.tolist(), strict=True))

    @classmethod
    def restore(cls, state: MethodState, settings: ClassifierSettings) -> Self:
        terms = words(state.arrays["terms"])
        weights = numbers(state.arrays["weights"], len(terms))
        return cls(terms, weights, number(state.values["intercept"]), settings.section_weights)

    def state(self) -> MethodState:
        arrays: dict[str, NDArray[Any]] = {"terms": np.array(self.terms, np.str_), "weights": self.weights}
        return MethodState({"intercept": self.intercept}, arrays)

    def log_odds(self, page: Page) -> float | None:
        known = self._known
        values, length = self._values(section_counts(page.sections, self.section_weights))
        found = [value * known[term] for term, value in values.items() if term in known]
        return self.intercept + sum(found) / length if found else None

    def evidence(self, page: Page) -> Evidence:
        known = self._known
        values, length = self._values(section_counts(page.sections, self.section_weights))
        terms = {term: value * known[term] / length for term, value in values.items() if term in known}
        return Evidence(terms, self.intercept, "log odds")

    @staticmethod
    def _values(counts: Mapping[str, float]) -> tuple[Mapping[str, float], float]:
        """Return 1 + ln tf of each term, to be divided by the length of all of them.

        No idf: the weights say by themselves which terms are of use, and a factor would only change how hard
        it is to learn them (measured: docs/research/classifier.md).
        """
        values = {term: 1.0 + math.log(count) for term, count in counts.items()}
        return values, math.sqrt(sum(value * value for value in values.values()))


class LogisticText(Linear):
    """Logistic regression on section-weighted term counts, 1 + ln tf, of unit length."""

    uses_background: ClassVar[bool] = True

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (only training needs it)

        # with thousands of terms and a few hundred pages it is ten times faster than the default
        model = LogisticRegression(C=REGULARISATION, solver="newton-cg", tol=1e-6)
        return _fitted(cls, model, examples, settings)


class SvmText(Linear):
    """Linear support vector machine on the same values."""

    uses_background: ClassVar[bool] = True

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        from sklearn.svm import LinearSVC  # noqa: PLC0415  (as above)

        return _fitted(cls, LinearSVC(random_state=0), examples, settings)


class NaiveBayesByWord(Linear):
    """Multinomial Naive Bayes, its log odds divided by the number of words.

    Otherwise a long page is always certain, of whatever kind it is.
    """

    uses_background: ClassVar[bool] = False  # with counts of pages of another kind it would be another topic

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        kept = np.unique(examples.tf.indices)  # a fold lacks the terms of other folds
        prior, ratio = naive_bayes_ratio(examples.tf[:, kept], examples.is_relevant)
        return cls(examples.terms[kept].tolist(), ratio, prior, settings.section_weights)

    @staticmethod
    def _values(counts: Mapping[str, float]) -> tuple[Mapping[str, float], float]:
        return counts, sum(counts.values())


_Kind = TypeVar("_Kind", bound=Linear)


def _fitted(cls: type[_Kind], model: Any, examples: ExamplePages, settings: ClassifierSettings) -> _Kind:
    model.fit(damped(examples.tf), examples.is_relevant, sample_weight=examples.weights)
    weights = np.asarray(model.coef_[0], dtype=np.float64)
    kept = np.flatnonzero(weights)  # a fold lacks the terms of other folds
    intercept = float(model.intercept_[0])
    return cls(examples.terms[kept].tolist(), weights[kept], intercept, settings.section_weights)


def damped(tf: Matrix) -> Matrix:
    """Return 1 + ln tf, each row scaled to length 1."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - loads slowly

    values = tf.copy()
    values.data = 1.0 + np.log(values.data)
    lengths = np.sqrt(np.asarray(values.multiply(values).sum(axis=1), dtype=np.float64).ravel())
    return csr_array(values.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]))
