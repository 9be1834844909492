"""The definition that fast ways to the same are held to."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of two weighted sets of terms, 0 if either has no length."""
    lengths = hypot(*one.values()) * hypot(*other.values())
    return sum(weight * other.get(term, 0.0) for term, weight in one.items()) / lengths if lengths else 0.0
