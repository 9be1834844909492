"""The contract of a frontier, written down as plainly as can be: lists searched from end to end every time.

No outside clock, no heaps, no buffers, no database; times are those that pass.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from focused_crawler.frontier.base import LONGEST_WAIT, MAX_REFUSALS, Candidate, Lease, Rules
from focused_crawler.frontier.host import LONGEST_HOLD, MOST_MISSES
from focused_crawler.frontier.order import TieBreaker, clip
from focused_crawler.page.url import host_of, url_key

QUEUED = ("pending", "leased")


@dataclass
class Row:
    """A URL; one that waits is pending with a time before which it is not given out."""

    url: str
    priority: float = 0.0
    depth: int = 0
    parent: str | None = None
    path: bytes | None = None
    tries: int = 0
    state: str = "pending"
    retry_at: float = -math.inf

    @property
    def host(self) -> str:
        return host_of(self.url)


@dataclass
class ModelHost:
    load: int = 0
    asked_at: float = 0.0
    ready_at: float = 0.0
    delay: float = 0.0
    pages: int = 0
    refusals: int = 0
    misses: int = 0

    @property
    def is_closed(self) -> bool:
        return self.ready_at == math.inf


@dataclass
class ModelLease:
    end: float
    at: str  # the host that is asked
    before: tuple[float, float]
    after: tuple[float, float]


@dataclass
class Model:
    rules: Rules
    latest: float = 0.0
    rows: dict[int, Row] = field(default_factory=dict)
    hosts: dict[str, ModelHost] = field(default_factory=dict)
    leases: dict[int, ModelLease] = field(default_factory=dict)
    batch: list[int] = field(default_factory=list)  # keys of pending URLs, in the order of being given out

    def host(self, name: str) -> ModelHost:
        return self.hosts.setdefault(name, ModelHost())

    def row(self, url: str) -> Row | None:
        return self.rows.get(url_key(url))

    def order(self, key: int, chosen: Counter[str]) -> tuple[float, ...]:
        row = self.rows[key]
        load = self.hosts[row.host].load + chosen[row.host]
        return row.tries, -row.priority, load, TieBreaker(self.rules.seed)(key), key

    def best(self, n: int, keys: set[int]) -> list[int]:
        found: list[int] = []
        chosen: Counter[str] = Counter()
        while keys and len(found) < n:
            found.append(min(keys, key=lambda key: self.order(key, chosen)))
            chosen[self.rows[found[-1]].host] += 1
            keys.remove(found[-1])
        return found

    # Hosts

    def gap(self, host: ModelHost) -> float:
        return max(self.rules.delay, host.delay)

    def out(self, name: str) -> list[float]:
        return [lease.end for lease in self.leases.values() if lease.at == name]

    def has_room(self, name: str) -> bool:
        pages = self.host(name).pages + len(self.out(name))
        return not self.rules.host_pages or pages < self.rules.host_pages

    def is_full(self, name: str) -> bool:
        per_host = self.rules.per_host
        return not self.has_room(name) or (per_host is not None and len(self.out(name)) >= per_host)

    def free_at(self, name: str) -> float:
        return max(self.host(name).ready_at, min(self.out(name)) if self.is_full(name) else 0.0)

    def ask(self, host: ModelHost, now: float) -> None:
        host.asked_at, host.ready_at = now, max(host.ready_at, now + self.gap(host))

    def patience(self, host: ModelHost) -> float:
        return min(self.rules.retry_delay * 2 ** (host.refusals - 1), LONGEST_WAIT)

    def pace(self, name: str, delay: float, *, at_least: bool) -> None:
        host = self.host(name)
        host.delay = max(min(delay, LONGEST_WAIT), host.delay if at_least else 0.0)
        if host.asked_at:
            host.ready_at = max(host.ready_at, host.asked_at + self.gap(host))

    def close(self, name: str) -> None:
        self.host(name).ready_at = math.inf
        self.batch = [key for key in self.batch if self.rows[key].host != name]
        for row in self.rows.values():
            if row.host == name and row.state == "pending":
                row.state, row.retry_at = "dropped", -math.inf

    def reopen(self) -> None:
        """What a new run does with hosts, and with leases of the old one."""
        self.batch.clear()
        for name, host in self.hosts.items():
            if host.is_closed and self.has_room(name):
                host.refusals = min(host.refusals, MAX_REFUSALS - 1)
                wait = self.patience(host) if host.refusals else 0.0
                host.ready_at = host.asked_at + max(self.gap(host), wait)
                for row in self.rows.values():
                    if row.host == name and row.state == "dropped":
                        row.state = "pending"

    # URLs

    def add(self, links: list[Candidate]) -> int:
        """A batch is one offer; a URL that was dropped is as good as new where its host may be asked."""
        offers: dict[int, Row] = {}
        for url, given, depth, parent, path in links:
            offer = offers.setdefault(url_key(url), Row(url, -1.0, depth, path=path))
            self.merge(offer, clip(given), depth, parent, path)
        return sum(self.offer(key, offer) for key, offer in offers.items())

    def again(self, links: list[Candidate]) -> int:
        """What has ended is as good as new where its host may be asked."""
        offers: dict[int, Row] = {}
        for url, given, depth, parent, path in links:
            offer = offers.setdefault(url_key(url), Row(url, -1.0, depth, path=path))
            self.merge(offer, clip(given), depth, parent, path)
        back = {
            key: offer
            for key, offer in offers.items()
            if key in self.rows
            and self.rows[key].state in ("done", "failed")
            and not self.host(offer.host).is_closed
        }
        self.rows.update(back)
        return len(back)

    def merge(self, row: Row, priority: float, depth: int, parent: str | None, path: bytes | None) -> None:
        if priority > row.priority:
            row.priority = priority
            if parent is not None:
                row.parent, row.path = parent, path
        row.depth = min(row.depth, depth)

    def offer(self, key: int, offer: Row) -> bool:
        row, is_closed = self.rows.get(key), self.host(offer.host).is_closed
        if row is None or (row.state == "dropped" and not is_closed):
            offer.tries, offer.state = row.tries if row else 0, "dropped" if is_closed else "pending"
            self.rows[key] = offer
            return not is_closed
        if row.state in ("pending", "dropped"):
            self.merge(row, offer.priority, offer.depth, offer.parent, offer.path)
        return False

    def expire(self, now: float) -> int:
        self.latest = now
        old = [key for key, lease in self.leases.items() if lease.end <= now]
        for key in old:
            self.give_back(key)
        return len(old)

    def take(self, n: int, now: float) -> list[Lease]:
        self.expire(now)
        taken = []
        while len(taken) < n and (key := self.next(now)) is not None:
            row = self.rows[key]
            taken.append(Lease(row.url, row.priority, row.depth, row.parent, row.tries, row.path))
            self.lease(key, now)
        return taken

    def next(self, now: float) -> int | None:
        ready = self.ready(now)
        if self.rules.n_best == 1:
            found = next(iter(self.best(1, ready)), None)
            return None if found is None or self.awaited(found, now) is not None else found
        found = self.first_free(now)
        if found is None and ready:
            self.batch = self.best(self.rules.n_best, ready)
            found = self.first_free(now)
        return found

    def awaited(self, key: int, now: float) -> str | None:
        """Return the host that is waited for before this URL is given out."""
        row, held = self.rows[key], self.held(now)
        if not held:
            return None
        best = self.rows[self.best(1, held)[0]]
        is_behind = (row.tries, -row.priority, TieBreaker(self.rules.seed)(key), key) > (
            best.tries, -best.priority, TieBreaker(self.rules.seed)(url_key(best.url)), url_key(best.url)
        )  # fmt: skip
        return best.host if is_behind and row.priority < self.rules.wait_for_best * best.priority else None

    def held(self, now: float) -> set[int]:
        """Return what is pending where nothing may be asked now, and a wait is worth while."""
        if not self.rules.wait_for_best:
            return set()
        keys = self.due(now)
        return {key for key in keys if not self.is_free(self.rows[key].host, now) and self.is_worth(key, now)}

    def is_worth(self, key: int, now: float) -> bool:
        host = self.hosts[self.rows[key].host]
        is_soon = host.ready_at - host.asked_at <= LONGEST_HOLD and now < host.ready_at + LONGEST_HOLD
        return is_soon and not host.refusals and host.misses < MOST_MISSES

    def due(self, now: float) -> set[int]:
        return {key for key, row in self.rows.items() if row.state == "pending" and row.retry_at <= now}

    def ready(self, now: float) -> set[int]:
        return {key for key in self.due(now) if self.is_free(self.rows[key].host, now)}

    def first_free(self, now: float) -> int | None:
        """Return the first of the batch that may be taken."""
        return next((key for key in self.batch if self.is_free(self.rows[key].host, now)), None)

    def is_free(self, name: str, now: float) -> bool:
        return self.host(name).ready_at <= now and not self.is_full(name)

    def lease(self, key: int, now: float) -> None:
        name = self.rows[key].host
        host = self.hosts[name]
        before = host.asked_at, host.ready_at
        host.load += 1
        self.ask(host, now)
        end = now + self.rules.lease_seconds
        self.leases[key] = ModelLease(end, name, before, (host.asked_at, host.ready_at))
        self.rows[key].state = "leased"
        self.leave(key)

    def leave(self, key: int) -> None:
        self.batch = [other for other in self.batch if other != key]

    def give_back(self, key: int) -> None:
        self.finish(key)
        row, host = self.rows[key], self.hosts[self.rows[key].host]
        row.state, row.retry_at = "dropped" if host.is_closed else "pending", -math.inf
        host.load -= 1

    def finish(self, key: int) -> None:
        """End a lease, if there is one."""
        lease = self.leases.pop(key, None)
        if lease is not None:
            host = self.host(lease.at)
            host.misses += MOST_MISSES if self.latest - host.asked_at >= LONGEST_HOLD else 1

    def release(self, url: str) -> None:
        key = url_key(url)
        if key in self.leases:
            host, lease = self.hosts[self.rows[key].host], self.leases[key]
            if (host.asked_at, host.ready_at) == lease.after:
                host.asked_at, host.ready_at = lease.before
            self.give_back(key)

    def end(self, url: str, state: str) -> bool:
        self.finish(url_key(url))
        row = self.rows.setdefault(url_key(url), Row(url, state=""))
        if row.state in ("done", state):
            return False
        self.leave(url_key(url))
        row.state = state
        return True

    def done(self, url: str, final: str) -> None:
        is_new = self.end(url, "done")
        if url_key(final) != url_key(url):
            is_new = self.end(final, "done")
        if is_new:
            host = self.host(host_of(final))
            host.pages, host.refusals, host.misses = host.pages + 1, 0, 0
            if self.rules.host_pages and host.pages >= self.rules.host_pages:
                self.close(host_of(final))

    def failed(self, url: str, retry_at: float | None, more: int = 1) -> None:
        if retry_at is None:
            self.end(url, "failed")
            return
        row = self.rows.setdefault(url_key(url), Row(url))
        if row.state in QUEUED:
            self.finish(url_key(url))
            self.leave(url_key(url))
            row.tries += more
            is_closed = self.host(row.host).is_closed
            row.state, row.retry_at = ("dropped", -math.inf) if is_closed else ("pending", retry_at)

    def refused(self, url: str, name: str, now: float, seconds: float | None) -> bool:
        self.latest = now
        host, row = self.host(name), self.row(url)
        host.refusals += 1
        wait = self.patience(host) if seconds is None else min(seconds, LONGEST_WAIT)
        host.ready_at = max(host.ready_at, now + wait)
        if host.refusals >= MAX_REFUSALS:
            self.close(name)
        if row is None or row.state not in QUEUED:
            return False
        is_last = row.tries + 1 >= self.rules.max_tries
        if (is_last and host.refusals == 1) or (host.is_closed and name != row.host):
            self.end(url, "failed")
            return False
        self.failed(url, host.ready_at, 0 if is_last else 1)
        return row.state == "pending"

    def redirected(self, url: str, name: str, now: float) -> float | None:
        self.latest = now
        lease, host = self.leases.get(url_key(url)), self.host(name)
        is_there = lease is not None and lease.at == name
        if host.is_closed or not (is_there or self.has_room(name)):
            return None
        if lease is not None:
            lease.at, lease.end = name, now + self.rules.lease_seconds
        ready_at = host.ready_at
        if ready_at <= now:
            self.ask(host, now)
        return ready_at

    def next_ready_at(self) -> float | None:
        """Return when a URL may be taken, a lease ends, or a host is waited for no longer."""
        times = [self.look_at(row) for row in self.rows.values() if row.state == "pending"]
        ready = self.ready(self.latest) if self.rules.n_best == 1 else set()
        awaited = self.awaited(self.best(1, ready)[0], self.latest) if ready else None
        if awaited is not None:
            times = [when for when in times if when > self.latest]
            times.append(self.hosts[awaited].ready_at + LONGEST_HOLD)
        times += [lease.end for lease in self.leases.values()]
        return max(min(times), self.latest) if times else None

    def look_at(self, row: Row) -> float:
        """Return when a URL may be taken, or is waited for."""
        may_be_awaited = self.rules.wait_for_best and self.rules.n_best == 1
        is_due_first = may_be_awaited and row.retry_at > self.latest
        return row.retry_at if is_due_first else max(row.retry_at, self.free_at(row.host))

    def count(self, state: str) -> int:
        return sum(row.state == state for row in self.rows.values())
