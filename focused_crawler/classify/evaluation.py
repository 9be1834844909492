"""How good a classifier is on pages it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import expected_calibration_error
from focused_crawler.metrics.classification import ConfusionMatrix
from focused_crawler.text.selection import Vector


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of the quality table; its figures are those of pages of which a given share is relevant."""

    name: str
    relevant: int  # held-out pages that are
    other: int
    precision: float
    recall: float
    f1: float
    calibration_error: float  # expected, ten bins

    @classmethod
    def of(
        cls,
        name: str,
        is_relevant: NDArray[np.bool_],
        decided: NDArray[np.bool_],
        relevances: Vector,
        weights: Vector | None = None,
    ) -> Self:
        """Compare decisions and relevances with the truth; `weights`: how many pages each stands for."""
        counts = np.ones(len(is_relevant)) if weights is None else weights
        matrix = ConfusionMatrix(
            true_positive=float(counts[decided & is_relevant].sum()),
            false_positive=float(counts[decided & ~is_relevant].sum()),
            false_negative=float(counts[~decided & is_relevant].sum()),
            true_negative=float(counts[~decided & ~is_relevant].sum()),
        )
        relevant = int(is_relevant.sum())
        return cls(
            name=name,
            relevant=relevant,
            other=len(is_relevant) - relevant,
            precision=matrix.precision,
            recall=matrix.recall,
            f1=matrix.f_beta(),
            calibration_error=expected_calibration_error(relevances, is_relevant, counts),
        )


def cost_threshold(false_positive_cost: float) -> float:
    """Return the relevance from which on taking a page costs less than leaving it, where a miss costs 1.

    It holds for relevances that are probabilities (Elkan 2001).

    >>> cost_threshold(1.0), cost_threshold(3.0)
    (0.5, 0.75)
    """
    return false_positive_cost / (1.0 + false_positive_cost)


def f1_threshold(relevances: Vector, weights: Vector) -> float:
    """Return the threshold of the best F1 that calibrated relevances lead to expect: the lowest one taken.

    Each page counts as relevant to the degree of its relevance, not by its label: with a few dozen examples,
    of which each other page stands for a hundred of the web, the F1 of labels hangs on one or two of them.

    >>> f1_threshold(np.array([0.1, 0.4, 0.9]), np.ones(3))
    0.4
    """
    order = np.argsort(-relevances, kind="stable")
    hoped, taken = np.cumsum((weights * relevances)[order]), np.cumsum(weights[order])
    best = int(np.argmax(2 * hoped / (taken + hoped[-1])))
    return float(relevances[order][best])
