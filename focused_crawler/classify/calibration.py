"""From a classifier's scores to relevances that mean what they say."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from focused_crawler.classify.platt import PlattScaling
from focused_crawler.text.selection import Vector


def fit_platt(scores: Vector, is_relevant: NDArray[np.bool_]) -> PlattScaling:
    """Fit to scores of held-out pages, of which some are relevant and some are not.

    Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2) stand for 1 and 0: without them, perfectly separated
    scores would have no finite slope.
    """
    centre, spread = float(scores.mean()), float(scores.std()) or 1.0
    relevant = int(is_relevant.sum())
    share = np.where(is_relevant, (relevant + 1) / (relevant + 2), 1 / (len(scores) - relevant + 2))
    rows = np.tile((scores - centre) / spread, 2)[:, np.newaxis]
    labels = np.repeat([1, 0], len(scores))
    fitted = LogisticRegression(C=np.inf).fit(rows, labels, sample_weight=np.concatenate([share, 1 - share]))
    slope = float(fitted.coef_[0, 0]) / spread
    if slope <= 0:  # the scores say nothing, or the contrary: every page is as relevant as the average
        return PlattScaling(0.0, math.log(share.sum() / (1 - share).sum()))
    return PlattScaling(slope, float(fitted.intercept_[0]) - slope * centre)


def expected_calibration_error(relevances: Vector, is_relevant: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the mean gap between relevance and share of relevant pages over equal bins; 0 is best."""
    index = np.minimum((relevances * bins).astype(int), bins - 1)
    gaps = np.bincount(index, weights=relevances - is_relevant, minlength=bins)
    return float(np.abs(gaps).sum() / len(relevances))
