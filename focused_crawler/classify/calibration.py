"""Calibration: from a classifier's scores to relevances that are probabilities (Platt 1999)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.text.weighting import Vector

_BINS = 10


class Bend(NamedTuple):
    """How log odds become relevances: below 0 they count `below` times, and no relevance is above `most`."""

    below: float = 1.0
    most: float = 1.0

    def relevance(self, odds: float) -> float:
        """Return a relevance in [0, 1]; of log odds.

        >>> Bend(2.0, 0.98).relevance(0.0), Bend(2.0, 0.98).relevance(1e9)
        (0.5, 0.98)
        """
        if odds < 0:
            return sigmoid(self.below * odds)
        return 0.5 + (2 * self.most - 1) * (sigmoid(odds) - 0.5)

    def log_odds(self, relevance: float) -> float:
        """Return the log odds that have this relevance.

        >>> round(Bend(2.0, 0.98).log_odds(Bend(2.0, 0.98).relevance(-1.5)), 6)
        -1.5
        """
        if relevance < 0.5:
            return log_odds(relevance) / self.below
        return log_odds(0.5 + (relevance - 0.5) / (2 * self.most - 1))

    def factor(self, odds: float) -> float:
        """Return by what log odds are multiplied to be those of their relevance.

        >>> Bend(2.5).factor(-1.0), Bend(2.5).factor(1.0)
        (2.5, 1.0)
        """
        if odds < 0:
            return self.below
        return 1.0 if self.most == 1 or not odds else log_odds(self.relevance(odds)) / odds


STRAIGHT = Bend()


@dataclass(frozen=True, slots=True)
class PlattScaling:
    """relevance = 1 / (1 + exp(-(slope * score + intercept))), bent; never falls as the score rises."""

    slope: float  # >= 0
    intercept: float
    bend: Bend = STRAIGHT

    def __call__(self, score: float) -> float:
        """Return a relevance in [0, 1].

        >>> PlattScaling(2.0, -1.0)(0.5)
        0.5
        """
        return self.bend.relevance(self.slope * score + self.intercept)


def sigmoid(value: float) -> float:
    """Return 1 / (1 + exp(-value)) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    power = math.exp(value)
    return power / (1.0 + power)


def log_odds(share: float) -> float:
    """Return ln(s / (1 - s)) of a share in [0, 1]; of 0 and 1 those of a billionth."""
    inside = min(max(share, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def fit_platt(scores: Vector, is_relevant: NDArray[np.bool_], weights: Vector | None = None) -> PlattScaling:
    """Fit to scores of held-out pages, of which some are relevant and some are not; `weights` say how many
    pages each stands for.

    Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2) stand for 1 and 0: without them, perfectly separated
    scores would have no finite slope.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (it loads slowly; crawls fit nothing)

    counts = np.ones(len(scores)) if weights is None else weights
    centre, spread = float(scores.mean()), float(scores.std()) or 1.0
    relevant = int(is_relevant.sum())
    share = np.where(is_relevant, (relevant + 1) / (relevant + 2), 1 / (len(scores) - relevant + 2))
    rows = np.tile((scores - centre) / spread, 2)[:, np.newaxis]
    labels = np.repeat([1, 0], len(scores))
    both = np.concatenate([counts * share, counts * (1 - share)])
    fitted = LogisticRegression(C=np.inf).fit(rows, labels, sample_weight=both)
    slope = float(fitted.coef_[0, 0]) / spread
    if slope <= 0:  # the scores say nothing, or the contrary: every page is as relevant as the average
        return PlattScaling(0.0, log_odds(float((counts * share).sum() / counts.sum())))
    return PlattScaling(slope, float(fitted.intercept_[0]) - slope * centre)


def for_share(scaling: PlattScaling, learnt: float, expected: float) -> PlattScaling:
    """Return a scaling learnt where a share `learnt` of the pages was relevant, for where `expected` is.

    By Bayes' rule both classes look as they did, and only their odds are others (Saerens et al. 2002).

    >>> round(for_share(PlattScaling(1.0, 0.0), learnt=0.5, expected=0.1)(0.0), 6)
    0.1
    """
    return replace(scaling, intercept=scaling.intercept + log_odds(expected) - log_odds(learnt))


def shares(is_relevant: NDArray[np.bool_], weights: Vector, relevant_share: float) -> Vector:
    """Return weights that sum to 1, those of relevant pages to `relevant_share`; there must be both kinds."""
    relevant, other = weights[is_relevant].sum(), weights[~is_relevant].sum()
    scale = np.where(is_relevant, relevant_share / relevant, (1 - relevant_share) / other)
    return np.asarray(weights * scale, dtype=np.float64)


def expected_calibration_error(
    relevances: Vector, is_relevant: NDArray[np.bool_], weights: Vector | None = None
) -> float:
    """Return the mean gap between relevance and share of relevant pages over equal bins; 0 is best."""
    counts = np.ones(len(relevances)) if weights is None else weights
    index = np.minimum((relevances * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(index, weights=counts * (relevances - is_relevant), minlength=_BINS)
    return float(np.abs(gaps).sum() / counts.sum())
