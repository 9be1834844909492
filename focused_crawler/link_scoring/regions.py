"""A tree that parts points into regions whose rewards are alike (Tree-Frontier; Kontogiannis et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST = 5
"""Rewarded points that a region needs to be parted."""

DEEPEST = 18

MOST = 1_024
"""Regions that there may be, with those that were parted."""


class Cut(NamedTuple):
    """Where a region is parted: points up to a value of a feature, and the others."""

    feature: int
    value: float


class Regions:
    """Region 0 is all; each is parted once, into two further ones."""

    def __init__(self) -> None:
        self._feature = np.full(1, -1, np.int16)  # -1: it is a leaf
        self._value = np.zeros(1, np.float32)
        self._first = np.zeros(1, np.int16)  # of its two parts
        self._depth = np.zeros(1, np.int16)

    def __len__(self) -> int:
        return len(self._feature)

    def of(self, points: NDArray[np.float32]) -> NDArray[np.int16]:
        """Return the region of each point."""
        found = np.zeros(len(points), np.int16)
        at = np.arange(len(points))
        for _ in range(int(self._depth.max())):
            feature = self._feature[found]
            beyond = points[at, np.maximum(feature, 0)] > self._value[found]
            found = np.where(feature >= 0, self._first[found] + beyond, found).astype(np.int16)
        return found

    def can_part(self, region: int) -> bool:
        """Tell whether a region is not too deep, nor are there too many."""
        return bool(self._depth[region] < DEEPEST) and len(self) + 2 <= MOST

    def part(self, region: int, cut: Cut) -> None:
        self._feature[region], self._value[region] = cut
        self._first[region] = len(self)
        depth = self._depth[region] + 1
        self._feature = np.append(self._feature, np.full(2, -1, np.int16))
        self._value = np.append(self._value, np.zeros(2, np.float32))
        self._first = np.append(self._first, np.zeros(2, np.int16))
        self._depth = np.append(self._depth, np.full(2, depth, np.int16))

    def content(self) -> dict[str, NDArray[Any]]:
        """Return all that there is, an array each; `load` takes it back."""
        return {
            "feature": self._feature, "value": self._value, "first": self._first, "depth": self._depth
        }  # fmt: skip

    def load(self, content: Mapping[str, NDArray[Any]]) -> None:
        """Become what `content` says."""
        self._value = np.array(content["value"], np.float32)
        self._feature, self._first, self._depth = (
            np.array(content[name], np.int16) for name in ("feature", "first", "depth")
        )


def best_cut(points: NDArray[np.float32], rewards: NDArray[Any]) -> Cut | None:
    """Return the cut that leaves least variance of rewards; None: no cut leaves less than there is.

    >>> best_cut(np.array([[1, 0], [1, 1], [1, 2], [1, 3]], np.float32), np.array([0, 0, 1, 1]))
    Cut(feature=1, value=1.0)
    """
    count, total = len(rewards), float(rewards.sum())
    best, gain = None, 1e-9 + total**2 / count
    for feature in range(points.shape[1]):
        order = np.argsort(points[:, feature], kind="stable")
        values = points[order, feature]
        below = np.cumsum(rewards[order])[:-1]
        left = np.arange(1, count)
        gains = below**2 / left + (total - below) ** 2 / (count - left)
        gains[values[1:] == values[:-1]] = -np.inf
        at = int(gains.argmax())
        if gains[at] > gain:
            best, gain = Cut(feature, float(values[at])), float(gains[at])
    return best
