"""Precision, recall, F and accuracy of a yes-or-no decision, compared with the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts (or weights) of decisions. A ratio whose denominator is 0 is 0.

    >>> matrix = ConfusionMatrix(true_positive=6, false_positive=2, false_negative=4, true_negative=8)
    >>> matrix.precision, matrix.recall, matrix.accuracy, round(matrix.f_beta(), 4)
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

    def f_beta(self, beta: float = 1.0) -> float:
        """(beta^2 + 1) P R / (beta^2 P + R): recall counts `beta` times as much as precision."""
        square = beta * beta
        return _ratio((square + 1) * self.precision * self.recall, square * self.precision + self.recall)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
