"""How good a classifier is on pages it did not learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import expected_calibration_error
from focused_crawler.classify.held_out import HeldOutPage
from focused_crawler.page.text.weighting import Vector


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts (or weights) of decisions. A ratio whose denominator is 0 is 0.

    >>> matrix = ConfusionMatrix(true_positive=6, false_positive=2, false_negative=4, true_negative=8)
    >>> matrix.precision, matrix.recall, matrix.accuracy, round(matrix.f1, 4)
    (0.75, 0.6, 0.7, 0.6667)
    """

    true_positive: float = 0
    false_positive: float = 0
    false_negative: float = 0
    true_negative: float = 0

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[bool, bool]]) -> Self:
        """Count pairs of (what was decided, what is true)."""
        count = Counter((bool(decided), bool(truth)) for decided, truth in pairs)
        return cls(count[True, True], count[True, False], count[False, True], count[False, False])

    @property
    def total(self) -> float:
        """All decisions."""
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative

    @property
    def precision(self) -> float:
        """Share of the yeses that are right."""
        return _ratio(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float:
        """Share of the true that got a yes."""
        return _ratio(self.true_positive, self.true_positive + self.false_negative)

    @property
    def accuracy(self) -> float:
        """Share of all decisions that are right."""
        return _ratio(self.true_positive + self.true_negative, self.total)

    @property
    def f1(self) -> float:
        """2 P R / (P + R): the harmonic mean of precision and recall."""
        return _ratio(2 * self.precision * self.recall, self.precision + self.recall)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


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
            f1=matrix.f1,
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


BINS = 10
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Bin(NamedTuple):
    """Held-out pages of about the same relevance."""

    low: float
    high: float
    pages: int
    share: float  # of all pages that will be judged, these stand for so many
    said: float  # mean relevance
    true: float  # share that is relevant


def reliability(pages: Sequence[HeldOutPage]) -> list[Bin]:
    """Return the bins of relevance that hold any page, lowest first, weighted as the report's figures are."""
    bins: list[list[HeldOutPage]] = [[] for _ in range(BINS)]
    for page in pages:
        bins[min(int(page.relevance * BINS), BINS - 1)].append(page)
    return [_bin(number, held) for number, held in enumerate(bins) if held]


def _bin(number: int, pages: Sequence[HeldOutPage]) -> Bin:
    share = sum(page.share for page in pages)
    said = sum(page.share * page.relevance for page in pages) / share
    true = sum(page.share for page in pages if page.is_relevant) / share
    return Bin(number / BINS, (number + 1) / BINS, len(pages), share, said, true)


def at_thresholds(pages: Sequence[HeldOutPage]) -> list[ReportRow]:
    """Return how good decisions would be by each of `THRESHOLDS`, which names the row."""
    truth = np.array([page.is_relevant for page in pages], dtype=np.bool_)
    relevances = np.array([page.relevance for page in pages])
    shares = np.array([page.share for page in pages])
    return [
        ReportRow.of(f"{threshold:.1f}", truth, relevances >= threshold, relevances, shares)
        for threshold in THRESHOLDS
    ]
