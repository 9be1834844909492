"""The forward steps of a hidden Markov model along a path of pages (Batsakis et al. 2009, Eq. 5 and 6)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from hmmlearn.hmm import CategoricalHMM

Levels: TypeAlias = tuple[float, ...]
"""a(L_0, t), a(L_1, t), ...: what the path so far says of how far its last page is from a relevant one."""


_MOST_LEVEL = 1.01  # they are probabilities, rounded


class Forward:
    """Goes along paths page by page. A path's state is a few numbers, so that each URL can carry its own.

    The levels of Eq. 5 are probabilities of all that was seen: they shrink with each page, to 0 after some
    hundreds. From there on all pages of the path are equal, and last.
    """

    def __init__(self, chain: CategoricalHMM, *, is_normalised: bool = False) -> None:
        """`is_normalised`: levels sum to 1 after each page (ours), else they are Eq. 5 as printed."""
        self._start: Levels = tuple(chain.startprob_.tolist())
        self._into: list[list[float]] = chain.transmat_.T.tolist()  # a_ij by j
        self._emission: list[list[float]] = chain.emissionprob_.T.tolist()  # b_j,c by c
        self._is_normalised = is_normalised
        self._format = f"<{len(self._start)}d"

    def follow(self, levels: Levels, cluster: int | None) -> Levels:
        """Return the levels of a page (Eq. 5), given those of the page that led to it.

        `cluster` None: the page tells nothing, and only the step counts.
        """
        ahead = self.ahead(levels)
        if cluster is None:
            return ahead
        seen = tuple(b * a for b, a in zip(self._emission[cluster], ahead, strict=True))
        total = sum(seen)
        if not self._is_normalised or total <= 0:
            return seen
        return tuple(level / total for level in seen)

    def ahead(self, levels: Levels) -> Levels:
        """Return P(L_j, t+1) of the pages that a page leads to (Eq. 6)."""
        return tuple(sum(map(float.__mul__, levels, column)) for column in self._into)

    def priority(self, levels: Levels) -> float:
        """Return P(L0, t+1) in [0, 1] (Eq. 6)."""
        return min(self.ahead(levels)[0], 1.0)

    def further(self, levels: Levels) -> float:
        """Return P(L0, t+2) in [0, 1], by which ties are broken."""
        return min(self.ahead(self.ahead(levels))[0], 1.0)

    def pack(self, levels: Levels) -> bytes:
        """Return levels as a URL carries them."""
        return struct.pack(self._format, *levels)

    def unpack(self, path: bytes | None) -> Levels:
        """Return levels that were packed; those of the start, pi, for a seed and a path of another model."""
        if path is None or len(path) != struct.calcsize(self._format):
            return self._start
        levels = struct.unpack(self._format, path)
        return levels if all(0.0 <= level <= _MOST_LEVEL for level in levels) else self._start
