"""Platt scaling (Platt 1999): from a classifier's score to a relevance. Training fits it, see calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlattScaling:
    """relevance = 1 / (1 + exp(-(slope * score + intercept))); never falls as the score rises."""

    slope: float  # >= 0
    intercept: float

    def __call__(self, score: float) -> float:
        """Return a relevance in [0, 1].

        >>> PlattScaling(2.0, -1.0)(0.5)
        0.5
        """
        return sigmoid(self.slope * score + self.intercept)


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
