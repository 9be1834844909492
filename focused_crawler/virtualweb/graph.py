"""The links between the pages of a web: for bounds, graph figures and oracles, never for a crawl's order.

And the ways through it that pass as few irrelevant pages as can be: a 0-1 breadth-first search.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Self

import numpy as np
from numpy.typing import NDArray

UNREACHED = np.iinfo(np.int64).max
START = -1
"""Stands before the first page of a path."""

Pages = NDArray[np.integer]
"""Page numbers."""

Mask = NDArray[np.bool_]
"""One truth value a page, by its number."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkGraph:
    """Pages by number and the distinct pages each leads to, redirects followed: a sparse matrix by rows."""

    indptr: NDArray[np.int64]  # one longer than there are pages
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Make a graph of the pages that each page leads to; links to itself and second ones are left out.

        >>> LinkGraph.of([[1, 0, 1], []]).out(0).tolist()
        [1]
        """
        indices: list[int] = []
        indptr = [0]
        for number, row in enumerate(rows):
            targets = dict.fromkeys(row)
            targets.pop(number, None)
            indices += targets
            indptr.append(len(indices))
        return cls(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32))

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.indptr) - 1

    @property
    def is_sound(self) -> bool:
        """Tell whether each link is one of a page and leads to one: they may come from a damaged file."""
        ends, targets = self.indptr, self.indices
        has_all = ends[0] == 0 and ends[-1] == len(targets) and (np.diff(ends) >= 0).all()
        return bool(has_all and ((targets >= 0) & (targets < len(self))).all())

    @property
    def sources(self) -> NDArray[np.int64]:
        """Return the page that each link stands on, as `indices` has the page that it leads to."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def out(self, page: int) -> NDArray[np.int32]:
        """Return the pages that a page leads to, in the order of its links."""
        return self.indices[self.indptr[page] : self.indptr[page + 1]]

    def reverse(self) -> LinkGraph:
        """Return the graph of the pages that lead to each page, in ascending order."""
        counts = np.bincount(self.indices, minlength=len(self))
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
        return LinkGraph(indptr, self.sources[np.argsort(self.indices, kind="stable")].astype(np.int32))


class CheapestPaths:
    """For every page a path to it that has the fewest irrelevant pages, as far as paths are known.

    `costs[t]` counts the irrelevant pages of the path, t itself included; `before[t]` is the page before t.
    Each link is visited once for every time its page becomes cheaper.
    """

    def __init__(self, graph: LinkGraph, relevant: Mask) -> None:
        self._graph = graph
        self._relevant: list[bool] = relevant.tolist()
        self.costs = [UNREACHED] * len(relevant)
        self.before = [START] * len(relevant)

    def begin_at(self, pages: Pages) -> list[int]:
        """Let paths begin at these pages; return those that became cheaper, each behind the one before it."""
        return self._spread(dict.fromkeys(pages.tolist(), START))

    def fetched(self, page: int) -> list[int]:
        """Let paths go on from a fetched page for nothing; return the pages that became cheaper."""
        self.costs[page] = 0
        return self._spread(dict.fromkeys(self._graph.out(page).tolist(), page))

    def _spread(self, found: dict[int, int]) -> list[int]:
        """Follow links from these pages on; each has the page that the link to it stands on.

        By waves: most reach few pages, so that plain Python is faster than arrays.
        """
        costs, relevant = self.costs, self._relevant
        free = {page: last for page, last in found.items() if relevant[page]}
        dear = {page: last for page, last in found.items() if not relevant[page]}
        cheaper: list[int] = []
        cost = 0
        while free or dear:
            if not free:
                free, dear, cost = dear, {}, cost + 1
            wave = sorted(page for page in free if costs[page] > cost)
            for page in wave:
                costs[page], self.before[page] = cost, free[page]
            cheaper += wave
            free = {}
            for page in wave:
                for target in self._graph.out(page).tolist():
                    if costs[target] > cost:
                        (free if relevant[target] else dear).setdefault(target, page)
        return cheaper


def unlocked_by(graph: LinkGraph, relevant: Mask) -> dict[int, int]:
    """Return, for every irrelevant page that links to relevant ones, a set of relevant pages.

    A set is an integer: bit i stands for the i-th relevant page. Relevant pages that can be reached from each
    other are merged first; what is left has no cycles, and each set is made of those behind it.
    """
    leads_on = relevant[graph.indices]
    pages, targets = graph.sources[leads_on], graph.indices[leads_on]
    numbers = np.cumsum(relevant) - 1  # of relevant pages
    inner = relevant[pages]
    groups = _groups(numbers[pages[inner]], numbers[targets[inner]], int(relevant.sum()))
    sets = _sets(groups, numbers[pages[inner]], numbers[targets[inner]])
    unlocked: defaultdict[int, int] = defaultdict(int)
    for page, group in _pairs(pages[~inner], groups[numbers[targets[~inner]]]):
        unlocked[page] |= sets[group]
    return dict(unlocked)


def _groups(pages: Pages, targets: Pages, count: int) -> NDArray[np.int32]:
    """Return the number of each relevant page's group: those that can be reached from each other."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - load slowly
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    links = coo_array((np.ones(len(pages), dtype=np.int8), (pages, targets)), shape=(count, count))
    labels: NDArray[np.int32] = connected_components(links, directed=True, connection="strong")[1]
    return labels


def _sets(groups: NDArray[np.int32], pages: Pages, targets: Pages) -> dict[int, int]:
    """Return what is reached from each group, the group itself included."""
    sets: defaultdict[int, int] = defaultdict(int)
    for bit, group in enumerate(groups.tolist()):
        sets[group] |= 1 << bit
    behind: dict[int, set[int]] = {group: set() for group in sets}
    for group, other in _pairs(groups[pages], groups[targets]):
        if group != other:
            behind[group].add(other)
    for group in TopologicalSorter(behind).static_order():
        for other in behind[group]:
            sets[group] |= sets[other]
    return dict(sets)


def _pairs(left: Pages, right: Pages) -> list[tuple[int, int]]:
    """Return the distinct pairs."""
    pairs: list[list[int]] = np.unique(np.stack((left, right)), axis=1).T.tolist()
    return [(first, second) for first, second in pairs]
