"""The bounds that runs are measured against: how good any crawl can be (docs/explanation/bounds.md)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from focused_crawler.virtualweb.graph import (
    START,
    UNREACHED,
    CheapestPaths,
    LinkGraph,
    Mask,
    Pages,
    unlocked_by,
)

Counts = NDArray[np.int64]

_SEED = 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """What any crawl of a setting can reach (formulas of section 7), as R(n) for n = 0..budget."""

    targets: int  # |T|, reachable or not
    upper: Counts  # no crawl is above it
    greedy: Counts  # knows the whole web, and is one that can be crawled
    one_step: Counts  # knows the relevance of what it may fetch next, and no more


def bounds(graph: LinkGraph, seeds: Iterable[int | None], targets: Pages, budget: int) -> Bounds:
    """Return what a crawl of `budget` pages can reach from these seeds.

    Seeds are page numbers; None, a seed that the web does not have, is left out. `targets` says of each page
    which relevant one it is, -1 for none: two spellings of one count once.
    """
    start = np.unique(np.array([seed for seed in seeds if seed is not None], dtype=np.int64))
    relevant = targets >= 0
    costs = target_costs(graph, start, targets)
    return Bounds(
        targets=len(costs),
        upper=upper(costs, budget),
        greedy=_counts(greedy(graph, start, relevant, budget), targets, budget),
        one_step=_counts(one_step(graph, start, relevant, budget), targets, budget),
    )


def target_costs(graph: LinkGraph, seeds: Pages, targets: Pages) -> NDArray[np.int64]:
    """Return c(t) of each target: the fewest irrelevant pages on any path to it from the seeds.

    `UNREACHED` for those that no path leads to.
    """
    relevant = targets >= 0
    paths = CheapestPaths(graph, relevant)
    paths.begin_at(seeds)
    found, numbers = np.unique(targets[relevant], return_inverse=True)
    costs = np.full(len(found), UNREACHED, dtype=np.int64)
    np.minimum.at(costs, numbers, np.array(paths.costs, dtype=np.int64)[relevant])
    return costs


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


def one_each(relevant: Mask) -> Pages:
    """Return the targets of a web in which no two relevant pages are one.

    >>> one_each(np.array([False, True, True])).tolist()
    [-1, 1, 2]
    """
    return np.where(relevant, np.arange(len(relevant)), -1)


def met_first(targets: Pages) -> Mask:
    """Return which pages, in the order fetched, are targets not met before.

    >>> met_first(np.array([-1, 3, 0, 3])).tolist()
    [False, True, True, False]
    """
    is_first = np.zeros(len(targets), dtype=np.bool_)
    is_first[np.unique(targets, return_index=True)[1]] = True
    return is_first & (targets >= 0)


def _counts(order: Sequence[int], targets: Pages, budget: int) -> Counts:
    """Return R(n) for n = 0..budget of pages in the order fetched."""
    hits = np.zeros(budget + 1, dtype=np.int64)
    hits[1 : len(order) + 1] = met_first(targets[order])
    return np.cumsum(hits)


# Crawls by someone who knows what is relevant: how well a web can be crawled.


def greedy(graph: LinkGraph, seeds: Pages, relevant: Mask, budget: int) -> list[int]:
    """Return the pages in the order of a crawl that knows the whole web.

    It fetches any relevant page that it has a link to. When there is none it takes a step on the path that
    unlocks most relevant pages for each irrelevant page on it, and repeats. Of all paths to a page it
    knows one of the cheapest. Equal paths: the shorter, then the page with the lower number. It stops when no
    relevant page is left to be reached.
    """
    return list(islice(_Greedy(graph, relevant).crawl(seeds), budget))


class _Greedy:
    """Fetched are the pages with a path that costs nothing."""

    def __init__(self, graph: LinkGraph, relevant: Mask) -> None:
        self._paths = CheapestPaths(graph, relevant)
        self._unlocked_by = unlocked_by(graph, relevant)
        self._bits = {page: 1 << bit for bit, page in enumerate(np.flatnonzero(relevant).tolist())}
        self._left = (1 << len(self._bits)) - 1
        self._heap: list[tuple[float, int, int]] = []  # of (-relevant pages a cost, cost, last page)
        self._unlocked: dict[int, int] = {}  # relevant pages by the path to each page, as `unlocked_by`

    def crawl(self, seeds: Pages) -> Iterator[int]:
        cheaper = self._paths.begin_at(seeds)
        while True:
            for page in cheaper:
                if not self._paths.costs[page]:
                    self._left &= ~self._bits[page]
                    yield page
            self._offer(cheaper)
            goal = self._best()
            if goal is None:
                return
            step = self._way_to(goal)[-1]
            yield step
            self._unlocked[step] = 0
            cheaper = self._paths.fetched(step)

    def _offer(self, pages: Sequence[int]) -> None:
        """Note pages that have become cheaper, which is the only way for their value to rise."""
        for page in pages:
            cost, own = self._paths.costs[page], self._unlocked_by.get(page)
            passed = self._unlocked.get(self._paths.before[page], 0) if cost else 0
            self._unlocked[page] = passed | own if own else passed
            if own and (value := self._value(page, cost)):
                heapq.heappush(self._heap, (-value, cost, page))

    def _best(self) -> int | None:
        while self._heap:
            value_then, cost, page = heapq.heappop(self._heap)
            if self._paths.costs[page] != cost:
                continue  # fetched, or pushed anew
            value = self._value(page, cost)
            if value == -value_then:
                return page
            if value:
                heapq.heappush(self._heap, (-value, cost, page))
        return None

    def _value(self, page: int, cost: int) -> float:
        """Return the relevant pages that the path to a page would unlock now, by its cost."""
        return (self._unlocked[page] & self._left).bit_count() / cost

    def _way_to(self, page: int) -> list[int]:
        """Return the unfetched pages of a page's path, last page first."""
        costs, before = self._paths.costs, self._paths.before
        way = []
        while page != START and costs[page]:
            way.append(page)
            page = before[page]
        return way


def one_step(graph: LinkGraph, seeds: Pages, relevant: Mask, budget: int) -> list[int]:
    """Return the pages in the order of a crawl that knows the relevance of those it has a link to.

    Relevant pages come first. Equals go breadth-first, by their depth when first seen; of one depth a fixed
    random order decides, so that it does not matter in which order a page has its links.
    """
    tie = np.random.default_rng(_SEED).permutation(len(relevant))
    seen = np.zeros(len(relevant), dtype=np.bool_)
    frontier: list[tuple[bool, int, int, int]] = []  # heap of (irrelevant, depth, tie, page)
    found, depth, order = np.unique(seeds), 0, list[int]()
    while len(order) < budget:
        new = found[~seen[found]]
        seen[new] = True
        for is_relevant, rank, page in zip(
            relevant[new].tolist(), tie[new].tolist(), new.tolist(), strict=True
        ):
            heapq.heappush(frontier, (not is_relevant, depth, rank, page))
        if not frontier:
            break
        _, above, _, page = heapq.heappop(frontier)
        order.append(page)
        found, depth = graph.out(page), above + 1
    return order
