"""Naive Bayes on term weights in log space, and the page classifier of Lu et al. 2016 (section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import Evidence, ExamplePages, MethodState
from focused_crawler.classify.model_file import number, numbers, words
from focused_crawler.classify.settings import ClassifierSettings, Exponent
from focused_crawler.page.model import Page
from focused_crawler.page.text.selection import (
    Labels,
    Matrix,
    Vector,
    document_frequencies,
    keep_highest,
    mutual_information,
)
from focused_crawler.page.text.weighting import (
    information_gain,
    inverse_document_frequency,
    itfidf,
    section_counts,
)


@dataclass(frozen=True)
class NaiveBayes:
    """log P(C|d) ~ log P(C) + sum over the terms of d of w_dt log P(t|C), for any number of classes."""

    classes: NDArray[Any]  # ascending
    log_prior: Vector
    log_likelihood: NDArray[np.float64]  # classes x terms

    @classmethod
    def fit(cls, weights: Matrix, labels: Labels) -> Self:
        """Learn P(t|C) = (1 + weight of t in C) / (terms + weight of all terms in C) and P(C)."""
        classes, sizes = np.unique(labels, return_counts=True)
        sums = np.vstack([np.asarray(weights[labels == name].sum(axis=0)).ravel() for name in classes])
        smoothed = 1.0 + sums
        totals = np.maximum(
            smoothed.sum(axis=1, keepdims=True), 1.0
        )  # below 1 only if there is no term at all
        likelihood = np.log(smoothed) - np.log(totals)
        return cls(classes, np.log(sizes / sizes.sum()), likelihood)

    def joint(self, weights: Mapping[int, float], exponent: Exponent = "weight") -> Vector:
        """Return log P(C) + log P(d|C) of each class for one document's weights by column.

        The exponent "one" counts each term of the document once, whatever its weight.
        """
        columns = list(weights)
        powers = np.ones(len(columns)) if exponent == "one" else np.fromiter(weights.values(), np.float64)
        return np.asarray(self.log_prior + self.log_likelihood[:, columns] @ powers)

    def log_ratio(self, name: object) -> tuple[float, Vector]:
        """Return what two classes need: the log of prior and likelihoods of `name` over the other's."""
        one = int(np.flatnonzero(self.classes == name)[0])
        other = 1 - one
        prior = float(self.log_prior[one] - self.log_prior[other])
        return prior, self.log_likelihood[one] - self.log_likelihood[other]


@dataclass(frozen=True)
class LuClassifier:
    """What was learnt, a value a kept term; it scores a page in plain Python, over the page's own terms."""

    uses_background: ClassVar[bool] = False  # the paper has none

    settings: ClassifierSettings
    terms: Sequence[str]
    idf: Vector
    gain: Vector
    log_prior_ratio: float  # log P(relevant) / P(other)
    log_ratio: Vector  # log P(t | relevant) / P(t | other)
    _rows: dict[str, tuple[float, float]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured = self.idf * self.gain if self.settings.ig_in_norm else self.idf
        is_one = self.settings.exponent == "one"
        evidence = self.log_ratio if is_one else self.idf * self.gain * self.log_ratio
        rows = dict(zip(self.terms, zip(measured.tolist(), evidence.tolist(), strict=True), strict=True))
        self._rows.update(rows)

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        frequencies = document_frequencies(examples.raw)
        information = mutual_information(examples.raw, examples.is_relevant)
        kept = keep_highest(information, frequencies, settings.mi_terms, settings.mi_min_df)
        raw, terms = examples.raw[:, kept], examples.terms[kept]
        idf = inverse_document_frequency(raw)
        gain = information_gain(raw, examples.is_relevant, settings.information_gain)
        weights = itfidf(examples.tf[:, kept], idf, gain, ig_in_norm=settings.ig_in_norm)
        prior, ratio = NaiveBayes.fit(weights, examples.is_relevant).log_ratio(True)
        return cls(settings, terms.tolist(), idf, gain, prior, ratio)

    @classmethod
    def restore(cls, state: MethodState, settings: ClassifierSettings) -> Self:
        terms = words(state.arrays["terms"])
        idf, gain, ratio = (numbers(state.arrays[name], len(terms)) for name in ("idf", "gain", "log_ratio"))
        return cls(settings, terms, idf, gain, number(state.values["log_prior_ratio"]), ratio)

    def state(self) -> MethodState:
        terms = np.array(self.terms, dtype=np.str_)
        arrays = {"terms": terms, "idf": self.idf, "gain": self.gain, "log_ratio": self.log_ratio}
        return MethodState({"log_prior_ratio": self.log_prior_ratio}, arrays)

    def log_odds(self, page: Page) -> float | None:
        evidence = self.evidence(page)
        return evidence.bias + sum(evidence.terms.values()) if evidence.terms else None

    def evidence(self, page: Page) -> Evidence:
        tf = section_counts(page.sections, self.settings.section_weights)
        return Evidence(self._evidence(tf), self.log_prior_ratio, "log odds")

    def _evidence(self, tf: Mapping[str, float]) -> dict[str, float]:
        """Return w_dt * log P(t|relevant) / P(t|other) of each known term, given section-weighted counts."""
        rows = self._rows
        known = [(term, count, *rows[term]) for term, count in tf.items() if term in rows]
        if self.settings.exponent == "one":
            return {term: evidence for term, _, _, evidence in known}
        length = math.sqrt(sum((count * measured) ** 2 for _, count, measured, _ in known))
        scale = 1.0 / length if length > 0 else 0.0
        return {term: count * evidence * scale for term, count, _, evidence in known}
