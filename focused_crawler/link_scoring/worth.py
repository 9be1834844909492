"""What a link is worth to the order that learns: the formula of its priority, in numbers and for people."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.groups import GroupSums
from focused_crawler.link_scoring.weights import Weights

LASTING = 0.6
"""Share of what a link says that outcomes do not take the place of."""

MIDDLE, STEEP = 1.0, 2.0
"""Of the curve that makes a priority in [0, 1] of a sum."""


class Worth(NamedTuple):
    """What the priorities of some URLs are made of, an array each."""

    weights: Weights
    pages: NDArray[np.float64]  # relevance to expect by the pages that hold a link
    link: NDArray[np.float64]  # by the link classifier
    likeness: NDArray[np.float64]
    way: NDArray[np.float64]  # through a directory; 0: none
    brought: GroupSums
    weight: Any  # in pages, of all these: pages, link and what was brought
    wording: NDArray[np.float64]  # how much more than expected links of the same words have brought
    fresh: NDArray[np.float64]  # share of its worth that a further page of the site has

    @property
    def expected(self) -> Any:
        """Relevance to expect."""
        pages, link = self.weights.pages * self.pages, self.weights.link * self.link
        return (pages + link + self.brought.relevance.sum(axis=1)) / self.weight + self.wording

    @property
    def bonus(self) -> Any:
        """What the words of the link are worth beside it."""
        prior = self.weights.pages + self.weights.link
        return self.likeness * (LASTING + (1.0 - LASTING) * prior / self.weight)

    @property
    def are_ways(self) -> NDArray[np.bool_]:
        """Which links are worth more as a way through a directory than by all else."""
        ways: NDArray[np.bool_] = self.way > self._by_itself(self.expected)
        return ways

    def priorities(self, expected: NDArray[Any]) -> NDArray[np.float64]:
        """Return the priorities, in [0, 1], where so much relevance is expected (as it is stored)."""
        worth = np.maximum(self._by_itself(expected), self.way)
        priorities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-STEEP * (worth - MIDDLE)))
        return priorities

    def parts(self) -> Parts:
        """Return what makes the priority of the first URL; for people to read."""
        if self.are_ways[0]:
            way = {"way_through_a_directory": float(self.way[0])}
            return Parts(f"sigmoid({STEEP:g} * (way_through_a_directory - {MIDDLE:g}))", way, {})
        kinds = ("by_place", "by_host", "by_folder")
        brought, weights = (dict(zip(kinds, values[0].tolist(), strict=True)) for values in self.brought)
        pages, link = self.weights.pages, self.weights.link
        weights = {"pages": pages, "link": link, **weights}
        values = {
            "pages": float(self.pages[0]),
            "link": float(self.link[0]),
            "brought": sum(brought.values()),
            "weight": sum(weights.values()),
            "wording": float(self.wording[0]),
            "likeness": float(self.likeness[0]),
        }
        worth = (
            f"({pages:g} * pages + {link:g} * link + brought) / weight + wording"
            f" + likeness * ({LASTING:g} + {(1 - LASTING) * (pages + link):g} / weight)"
        )
        if self.weights.site:
            values["fresh"], worth = float(self.fresh[0]), f"fresh * ({worth})"
        sums = {"brought": brought, "weight": weights}
        return Parts(f"sigmoid({STEEP:g} * (max({worth}, 0) - {MIDDLE:g}))", values, sums)

    def _by_itself(self, expected: NDArray[Any]) -> Any:
        """Return what the pages are worth, not what lies behind them: none is below 0."""
        return np.maximum(self.fresh * (expected + self.bonus), 0.0)
