"""Shares of registered domains: one owner's ever new hosts cannot take the crawl.

A name server that answers for every name makes hosts without end for nothing. So what counts is the
registered domain: some hosts of it are free, more are let in for what it brings: pages that are relevant by
their own words, and links from other domains. Links to new hosts beyond that are lowered: they are followed
if nothing better is left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from focused_crawler.crawl.steering.traps import Refusal
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
"""Hosts of a domain that are known to wait."""
SHARE = "domain_share"
"""The rule by which they do."""
MOST_DOMAINS = 20_000
"""So many are remembered; those not met for longest begin anew when met again."""
MOST_LINKING = 100
"""Other domains that are counted: who has so many has share enough."""

Lowered = tuple[Candidate, Refusal]


@dataclass(slots=True)
class _Domain:
    hosts: set[int] | tuple[int, ...] = ()  # let in; a set of the one that most domains have takes 200 bytes
    waiting: tuple[int, ...] = ()
    linking: tuple[int, ...] = ()  # other domains that link to it
    gains: int = 0

    @property
    def share(self) -> int:
        """Return how many hosts may be let in."""
        return FREE + FOR_A_GAIN * self.gains + FOR_A_DOMAIN * len(self.linking)

    def let_in(self, host: int) -> None:
        if isinstance(self.hosts, set):
            self.hosts.add(host)
        elif host not in self.hosts:
            self.hosts = {*self.hosts, host} if self.hosts else (host,)


class DomainShares:
    """Knows the hosts of each domain. The same visits in the same order make the same shares."""

    def __init__(self) -> None:
        self._domains: OrderedDict[str, _Domain] = OrderedDict()

    def admit(self, links: Sequence[Candidate], source: str) -> tuple[Sequence[Candidate], list[Lowered]]:
        """Return which links of a page are queued, and which are lowered: their hosts wait."""
        origin = domain_of(host_of(source))
        by = hash(origin)  # one object for all that it links to
        is_in: dict[str, bool] = {}
        for link in links:
            host = link.url.split("/", 3)[2]
            if host not in is_in:
                is_in[host] = self._lets_in(host, origin, by)
        if all(is_in.values()):
            return links, []
        hosts = [link.url.split("/", 3)[2] for link in links]
        lowered = [
            (link, Refusal(SHARE, domain_of(host)))
            for link, host in zip(links, hosts, strict=True)
            if not is_in[host]
        ]
        return [link for link, host in zip(links, hosts, strict=True) if is_in[host]], lowered

    def _lets_in(self, host: str, origin: str, by: int) -> bool:
        """Tell whether links to a host are queued, and let it in, or let it wait."""
        name, key = domain_of(host), hash(host)
        domain = self._of(name)
        may_count = name != origin and len(domain.linking) < MOST_LINKING
        if may_count and not self._of(origin).waiting and by not in domain.linking:
            domain.linking += (by,)
        if key in domain.hosts:
            return True
        if len(domain.hosts) < domain.share:
            if key in domain.waiting:
                domain.waiting = _without(domain.waiting, key)
            domain.let_in(key)
            return True
        if key not in domain.waiting and len(domain.waiting) < MOST_WAITING:
            domain.waiting += (key,)
        return False

    def restore(self, let_in: Iterable[str], lowered: Iterable[str]) -> None:
        """Take in the hosts of what an earlier run has queued, and of what it has lowered."""
        for host in let_in:
            self._of(domain_of(host)).let_in(hash(host))
        for host in lowered:
            domain, key = self._of(domain_of(host)), hash(host)
            if key not in domain.hosts and key not in domain.waiting and len(domain.waiting) < MOST_WAITING:
                domain.waiting += (key,)

    def record(self, url: str, *, is_gain: bool, parent: str | None = None) -> None:
        """Count a fetched page; a gain is one that is relevant by its own words, and no copy.

        `parent`: the page that links to it, where that link was not asked about here.
        """
        host = host_of(url)
        if parent is not None:
            origin = domain_of(host_of(parent))
            self._lets_in(host, origin, hash(origin))
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
