"""How good a classifier is on pages it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import expected_calibration_error
from focused_crawler.classify.settings import DEFAULT_THRESHOLD
from focused_crawler.metrics.classification import ConfusionMatrix
from focused_crawler.text.selection import Vector


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of the quality table."""

    name: str
    relevant: int  # held-out pages that are
    other: int
    precision: float
    recall: float
    f1: float
    calibration_error: float  # expected, ten bins

    @classmethod
    def of(
        cls, name: str, is_relevant: NDArray[np.bool_], decided: NDArray[np.bool_], relevances: Vector
    ) -> Self:
        """Compare decisions and relevances with the truth."""
        matrix = ConfusionMatrix.from_pairs(zip(decided.tolist(), is_relevant.tolist(), strict=True))
        relevant = int(is_relevant.sum())
        return cls(
            name=name,
            relevant=relevant,
            other=len(is_relevant) - relevant,
            precision=matrix.precision,
            recall=matrix.recall,
            f1=matrix.f_beta(),
            calibration_error=expected_calibration_error(relevances, is_relevant),
        )


def best_f1_threshold(relevances: Vector, is_relevant: NDArray[np.bool_]) -> float:
    """Return the threshold of 0.5 or more with the highest F1, half-way between two relevances.

    Examples hold far more relevant pages than the web does, so their own best threshold may lie lower, where
    on the web most would be wrong. Ties: the nearest 0.5.

    >>> best_f1_threshold(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True]))
    0.5
    """
    levels = np.unique(relevances)
    middles = np.concatenate([levels[:1], (levels[:-1] + levels[1:]) / 2])
    thresholds = np.maximum(middles, DEFAULT_THRESHOLD)
    return float(max(thresholds, key=lambda threshold: _preference(threshold, relevances, is_relevant)))


def _preference(threshold: float, relevances: Vector, is_relevant: NDArray[np.bool_]) -> tuple[float, float]:
    decided = relevances >= threshold
    f1 = (
        2
        * np.count_nonzero(decided & is_relevant)
        / (np.count_nonzero(decided) + np.count_nonzero(is_relevant))
    )
    return f1, -abs(threshold - DEFAULT_THRESHOLD)
