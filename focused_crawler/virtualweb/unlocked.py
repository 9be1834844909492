"""Which relevant pages a crawl can go on to, through relevant pages alone, from an irrelevant one."""

from __future__ import annotations

from collections import defaultdict
from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.paths import Mask, Pages


def unlocked_by(graph: LinkGraph, relevant: Mask) -> dict[int, int]:
    """Return, for every irrelevant page that links to relevant ones, a set of relevant pages.

    A set is an integer: bit i stands for the i-th relevant page. Relevant pages that can be reached from each
    other are put together first; what is left has no cycles, and each set is made of those behind it.
    """
    pages = np.repeat(np.arange(len(relevant)), np.diff(graph.indptr))
    leads_on = relevant[graph.indices]
    pages, targets = pages[leads_on], graph.indices[leads_on]
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
