"""Hubs and authorities, weighted by relevance: HITS as Chakrabarti et al. (1999), section 3.2, have it.

    a[v] <- sum over u of (R[u] / h0[u, v]) h[u]      of pages v with R[v] > rho only
    h[u] <- sum over v of (R[u] / a0[u, v]) a[v]

R is the relevance, h0 the number of pages on u's site that link to v, a0 the number of pages on v's site that
u links to: a site that votes with many pages has one voice, and one that is voted for on many pages gets one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ITERATIONS = 50
AUTHORITY_SHARE = 0.15
"""Of all pages, the most relevant, may be authorities: the middle of the paper's 10 to 20 %."""
LEAST_SCORE = 1e-12
"""Less than this of a sum of 1 is none: what only fades away from one iteration to the next."""

Numbers = NDArray[np.integer]
Scores = NDArray[np.float64]


Links = tuple[Numbers, Numbers]
"""The page that each link stands on, and the one that it leads to."""


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The pages of a crawl, by number, and links between them: also ones within a site, and second ones."""

    links: Iterable[Links]  # in parts, each with all links of some pages; read once
    site: Numbers  # of each page
    relevance: Scores  # of each page, 0 to 1


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Hub and authority score of each page; either add up to 1, or all are 0 where no vote was cast."""

    hub: Scores
    authority: Scores
    rho: float  # relevance that a page must exceed to be an authority
    links: int  # distinct ones between sites that lead to a page above rho


class _Votes(NamedTuple):
    """Distinct links between sites, each with a0."""

    source: Numbers
    target: Numbers
    a0: Numbers

    def only(self, mask: NDArray[np.bool_] | Numbers) -> _Votes:
        return _Votes(*(column[mask] for column in self))


def rate(graph: Graph, rho: float | None = None, iterations: int = ITERATIONS) -> Ratings:
    """Rate all pages.

    Without `rho` it is such that the most relevant 15 % of the pages may be authorities, those as relevant as
    the last of them as well; never one of relevance 0. h0 and a0 count all pages, authorities or not.
    """
    pages, relevance = len(graph.relevance), graph.relevance
    rho = threshold(relevance) if rho is None else rho
    _, site = np.unique(graph.site, return_inverse=True)
    votes = _votes(graph.links, site, relevance, rho)
    h0 = _group_sizes(site[votes.source], votes.target, pages)
    weight = relevance[votes.source]
    hub, authority = _iterate(votes, weight / h0, weight / votes.a0, pages, iterations)
    return Ratings(hub, authority, rho, len(votes.source))


def threshold(relevance: Scores, share: float = AUTHORITY_SHARE) -> float:
    """Return the relevance that the most relevant `share` of the pages, and their equals, exceed; at least 0.

    >>> threshold(np.array([0.9, 0.1, 0.8, 0.8, 0.2]), share=0.4)
    0.2
    """
    pages = len(relevance)
    if not pages:
        return 0.0
    position = pages - ceil(share * pages)
    below = relevance[relevance < np.partition(relevance, position)[position]]
    return max(float(below.max(initial=0.0)), 0.0)


def _votes(parts: Iterable[Links], site: Numbers, relevance: Scores, rho: float) -> _Votes:
    """Return the links to pages above rho, in the order of the pages: of most links only a0 is wanted."""
    pages, none = max(len(relevance), 1), np.empty(0, dtype=np.int64)
    found = [_Votes(none, none, none)]
    for source, target in parts:
        keys = source.astype(np.int64) * pages + target
        edges = np.divmod(np.unique(keys[site[source] != site[target]]), pages)
        a0 = _group_sizes(site[edges[1]], edges[0], pages)
        found.append(_Votes(*edges, a0).only(relevance[edges[1]] > rho))
    votes = _Votes(*map(np.concatenate, zip(*found, strict=True)))
    return votes.only(np.argsort(votes.source * pages + votes.target))


def _group_sizes(sites: Numbers, pages: Numbers, count: int) -> Numbers:
    """Return for each edge how many have the same site and the same page as it."""
    _, group, sizes = np.unique(sites * count + pages, return_inverse=True, return_counts=True)
    size: Numbers = sizes[group]
    return size


def _iterate(
    votes: _Votes, to_authority: Scores, to_hub: Scores, pages: int, iterations: int
) -> tuple[Scores, Scores]:
    hub = np.ones(pages)
    authority = np.zeros_like(hub)
    for _ in range(iterations):
        authority = _shares(votes.target, to_authority * hub[votes.source], pages)
        hub = _shares(votes.source, to_hub * authority[votes.target], pages)
    return _without_traces(hub), _without_traces(authority)


def _shares(voted_for: Numbers, votes: Scores, pages: int) -> Scores:
    """Return the votes for each page, 1 for all together if there are any.

    SciPy's matrices add up a third faster, and take 0.2 s to load: longer than nearly all crawls win by them.
    """
    sums = np.bincount(voted_for, votes, pages).astype(np.float64, copy=False)
    total = sums.sum()
    return sums / total if total > 0 else sums


def _without_traces(scores: Scores) -> Scores:
    return np.where(scores < LEAST_SCORE, 0.0, scores)
