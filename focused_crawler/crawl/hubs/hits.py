"""Hubs and authorities, weighted by relevance: HITS as Chakrabarti et al. (1999), section 3.2, have it.

    a[v] <- sum over u of (R[u] / h0[u, v]) h[u]      of pages v with R[v] > rho only
    h[u] <- sum over v of (R[u] / a0[u, v]) a[v]

R is the relevance, h0 the number of pages on u's site that link to v, a0 the number of pages on v's site that
u links to: a site that votes with many pages has one voice, and one that is voted for on many pages gets one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

ITERATIONS = 50
AUTHORITY_SHARE = 0.15
"""Of all pages, the most relevant, may be authorities: the middle of the paper's 10 to 20 %."""
LEAST_SCORE = 1e-12
"""Less than this of a sum of 1 is none: what only fades away from one iteration to the next."""

Numbers = NDArray[np.integer]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The pages of a crawl, by number, and links between them: also ones within a site, and second ones."""

    source: Numbers  # page that a link stands on
    target: Numbers  # page that it leads to
    site: Numbers  # of each page
    relevance: Scores  # of each page, 0 to 1


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Hub and authority score of each page; either add up to 1, or all are 0 where no vote was cast."""

    hub: Scores
    authority: Scores
    rho: float  # relevance that a page must exceed to be an authority
    links: int  # distinct ones between sites that lead to a page above rho


class _Edges(NamedTuple):
    source: Numbers
    target: Numbers

    def only(self, mask: NDArray[np.bool_]) -> _Edges:
        return _Edges(self.source[mask], self.target[mask])


def rate(graph: Graph, rho: float | None = None, iterations: int = ITERATIONS) -> Ratings:
    """Rate all pages.

    Without `rho` it is such that the most relevant 15 % of the pages may be authorities, those as relevant as
    the last of them as well; never one of relevance 0. h0 and a0 count all pages, authorities or not.
    """
    pages, relevance = len(graph.relevance), graph.relevance
    rho = threshold(relevance) if rho is None else rho
    edges = _between_sites(graph)
    _, site = np.unique(graph.site, return_inverse=True)
    from_site = _group_sizes(site[edges.source], edges.target, pages)
    to_site = _group_sizes(site[edges.target], edges.source, pages)
    votes = relevance[edges.target] > rho
    edges, weight = edges.only(votes), relevance[edges.source[votes]]
    shape = (pages, pages)
    to_authority = csr_array((weight / from_site[votes], (edges.target, edges.source)), shape=shape)
    to_hub = csr_array((weight / to_site[votes], edges), shape=shape)
    hub, authority = _iterate(to_authority, to_hub, iterations)
    return Ratings(hub, authority, rho, len(edges.source))


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


def _between_sites(graph: Graph) -> _Edges:
    """Return the distinct links between pages of different sites; their order is that of the pages."""
    edges = _Edges(graph.source.astype(np.int64), graph.target.astype(np.int64))
    edges = edges.only(graph.site[edges.source] != graph.site[edges.target])
    pages = max(len(graph.relevance), 1)
    keys = np.sort(edges.source * pages + edges.target)
    return _Edges(*np.divmod(keys[np.diff(keys, prepend=-1) > 0], pages))


def _group_sizes(sites: Numbers, pages: Numbers, count: int) -> Numbers:
    """Return for each edge how many have the same site and the same page as it."""
    _, group, sizes = np.unique(sites * count + pages, return_inverse=True, return_counts=True)
    size: Numbers = sizes[group]
    return size


def _iterate(to_authority: csr_array, to_hub: csr_array, iterations: int) -> tuple[Scores, Scores]:
    hub = np.ones(to_hub.shape[0])
    authority = np.zeros_like(hub)
    for _ in range(iterations):
        authority = _scaled(to_authority @ hub)
        hub = _scaled(to_hub @ authority)
    return _without_traces(hub), _without_traces(authority)


def _scaled(scores: Scores) -> Scores:
    """Let scores add up to 1, if there are any."""
    total = scores.sum()
    return scores / total if total > 0 else np.zeros_like(scores)


def _without_traces(scores: Scores) -> Scores:
    return np.where(scores < LEAST_SCORE, 0.0, scores)
