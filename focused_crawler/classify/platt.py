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
