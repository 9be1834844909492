"""Shares of registered domains: one owner's ever new hosts cannot take the crawl.

A name server that answers for every name makes hosts without end for nothing. So what counts is the
registered domain: some hosts of it may be asked freely, more for what it brings: pages that are relevant by
their own words, and links from other domains. What counts are hosts that were asked, not such as are linked:
a domain of many honest hosts is linked with all of them before the first is fetched, and the best come first.
Once its share is spent, URLs of its other hosts are lowered: they are fetched if nothing better is left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import host_of

FREE = 50
"""Hosts of a domain that are asked whatever it brings."""
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

MANY = 10
"""From so many hosts of a domain on it is written down what counts for its share: pages alone do not tell."""

Lowered = tuple[Candidate, Refusal]


class Share(NamedTuple):
    """What counts for the share of a domain: a host of it that was asked, or another that links to it."""

    domain: str
    key: int  # of the host's name, or the other domain's
    is_host: bool


Note = Callable[[Sequence[Share]], object]
"""Writes such down, for a run that goes on."""


@dataclass(slots=True)
class _Domain:
    hosts: set[int] | tuple[int, ...] = ()  # asked; a set of the one that most domains have takes 200 bytes
    waiting: tuple[int, ...] = ()
    linking: tuple[int, ...] = ()  # other domains that link to it
    gains: int = 0
    is_noted: bool = False  # hosts and linking are written down

    @property
    def share(self) -> int:
        """Return how many hosts may be asked."""
        return FREE + FOR_A_GAIN * self.gains + FOR_A_DOMAIN * len(self.linking)

    def has_room(self, host: int) -> bool:
        """Tell whether a host was asked, or may be."""
        return host in self.hosts or len(self.hosts) < self.share

    def hold(self, host: int) -> None:
        if host not in self.waiting and len(self.waiting) < MOST_WAITING:
            self.waiting += (host,)

    def let_in(self, host: int) -> None:
        if host in self.waiting:
            self.waiting = _without(self.waiting, host)
        if isinstance(self.hosts, set):
            self.hosts.add(host)
        elif host not in self.hosts:
            self.hosts = {*self.hosts, host} if self.hosts else (host,)


class DomainShares:
    """Knows the hosts of each domain. The same visits in the same order make the same shares."""

    def __init__(self) -> None:
        self._domains: OrderedDict[str, _Domain] = OrderedDict()
        self.note: Note | None = None  # None: nobody goes on

    def admit(self, links: Sequence[Candidate], source: str) -> tuple[Sequence[Candidate], list[Lowered]]:
        """Return which links of a page are queued, and which are lowered: their hosts wait."""
        origin = domain_of(host_of(source))
        by = _key(origin)  # one object for all that it links to
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

    def ask(self, url: str) -> Refusal | None:
        """Count the host of a URL that is to be fetched now as asked; return why not: its domain floods."""
        host = host_of(url)
        name, key = domain_of(host), _key(host)
        domain = self._of(name)
        if key in domain.hosts:
            return None
        if domain.has_room(key):
            self._let_in(name, domain, key)
            return None
        domain.hold(key)
        return Refusal(SHARE, name)

    def may_have_lowered(self, url: str) -> bool:
        """Tell whether the domain of a URL has, or had, so many hosts that URLs of it were lowered."""
        return len(self._of(domain_of(host_of(url))).hosts) >= FREE

    def _lets_in(self, host: str, origin: str, by: int) -> bool:
        """Tell whether links to a host are queued, else let it wait."""
        name = domain_of(host)
        domain = self._of(name)
        may_count = name != origin and len(domain.linking) < MOST_LINKING
        if may_count and not self._of(origin).waiting and by not in domain.linking:
            domain.linking += (by,)
            if len(domain.hosts) >= MANY:
                self._write_down(domain, Share(name, by, is_host=False))
        if len(domain.hosts) < FREE or domain.has_room(key := _key(host)):  # most have no more
            return True
        domain.hold(key)
        return False

    def _let_in(self, name: str, domain: _Domain, key: int) -> None:
        domain.let_in(key)
        if len(domain.hosts) >= MANY:
            self._write_down(domain, Share(name, key, is_host=True))

    def _write_down(self, domain: _Domain, share: Share) -> None:
        if self.note is None:
            return
        if domain.is_noted:
            self.note([share])
            return
        domain.is_noted = True
        hosts = [share._replace(key=key, is_host=True) for key in domain.hosts]
        self.note([*hosts, *(share._replace(key=key, is_host=False) for key in domain.linking)])

    def restore(self, asked: Iterable[str], lowered: Iterable[str], noted: Iterable[Share] = ()) -> None:
        """Take in the hosts that an earlier run has asked, those of what it has lowered, and what it noted.

        What is noted of a domain is all that counts: hosts that came last were asked beyond its share.
        """
        for name, key, is_host in noted:
            domain = self._of(name)
            if not domain.is_noted:
                domain.hosts, domain.linking, domain.is_noted = (), (), True
            if is_host:
                domain.let_in(key)
            else:
                domain.linking += (key,)
        for host in asked:
            if not (domain := self._of(domain_of(host))).is_noted:
                domain.let_in(_key(host))
        for host in lowered:
            domain, key = self._of(domain_of(host)), _key(host)
            if key not in domain.hosts:
                domain.hold(key)

    def record(self, url: str, *, is_gain: bool, parent: str | None = None) -> None:
        """Count a fetched page; a gain is one that is relevant by its own words, and no copy.

        `parent`: the page that links to it, where that link was not asked about here.
        """
        host = host_of(url)
        if parent is not None:
            origin = domain_of(host_of(parent))
            self._lets_in(host, origin, _key(origin))
        name, key = domain_of(host), _key(host)
        domain = self._of(name)
        domain.gains += is_gain
        if key in domain.hosts:
            return
        if domain.has_room(key):
            self._let_in(name, domain, key)
        elif key in domain.waiting:
            domain.waiting = _without(domain.waiting, key)  # one more may wait: they have no end

    def _of(self, name: str) -> _Domain:
        domain = self._domains.get(name)
        if domain is None:
            domain = self._domains[name] = _Domain()
            if len(self._domains) > MOST_DOMAINS:
                self._domains.popitem(last=False)
        else:
            self._domains.move_to_end(name)
        return domain


@lru_cache(maxsize=256)
def _key(name: str) -> int:
    """Return a number for the name of a host or domain, the same in all runs, with `www.` and without."""
    site = name.removeprefix("www.")
    return int.from_bytes(blake2b(site.encode(), digest_size=8).digest(), "big", signed=True)


def _without(keys: tuple[int, ...], key: int) -> tuple[int, ...]:
    return tuple(each for each in keys if each != key)
