"""What must hold whatever a fleet does: one owner a host, its delay, and every URL kept once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable

from focused_crawler.frontier.base import Candidate, FrontierStats, Lease
from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from focused_crawler.page.url import url_key
from tests.fleet.simulation.world import host_number

CLOSE = 1e-3
"""Seconds by which a delay may be short: a server keeps times in this precision at least."""

SOON = 0.5
"""Seconds of real time between what a server and we call a worker's last sign of life, at most."""


class Laws:
    """Watches a fleet, and counts what breaks a law."""

    def __init__(self, delay: float) -> None:
        self.broken: Counter[str] = Counter()
        self._delay = delay
        self._offered: set[int] = set()
        self._out: dict[int, dict[str, int]] = {}  # host -> living workers that have URLs of it, how many
        self._orphans: dict[int, float] = {}  # host -> real time of the last sign of its owner, who died
        self._asked_at: dict[int, float] = {}
        self._delays: dict[int, float] = {}  # that hosts asked for
        self._held: dict[int, float] = {}
        self._said: dict[str, list[tuple[Lease, str]]] = {}  # ended by a worker, not kept yet
        self._done: set[int] = set()
        self._failed: set[int] = set()

    def offered(self, links: Iterable[Candidate]) -> None:
        self._offered.update(url_key(link.url) for link in links)

    def wanted(self, host: int) -> float:
        """Return the seconds between two requests to a host, as far as it has said."""
        return max(self._delay, self._delays.get(host, 0.0))

    def paced(self, host: int, delay: float) -> None:
        self._delays[host] = delay

    def held(self, host: int, until: float) -> None:
        self._held[host] = until

    def taken(self, worker: str, url: str, now: float) -> None:
        """A host has one owner, is left alone while it refuses, and no URL that is over comes back."""
        host, key = host_number(url), url_key(url)
        owners = self._out.setdefault(host, {})
        self.broken["two owners"] += bool(owners.keys() - {worker}) or self._is_orphan(host)
        self.broken["refusal ignored"] += now < self._held.get(host, 0.0) - CLOSE
        self.broken["given again"] += key in self._done or key in self._failed
        owners[worker] = owners.get(worker, 0) + 1

    def _is_orphan(self, host: int) -> bool:
        """Tell whether a host is still that of a worker who died: nobody can know yet that it did."""
        since = self._orphans.pop(host, None)
        return since is not None and time.monotonic() < since + WORKER_SECONDS - SOON

    def asked(self, host: int, at: float, wanted: float) -> None:
        """A delay lies between two requests to a host, whoever made them."""
        before = self._asked_at.get(host)
        if before is not None:
            self.broken["delay broken"] += at < before + wanted - CLOSE
        self._asked_at[host] = at

    def ended(self, worker: str, url: str) -> None:
        owners = self._out[host_number(url)]
        owners[worker] -= 1
        if not owners[worker]:
            del owners[worker]

    def said(self, worker: str, lease: Lease, kind: str) -> None:
        """Take note of the end of a lease, which is not kept yet."""
        self._said.setdefault(worker, []).append((lease, kind))

    def kept(self, worker: str) -> list[Lease]:
        """Take note that all of these are kept; return those that were pages."""
        pages = []
        for lease, kind in self._said.pop(worker, ()):
            key = url_key(lease.url)
            if kind == "page":
                self.broken["kept twice"] += key in self._done
                self._done.add(key)
                pages.append(lease)
            elif kind == "gone":
                self._failed.add(key)
        return pages

    def died(self, worker: str) -> None:
        """Forget what a worker has not kept, which comes again; its hosts are its own for a while."""
        self._said.pop(worker, None)
        for host, owners in self._out.items():
            if owners.pop(worker, 0):
                self._orphans[host] = time.monotonic()

    def count(self, stats: FrontierStats) -> None:
        """At the end, nobody having anything out: every URL ever offered is kept, given up or pending."""
        self.broken["lost"] += abs(len(self._offered) - stats.known)
        self.broken["done, not kept"] += abs(len(self._done) - stats.done)
        self.broken["failed, not kept"] += abs(len(self._failed) - stats.failed)
        waiting = len(self._offered) - len(self._done) - len(self._failed) - stats.dropped
        self.broken["not pending"] += abs(waiting - stats.pending) + stats.leased
