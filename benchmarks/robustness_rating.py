"""The best rated pages and hosts of a crawl, how alike those of two crawls are, how far from the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.robustness_crawls import Trip
from focused_crawler.crawl.hubs.hits import Graph, rate
from focused_crawler.virtualweb.graph import LinkGraph

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

BEST = 100
"""So many pages or hosts are "the most popular" (sections 5.4 and 5.5)."""

DIGITS = 12
"""Of scores that add up to 1."""

FARTHEST = 8
"""Distances from here on are one bar."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What a crawl's distiller says, best first; only what has a rating at all."""

    pages: Numbers  # authorities, by page number of the web
    hosts: Numbers  # by the sum of the authority of their pages
    links: int  # between different sites, from page to page of the crawl


class Distances(NamedTuple):
    """Links from the start pages to the best rated, within the pages of the crawl; -1: no way but past it."""

    pages: Numbers
    hosts: Numbers  # of each host its nearest page

    @classmethod
    def of(cls, far: Numbers, visits: Numbers, hosts: Numbers, best: Rated) -> Self:
        """Look the best up among the distances of all pages."""
        reached = visits[far[visits] >= 0]
        nearest = np.full(int(hosts.max()) + 1, len(far), dtype=np.int64)
        np.minimum.at(nearest, hosts[reached], far[reached])
        nearest[nearest == len(far)] = -1
        return cls(far[best.pages[:BEST]], nearest[best.hosts[:BEST]])


def rated(trip: Trip, graph: LinkGraph, hosts: Numbers, *, inside: bool = False) -> Rated:
    """Rate the pages of a crawl by its own relevance; `hosts`: number of each page's host.

    `inside`: links within a site count as well, each page being a site of its own: not the paper's rating.
    """
    sources, targets = links_within(graph, trip.visits)
    own = hosts[trip.visits]
    sites = np.arange(len(own)) if inside else own
    ratings = rate(Graph(sources, targets, sites, trip.relevance))
    scores = np.zeros(len(graph))
    scores[trip.visits] = ratings.authority
    links = int((own[sources] != own[targets]).sum())
    return Rated(ranking(scores), ranking(np.bincount(hosts, scores)), links)


def links_within(graph: LinkGraph, visits: Numbers) -> tuple[Numbers, Numbers]:
    """Return the links between the pages of a crawl, by their place in it."""
    place = np.full(len(graph), -1, dtype=np.int64)
    place[visits] = np.arange(len(visits))
    rows = [place[graph.out(page)] for page in visits]
    sources = np.repeat(np.arange(len(visits)), [len(row) for row in rows])
    targets = np.concatenate(rows) if rows else np.array([], dtype=np.int64)
    return sources[targets >= 0], targets[targets >= 0]


def top_overlap(first: Numbers, second: Numbers, most: int) -> Floats:
    """Return |top k of both| / k for k = 1 ... `most`, fewer if either has not so many."""
    most = min(most, len(first), len(second))
    return np.array([len(np.intersect1d(first[:k], second[:k])) / k for k in range(1, most + 1)])


def top_chance(first: Numbers, second: Numbers, most: int) -> Floats:
    """Return the same for the same ratings in random order."""
    most = min(most, len(first), len(second))
    both = len(np.intersect1d(first, second))
    return np.arange(1, most + 1) * both / max(1, len(first) * len(second))


def steps(graph: LinkGraph, start: Numbers, inside: Numbers) -> Numbers:
    """Return the fewest links from a start page to each page, through pages of `inside` only; -1: no way."""
    far = np.full(len(graph), -1, dtype=np.int64)
    open_pages = np.zeros(len(graph), dtype=bool)
    open_pages[inside] = True
    ring, distance = np.intersect1d(start, inside), 0
    while ring.size:
        far[ring] = distance
        open_pages[ring] = False
        out = np.unique(np.concatenate([graph.out(page) for page in ring]))
        ring, distance = out[open_pages[out]], distance + 1
    return far


def histogram(found: Sequence[Numbers]) -> Floats:
    """Return how many are 0, 1, ... and `FARTHEST` or more links away, as the mean over crawls."""
    counts = np.zeros(FARTHEST + 1)
    for far in found:
        counts += np.bincount(np.minimum(far[far >= 0], FARTHEST), minlength=FARTHEST + 1)
    return counts / max(1, len(found))


def ranking(scores: Floats) -> Numbers:
    """Return where the positive scores stand, highest first; of equal ones, but for rounding, the first."""
    order = np.argsort(-np.round(scores, DIGITS), kind="stable")
    return order[scores[order] > 0]
