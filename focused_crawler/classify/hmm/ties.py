"""The order of pages by P(L0, t+1), with P(L0, t+2) for ties (Batsakis et al. 2009, section 3.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

REMEMBERED = 4096
"""So many of the last pairs of probabilities are known: 96 KB, and a millisecond for each that is new."""


class _Place(NamedTuple):
    number: float
    one: float  # P(L0, t+1)
    two: float  # P(L0, t+2)


class TieOrder:
    """Gives pages numbers whose order is the paper's rule, for a frontier that orders by one number.

    The rule: of two pages whose P(L0, t+1) differ by less than epsilon the one with the higher P(L0, t+2)
    comes first, else the one with the higher P(L0, t+1). It is no order by itself: a may come before b, b
    before c and c before a. Our reading: a page's number is its P(L0, t+1) where that is right beside all
    numbers given before, else one between two of them where the fewest pairs are against the rule. So all
    pairs are right but those on such a circle. Pages come in few kinds, one for each path of clusters.
    """

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon
        self._places: list[_Place] = []  # lowest first
        self._numbers: dict[tuple[float, float], float] = {}

    def add(self, one: float, two: float) -> None:
        """Let a page's number count for those that come after it."""
        if not self._epsilon or (one, two) in self._numbers:
            return
        if len(self._numbers) >= REMEMBERED:
            for pair in list(self._numbers)[: REMEMBERED // 2]:
                del self._numbers[pair]
            self._places = [place for place in self._places if place[1:] in self._numbers]
        at, number = self._find(one, two)
        self._places.insert(at, _Place(number, one, two))
        self._numbers[one, two] = number

    def number(self, one: float, two: float) -> float:
        """Return a page's number in [0, 1]: its P(L0, t+1), moved by some epsilon at most for ties."""
        known = self._numbers.get((one, two)) if self._epsilon else one
        return self._find(one, two)[1] if known is None else known

    def to_bytes(self) -> bytes:
        """Return the numbers given so far, 24 bytes each."""
        rows = [(*pair, number) for pair, number in self._numbers.items()]
        return np.array(rows, dtype="<f8").tobytes()

    def restore(self, content: bytes) -> None:
        """Go on from what `to_bytes` wrote; raises ValueError."""
        rows = np.frombuffer(content, dtype="<f8").reshape(-1, 3)
        if not ((rows >= 0) & (rows <= 1)).all():
            raise ValueError("its numbers are no probabilities")
        found = rows[-REMEMBERED:].tolist()
        self._numbers = {(one, two): number for one, two, number in found}
        self._places = sorted(_Place(number, *pair) for pair, number in self._numbers.items())

    def _find(self, one: float, two: float) -> tuple[int, float]:
        """Return where a page belongs, and its number there."""
        wrong = [0]  # pairs against the rule, less those at the bottom, before each place and at the top
        for _, other, further in self._places:
            is_near = abs(other - one) < self._epsilon
            is_below = (further, other) < (two, one) if is_near else other < one
            wrong.append(wrong[-1] + (-1 if is_below else 1))
        fewest = min(wrong)
        gaps = ((*self._gap(at), at) for at, pairs in enumerate(wrong) if pairs == fewest)
        low, high, at = min(gaps, key=lambda gap: max(gap[0] - one, one - gap[1]))
        if low < one < high:
            return at, one
        if one >= high:
            return at, (max(low, high - self._epsilon, 0.0) + high) / 2
        return at, (low + min(high, low + self._epsilon, 1.0)) / 2

    def _gap(self, at: int) -> tuple[float, float]:
        """Return the numbers on either side of a place; those at the ends are beyond all probabilities."""
        places = self._places
        return places[at - 1].number if at else -1.0, places[at].number if at < len(places) else 2.0
