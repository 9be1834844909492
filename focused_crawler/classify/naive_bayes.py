"""Naive Bayes on term weights, in log space (Lu et al. 2016, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.settings import Exponent
from focused_crawler.text.selection import Labels, Vector
from focused_crawler.text.vocabulary import Matrix


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
