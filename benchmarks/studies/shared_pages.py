"""What crawls of one topic share, what chance alone would have them share, and what is best of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.stats import hypergeom

from benchmarks.studies.crawls import Crawl, Floats, Numbers, Start
from focused_crawler.crawl.hubs.hits import Graph, rate
from focused_crawler.page.url import normalise, site_of
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.graph import LinkGraph

FOCUS = ("unfocused", "hard_focus", "soft_focus")
"""The paper's crawlers: Figures 4, 5 and 6."""

DEFAULT = "link_classifier"
COMPARED = ("soft_focus", DEFAULT, "random")
"""Whose crawls from two start sets are held against each other. The last is the control: unfocused, but
with a hash of its own for each crawl; the fixed one of `unfocused` would make any two agree."""

HALVED = COMPARED[:2]
"""Who crawls from random parts of all start pages as well."""

D, E = Start("d"), Start("e", ties=1)
"""The two crawls of all comparisons, from the seed sets that share nothing but what all seed sets share."""

OUTSIDE = Start("c")
"""The seed set that lies off the topic: from there it is a way to go. Left out where a topic has none."""

BEST = 100
"""So many pages or hosts are "the most popular" (sections 5.4 and 5.5)."""

DIGITS = 12  # of scores that add up to 1
DRAWS = 5
BINS = (("0", 0.001), (".001", 0.1), (".1", 0.9), (".9", 0.999), (".999", 1.0), ("1", np.inf))
"""Where a bin of R begins, as it is written, and the R that is not in it any more."""


def apart(start: Start) -> Start:
    """Return the same without the pages that all seed sets share."""
    return start._replace(seeds=f"{start.seeds}, apart")


def halves() -> list[tuple[Start, Start]]:
    """Return the pairs of random parts of all start pages."""
    return [(Start(f"half {draw}a"), Start(f"half {draw}b", ties=1)) for draw in range(DRAWS)]


PAIRS = {
    "own": (D, E),
    "twice": (D, D._replace(ties=1)),
    "same_ties": (D, E._replace(ties=0)),
    "apart": (apart(D), apart(E)),
}
"""Two crawls that are compared: by seed sets; by the order among equals alone; by nothing but seed sets."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two crawls share after 1, 2, ... fetches of each: pages, or hosts."""

    shared: Numbers
    first: Numbers  # distinct ones of the first crawl
    second: Numbers

    @classmethod
    def of(cls, first: Numbers, second: Numbers) -> Self:
        """Compare what two crawls met, one a fetch, up to the end of the shorter one."""
        length = min(len(first), len(second))
        parts = (np.unique(items[:length], return_index=True) for items in (first, second))
        (one, met), (other, met_too) = parts
        _, mine, yours = np.intersect1d(one, other, return_indices=True)
        firsts = (np.maximum(met[mine], met_too[yours]), met, met_too)
        return cls(*(np.cumsum(np.bincount(when, minlength=length)) for when in firsts))

    @property
    def of_first(self) -> Floats:
        """|U1 & U2| / |U1|."""
        return self.shared / self.first

    @property
    def of_second(self) -> Floats:
        """|U1 & U2| / |U2|."""
        return self.shared / self.second

    @property
    def mean(self) -> Floats:
        """Mean of both shares; of pages they are equal."""
        return (self.of_first + self.of_second) / 2


def chance_of_hosts(sizes: Numbers, length: int) -> Floats:
    """Return the expected share that the hosts of two random sets of 1, 2, ... pages have in common.

    `sizes`: pages of each host. A host is missed by t pages of N with probability C(N - n, t) / C(N, t).
    """
    drawn = np.arange(1, length + 1)[:, np.newaxis]
    met = 1 - hypergeom.pmf(0, int(sizes.sum()), sizes[np.newaxis, :], drawn)
    share: Floats = (met**2).sum(axis=1) / met.sum(axis=1)
    return share


@dataclass(frozen=True, slots=True)
class Rated:
    """What a crawl's distiller says, best first; only what has a rating at all."""

    pages: Numbers  # authorities, by page number of the web
    hosts: Numbers  # by the sum of the authority of their pages
    links: int  # between different sites, from page to page of the crawl


def rated(crawl: Crawl, graph: LinkGraph, hosts: Numbers, *, inside: bool = False) -> Rated:
    """Rate the pages of a crawl by its own relevance; `hosts`: number of each page's host.

    `inside`: links within a site count as well, each page being a site of its own: not the paper's rating.
    """
    sources, targets = links_within(graph, crawl.visits)
    own = hosts[crawl.visits]
    sites = np.arange(len(own)) if inside else own
    scores = np.zeros(len(graph))
    scores[crawl.visits] = rate(Graph([(sources, targets)], sites, crawl.relevance)).authority
    links = int((own[sources] != own[targets]).sum())
    return Rated(ranking(scores), ranking(np.bincount(hosts, scores)), links)


