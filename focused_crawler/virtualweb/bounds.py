"""How good any crawl of a web can be: the bounds that runs are measured against (docs/bounds.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.oracles import greedy, one_step
from focused_crawler.virtualweb.paths import UNREACHED, CheapestPaths, Mask, Pages

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What any crawl of a setting can reach (formulas of section 7), as R(n) for n = 0..budget."""

    targets: int  # |T|, reachable or not
    upper: Counts  # no crawl is above it
    greedy: Counts  # knows the whole web, and is one that can be crawled
    one_step: Counts  # knows the relevance of what it may fetch next, and no more


def bounds(graph: LinkGraph, seeds: Iterable[int | None], relevant: Mask, budget: int) -> Bounds:
    """Return what a crawl of `budget` pages can reach from these seeds.

    Seeds are page numbers; None, a seed that the web does not have, is left out.
    """
    start = np.unique(np.array([seed for seed in seeds if seed is not None], dtype=np.int64))
    costs = target_costs(graph, start, relevant)
    return Bounds(
        targets=len(costs),
        upper=upper(costs, budget),
        greedy=_counts(greedy(graph, start, relevant, budget), relevant, budget),
        one_step=_counts(one_step(graph, start, relevant, budget), relevant, budget),
    )


def target_costs(graph: LinkGraph, seeds: Pages, relevant: Mask) -> NDArray[np.int64]:
    """Return c(t) of each relevant page: the fewest irrelevant pages on any path to it from the seeds.

    `UNREACHED` for those that no path leads to.
    """
    paths = CheapestPaths(graph, relevant)
    paths.begin_at(seeds)
    return paths.costs[relevant]


def upper(costs: NDArray[np.int64], budget: int) -> Counts:
    """Return the most relevant pages that n pages can hold, for n = 0..budget: formulas, section 7.

    The maximum over k of min(n - k, relevant pages with c(t) <= k) lies where the second passes the first.

    >>> upper(np.array([0, 2, 2]), 6).tolist()
    [0, 1, 1, 1, 2, 3, 3]
    """
    reached = np.cumsum(np.bincount(costs[costs < UNREACHED], minlength=1))
    pages = np.arange(budget + 1)
    crossing = np.searchsorted(reached + np.arange(len(reached)), pages)
    counts: Counts = np.minimum(pages - crossing, reached[-1])
    return counts


def area_share(relevant: Counts, best: Counts, budget: int) -> float:
    """Return the area under R(n) over n = 1..budget as a share of that under another; 0 if that has none."""
    whole = int(best[1 : budget + 1].sum())
    return int(relevant[1 : budget + 1].sum()) / whole if whole else 0.0


def _counts(order: Sequence[int], relevant: Mask, budget: int) -> Counts:
    """Return R(n) for n = 0..budget of pages in the order fetched."""
    hits = np.zeros(budget + 1, dtype=np.int64)
    hits[1 : len(order) + 1] = relevant[order]
    return np.cumsum(hits)
