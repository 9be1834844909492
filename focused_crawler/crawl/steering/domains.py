"""Shares of registered domains: one owner's ever new hosts cannot take the crawl.

A name server that answers for every name makes hosts without end for nothing. So what counts is the
registered domain: some hosts of it are free, more are let in for what it brings: pages that are relevant by
their own words, and links from other domains. New hosts beyond that wait behind everything else, and of those
that wait there are not many.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import host_of

FREE = 50
"""Hosts of a domain that are let in whatever it brings."""
FOR_A_GAIN = 4
"""And for each of its pages that is relevant by what stands outside its links, and no copy."""
FOR_A_DOMAIN = 20
"""And for each other domain with a page that links to it, unless that has hosts which wait, too."""
MOST_WAITING = 200
"""Hosts of a domain that wait; links to further ones are stored, but not queued."""
BEHIND = 1e-3
"""What the priority of a host that waits is multiplied by: it stays in order among its like."""
MOST_DOMAINS = 20_000
"""So many are remembered; those not met for longest begin anew when met again."""
MOST_LINKING = 100
"""Other domains that are counted: who has so many has share enough."""


@dataclass(slots=True)
class _Domain:
    hosts: set[int] | tuple[int, ...] = ()  # let in; a set of the one that most domains have takes 200 bytes
    waiting: tuple[int, ...] = ()
    linking: tuple[int, ...] = ()  # other domains that link to it
    gains: int = 0
    is_full: bool = False  # more hosts than may wait, ever

    @property
    def share(self) -> int:
        """Return how many hosts may be let in."""
        return FREE + FOR_A_GAIN * self.gains + FOR_A_DOMAIN * len(self.linking)

    def let_in(self, host: int) -> None:
        """Let a host in."""
        if isinstance(self.hosts, set):
            self.hosts.add(host)
        elif host not in self.hosts:
            self.hosts = {*self.hosts, host} if self.hosts else (host,)


class DomainShares:
    """Knows the hosts of each domain. The same visits in the same order make the same shares."""

    def __init__(self) -> None:
        self._domains: OrderedDict[str, _Domain] = OrderedDict()
        self.flooding: list[str] = []  # domains of which more hosts wait than may, since somebody asked

    def admit(self, links: Sequence[Candidate], source: str) -> tuple[Sequence[Candidate], int]:
        """Return which links of a page are queued, those to hosts that wait behind all others.

        And how many are held: they wait, or are not queued.
        """
        origin = domain_of(host_of(source))
        by = hash(origin)  # one object for all that it links to
        weights: dict[str, float] = {}
        for link in links:
            host = link.url.split("/", 3)[2]
            if host not in weights:
                weights[host] = self._weight(host, origin, by)
        if min(weights.values(), default=1.0) == 1.0:
            return links, 0
        weighed = [(link, weights[link.url.split("/", 3)[2]]) for link in links]
        queued = [
            link if weight == 1.0 else link._replace(priority=weight * link.priority)
            for link, weight in weighed
            if weight
        ]
        return queued, sum(weight < 1.0 for _, weight in weighed)

    def _weight(self, host: str, origin: str, by: int) -> float:
        """Return what priorities of links to a host are multiplied by: 1, or `BEHIND`; 0: not queued."""
        name, key = domain_of(host), hash(host)
        domain = self._of(name)
        may_count = name != origin and len(domain.linking) < MOST_LINKING
        if may_count and not self._of(origin).waiting and by not in domain.linking:
            domain.linking += (by,)
        if key in domain.hosts:
            return 1.0
        if len(domain.hosts) < domain.share:
            if key in domain.waiting:
                domain.waiting = _without(domain.waiting, key)
            domain.let_in(key)
            return 1.0
        if key in domain.waiting:
            return BEHIND
        if len(domain.waiting) < MOST_WAITING:
            domain.waiting += (key,)
            return BEHIND
        if not domain.is_full:
            domain.is_full = True
            self.flooding.append(name)
        return 0.0

    def record(self, url: str, *, is_gain: bool) -> None:
        """Count a fetched page; a gain is one that is relevant by its own words, and no copy."""
        host = host_of(url)
        domain, key = self._of(domain_of(host)), hash(host)
        domain.gains += is_gain
        if key in domain.waiting:
            domain.waiting = _without(domain.waiting, key)  # one more may wait: they have no end
        elif len(domain.hosts) < domain.share:
            domain.let_in(key)

    def _of(self, name: str) -> _Domain:
        domain = self._domains.get(name)
        if domain is None:
            domain = self._domains[name] = _Domain()
            if len(self._domains) > MOST_DOMAINS:
                self._domains.popitem(last=False)
        else:
            self._domains.move_to_end(name)
        return domain


def _without(keys: tuple[int, ...], key: int) -> tuple[int, ...]:
    return tuple(each for each in keys if each != key)