def links_within(graph: LinkGraph, visits: Numbers) -> tuple[Numbers, Numbers]:
    """Return the links between the pages of a crawl, by their place in it."""
    place = np.full(len(graph), -1, dtype=np.int64)
    place[visits] = np.arange(len(visits))
    sources, targets = place[graph.sources], place[graph.indices]
    within = np.flatnonzero((sources >= 0) & (targets >= 0))
    within = within[np.argsort(sources[within], kind="stable")]
    return sources[within], targets[within]


def ranking(scores: Floats) -> Numbers:
    """Return where the positive scores stand, highest first; of equal ones, but for rounding, the first."""
    order = np.argsort(-np.round(scores, DIGITS), kind="stable")
    return order[scores[order] > 0]


def top_overlap(first: Numbers, second: Numbers, most: int) -> Floats:
    """Return |top k of both| / k for k = 1 ... `most`, fewer if either has not so many."""
    most = min(most, len(first), len(second))
    return np.array([len(np.intersect1d(first[:k], second[:k])) / k for k in range(1, most + 1)])


def top_chance(first: Numbers, second: Numbers, most: int) -> Floats:
    """Return the same for the same ratings in random order."""
    most = min(most, len(first), len(second))
    both = len(np.intersect1d(first, second))
    return np.arange(1, most + 1) * both / max(1, len(first) * len(second))


def steps(graph: LinkGraph, start: Numbers, inside: Numbers | None = None) -> Numbers:
    """Return the fewest links from a start page to each page, through pages of `inside` only; -1: no way."""
    far = np.full(len(graph), -1, dtype=np.int64)
    open_pages = np.full(len(graph), inside is None)
    open_pages[slice(0) if inside is None else inside] = True
    ring, distance = np.unique(start)[open_pages[np.unique(start)]], 0
    while ring.size:
        far[ring] = distance
        open_pages[ring] = False
        out = np.unique(np.concatenate([graph.out(page) for page in ring]))
        ring, distance = out[open_pages[out]], distance + 1
    return far


def spread(crawls: Sequence[Crawl]) -> Floats:
    """Return the share of the first |T| pages whose R is in each bin, as the mean over crawls.

    A page of R = 1 to the last bit is in the last bin. Later pages are what is left when a topic is found.
    """
    ends = [end for _, end in BINS[:-1]]
    firsts = [crawl.relevance[: crawl.targets] for crawl in crawls]
    counts = [np.bincount(np.searchsorted(ends, first, "right"), minlength=len(BINS)) for first in firsts]
    mean: Floats = np.mean([count / count.sum() for count in counts], axis=0)
    return mean


class Ground(NamedTuple):
    """The web that all crawls went through."""

    graph: LinkGraph
    hosts: Numbers  # number of each page's host

    @classmethod
    def of(cls, web: AnalysedWeb) -> Ground:
        """Tell hosts apart as the distiller tells sites."""
        names = [site_of(normalise(url) or url) for url in web.urls]
        return cls(web.graph, np.unique(names, return_inverse=True)[1])


