"""The crawls of one topic side by side: pairs, ratings and distances, each computed when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from benchmarks.robustness_crawls import COMPARED, D, E, Start, Trip, apart, halves
from benchmarks.robustness_overlap import Floats, Numbers, Overlap, chance_of_hosts, chance_of_pages
from benchmarks.robustness_rating import Distances, Rated, rated, steps
from focused_crawler.page.url import normalise, site_of
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.graph import LinkGraph


@dataclass(frozen=True, slots=True)
class Ground:
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
    """All trips of a topic."""

    topic: str
    ground: Ground
    trips: dict[tuple[str, Start], Trip] = field(default_factory=dict)

    def of(self, strategy: str) -> list[Trip]:
        """Return a strategy's crawls from the topic's own seed sets."""
        return [trip for (name, start), trip in self.trips.items() if name == strategy and is_plain(start)]

    @property
    def targets(self) -> int:
        """Relevant pages of the web, by the truth."""
        return next(iter(self.trips.values())).targets

    def pages(self, strategy: str, first: Start = D, second: Start = E) -> Overlap:
        """Compare the pages of two crawls."""
        return Overlap.of(self.trips[strategy, first].visits, self.trips[strategy, second].visits)

    def sites(self, strategy: str) -> Overlap:
        """Compare the hosts of the two crawls."""
        first, second = (self.ground.hosts[self.trips[strategy, start].visits] for start in (D, E))
        return Overlap.of(first, second)

    def hits(self, strategy: str, pages: int) -> float:
        """Return the share of the first crawl's relevant pages, by the truth, that the second has as well."""
        first, second = (cut(self.trips[strategy, start], pages) for start in (D, E))
        both = np.intersect1d(first.visits[first.hits], second.visits[second.hits])
        return len(both) / max(1, int(first.hits.sum()))

    def ties(self, strategy: str) -> Overlap:
        """Compare two crawls from the same seeds with another order among equals."""
        return self.pages(strategy, D, D._replace(ties=1))

    def same_ties(self, strategy: str) -> Overlap:
        """Compare crawls from both seed sets with the same order among equals."""
        return self.pages(strategy, D, E._replace(ties=0))

    def apart(self, strategy: str) -> Overlap:
        """Compare crawls whose seed sets share nothing at all."""
        return self.pages(strategy, apart(D), apart(E))

    def halves(self, strategy: str) -> Floats:
        """Return the overlap of crawls from random halves, draws x pages."""
        pairs = [self.pages(strategy, first, second).mean for first, second in halves()]
        shortest = min(map(len, pairs))
        return np.array([pair[:shortest] for pair in pairs])

    @cached_property
    def reachable(self) -> Numbers:
        """Pages that some crawl could reach, by number."""
        return self._reach(np.concatenate([trip.seeds for trip in self.trips.values()]))

    def _reach(self, starts: Numbers) -> Numbers:
        everything = np.arange(len(self.ground.graph))
        return np.flatnonzero(steps(self.ground.graph, starts, everything) >= 0)

    def chance(self, pages: int) -> Floats:
        """Return what random crawls of 1 ... so many reachable pages would share."""
        return chance_of_pages(len(self.reachable), pages)

    @cached_property
    def reaches_apart(self) -> tuple[Numbers, Numbers]:
        """Pages that can be reached from each of two seed sets that share nothing."""
        first, second = (self._reach(self.trips[COMPARED[0], apart(start)].seeds) for start in (D, E))
        return first, second

    def chance_apart(self, pages: int) -> float:
        """Return what random crawls of so many pages would share if their seed sets share nothing.

        They draw from the pages that can be reached from each; one that has fewer draws them all.
        """
        first, second = self.reaches_apart
        both = len(np.intersect1d(first, second))
        drawn = [min(pages, len(reach)) / len(reach) for reach in (first, second)]
        return drawn[0] * drawn[1] * both / min(pages, len(first), len(second))

    def random_hosts(self, pair: Overlap) -> Floats:
        """Return the share of either that random sets of as many hosts would have in common, in the mean."""
        return (pair.first + pair.second) / (2 * len(np.unique(self.ground.hosts[self.reachable])))

    def chance_within(self, strategy: str) -> Floats:
        """Return what the two crawls would share if the relevant pages of each were random ones of the topic.

        The others of each crawl are nobody else's.
        """
        hits = [self.trips[strategy, start].hits for start in (D, E)]
        length = min(map(len, hits))
        first, second = (np.cumsum(found[:length]) for found in hits)
        shared: Floats = first * second / (self.targets * np.arange(1, length + 1))
        return shared

    def chance_of_sites(self, pages: int) -> Floats:
        """Return which of their hosts they would share."""
        sizes = np.bincount(self.ground.hosts[self.reachable])
        return chance_of_hosts(sizes[sizes > 0], pages)

    def rated(self, strategy: str, pages: int | None = None, *, inside: bool = False) -> tuple[Rated, Rated]:
        """Rate the first pages of the two crawls, or all; `inside`: count links within a site as well."""
        first, second = (self._rated(self.trips[strategy, start], pages, inside) for start in (D, E))
        return first, second

    def distances(
        self, strategy: str, starts: Iterable[Start], pages: int | None = None, *, inside: bool = False
    ) -> list[Distances]:
        """Return how far the best of each of these crawls are from its start pages."""
        trips = [self.trips[strategy, start] for start in starts if (strategy, start) in self.trips]
        return [self._distances(trip, pages, inside) for trip in trips]

    def start_hosts(self, start: Start) -> Numbers:
        """Return the hosts that a crawl's start pages lie on."""
        return np.unique(self.ground.hosts[self.trips[COMPARED[0], start].seeds])

    def _distances(self, trip: Trip, pages: int | None, inside: bool) -> Distances:
        visits = trip.visits[:pages]
        far = steps(self.ground.graph, trip.seeds, visits)
        best = self._rated(trip, pages, inside)
        return Distances.of(far, visits, self.ground.hosts, best)

    def _rated(self, trip: Trip, pages: int | None, inside: bool) -> Rated:
        return rated(cut(trip, pages), self.ground.graph, self.ground.hosts, inside=inside)


def is_plain(start: Start) -> bool:
    """Tell a seed set of the topic, as an ordinary crawl begins with it, from what is made of it here."""
    return not start.ties and " " not in start.seeds


def cut(trip: Trip, pages: int | None) -> Trip:
    """Return a trip as it stood after so many pages; None: at its end."""
    return replace(trip, visits=trip.visits[:pages], relevance=trip.relevance[:pages], hits=trip.hits[:pages])


def studies(trips: Sequence[Trip], ground: Ground) -> list[Study]:
    """Sort trips by topic."""
    found: dict[str, Study] = {}
    for trip in trips:
        study = found.setdefault(trip.topic, Study(trip.topic, ground))
        study.trips[trip.strategy, trip.start] = trip
    return list(found.values())
