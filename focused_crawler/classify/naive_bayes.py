"""Naive Bayes on term weights in log space, and the page classifier of Lu et al. 2016 (section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import Evidence, ExamplePages, MethodState
from focused_crawler.classify.model_file import number, numbers, words
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import (
    Matrix,
    Vector,
    document_frequencies,
    information_gain,
    inverse_document_frequency,
    itfidf,
    keep_highest,
    mutual_information,
    section_counts,
)


def naive_bayes_ratio(weights: Matrix, is_relevant: NDArray[np.bool_]) -> tuple[float, Vector]:
    """Return log P(relevant) / P(other), and log P(t | relevant) / P(t | other) of each term t.

    P(t | C) = (1 + weight of t in C) / (terms + weight of all terms in C).
    """
    classes = (is_relevant, ~is_relevant)
    relevant, other = (1.0 + np.asarray(weights[rows].sum(axis=0)).ravel() for rows in classes)
    relevant, other = (np.log(sums) - np.log(max(sums.sum(), 1.0)) for sums in (relevant, other))
    prior, prior_of_others = (np.log(rows.mean()) for rows in classes)
    return float(prior - prior_of_others), relevant - other


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
        prior, ratio = naive_bayes_ratio(weights, examples.is_relevant)
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
        """Return w_dt * log P(t|relevant) / P(t|other) of each known term."""
        rows = self._rows
        tf = section_counts(page.sections, self.settings.section_weights)
        known = [(term, count, *rows[term]) for term, count in tf.items() if term in rows]
        if self.settings.exponent == "one":
            terms = {term: evidence for term, _, _, evidence in known}
        else:
            length = math.sqrt(sum((count * measured) ** 2 for _, count, measured, _ in known))
            scale = 1.0 / length if length > 0 else 0.0
            terms = {term: count * evidence * scale for term, count, _, evidence in known}
        return Evidence(terms, self.log_prior_ratio, "log odds")