@dataclass
class Study:
    """All crawls of a topic side by side: pairs, ratings and distances, each computed when asked for."""

    topic: str
    ground: Ground
    crawls: dict[tuple[str, Start], Crawl] = field(default_factory=dict)

    def of(self, strategy: str) -> list[Crawl]:
        """Return a strategy's crawls from the topic's own seed sets, not from what is made of them here."""
        return [
            crawl
            for (name, start), crawl in self.crawls.items()
            if name == strategy and not start.ties and " " not in start.seeds
        ]

    @property
    def targets(self) -> int:
        """Relevant pages of the web, by the truth."""
        return next(iter(self.crawls.values())).targets

    def pair(self, strategy: str, kind: str = "own", pages: int | None = None) -> list[Crawl]:
        """Return two crawls that are compared, as they stood after so many pages; None: at their ends."""
        return [cut(self.crawls[strategy, start], pages) for start in PAIRS[kind]]

    def pages(self, strategy: str, kind: str = "own") -> Floats:
        """Return the overlap of the pages of two crawls."""
        return Overlap.of(*(crawl.visits for crawl in self.pair(strategy, kind))).mean

    def sites(self, strategy: str) -> Overlap:
        """Compare the hosts of the two crawls."""
        return Overlap.of(*(self.ground.hosts[crawl.visits] for crawl in self.pair(strategy)))

    def hits(self, strategy: str, pages: int) -> float:
        """Return the share of the first crawl's relevant pages, by the truth, that the second has as well."""
        first, second = self.pair(strategy, pages=pages)
        both = np.intersect1d(first.visits[first.hits], second.visits[second.hits])
        return len(both) / max(1, int(first.hits.sum()))

    def halves(self, strategy: str) -> Floats:
        """Return the overlap of crawls from random halves, draws x pages."""
        pairs = [[self.crawls[strategy, start].visits for start in pair] for pair in halves()]
        found = [Overlap.of(*pair).mean for pair in pairs]
        shortest = min(map(len, found))
        return np.array([one[:shortest] for one in found])

    @cached_property
    def reachable(self) -> Numbers:
        """Pages that some crawl could reach, by number."""
        return self._reach(np.concatenate([crawl.seeds for crawl in self.crawls.values()]))

    def _reach(self, starts: Numbers) -> Numbers:
        return np.flatnonzero(steps(self.ground.graph, starts) >= 0)

    def chance(self, pages: int) -> Floats:
        """Return what random crawls of 1 ... so many reachable pages would share."""
        return np.arange(1, pages + 1) / len(self.reachable)

    @cached_property
    def reaches_apart(self) -> list[Numbers]:
        """Pages that can be reached from each of two seed sets that share nothing."""
        return [self._reach(self.crawls["soft_focus", start].seeds) for start in PAIRS["apart"]]

    def chance_apart(self, pages: int) -> float:
        """Return what random crawls of so many pages would share if their seed sets share nothing.

        They draw from the pages that can be reached from each; one that has fewer draws them all.
        """
        first, second = self.reaches_apart
        both = len(np.intersect1d(first, second))
        drawn = [min(pages, len(reach)) / len(reach) for reach in (first, second)]
        return drawn[0] * drawn[1] * both / min(pages, len(first), len(second))

    def chance_within(self, strategy: str) -> Floats:
        """Return what the two crawls would share if the relevant pages of each were random ones of the topic.

        The others of each crawl are nobody else's.
        """
        hits = [crawl.hits for crawl in self.pair(strategy)]
        length = min(map(len, hits))
        first, second = (np.cumsum(found[:length]) for found in hits)
        shared: Floats = first * second / (self.targets * np.arange(1, length + 1))
        return shared

    def random_hosts(self, pair: Overlap) -> Floats:
        """Return the share of either that random sets of as many hosts would have in common, in the mean."""
        return (pair.first + pair.second) / (2 * len(np.unique(self.ground.hosts[self.reachable])))

    def chance_of_sites(self, pages: int) -> Floats:
        """Return which of their hosts random crawls of 1 ... so many reachable pages would share."""
        sizes = np.bincount(self.ground.hosts[self.reachable])
        return chance_of_hosts(sizes[sizes > 0], pages)

    def rated(self, strategy: str, pages: int | None = None, *, inside: bool = False) -> list[Rated]:
        """Rate the first pages of the two crawls, or all; `inside`: count links within a site as well."""
        return [rated(crawl, *self.ground, inside=inside) for crawl in self.pair(strategy, pages=pages)]

    def distances(self, strategy: str, starts: Iterable[Start], pages: int) -> list[Numbers]:
        """Return how far the best of each of these crawls are from its start pages, by all links.

        In links within the pages of the crawl; -1: no way but past it.
        """
        found = [self.crawls.get((strategy, start)) for start in starts]
        return [self._far(cut(crawl, pages)) for crawl in found if crawl is not None]

    def _far(self, crawl: Crawl) -> Numbers:
        best = rated(crawl, *self.ground, inside=True).pages[:BEST]
        return steps(self.ground.graph, crawl.seeds, crawl.visits)[best]


def cut(crawl: Crawl, pages: int | None) -> Crawl:
    """Return a crawl as it stood after so many pages; None: at its end."""
    parts = {name: getattr(crawl, name)[:pages] for name in ("visits", "relevance", "hits", "focus")}
    return replace(crawl, **parts)


def studies(crawls: Sequence[Crawl], ground: Ground) -> list[Study]:
    """Sort crawls by topic."""
    found: dict[str, Study] = {}
    for crawl in crawls:
        study = found.setdefault(crawl.topic, Study(crawl.topic, ground))
        study.crawls[crawl.strategy, crawl.start] = crawl
    return list(found.values())
