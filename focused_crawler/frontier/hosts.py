"""The hosts of a frontier: who may be asked now, and which of them holds the best URL.

A host keeps its few best pending URLs in memory; the rest stays in the backend until these are used up.
Heaps hold the hosts: the ready ones, and those with pending URLs that are worth a wait, by (tries, -priority,
load, tie) of their best URL; the waiting ones by the time of their next check.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Collection
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.host import LONGEST_HOLD, Alarm, Host, Politeness, Ready
from focused_crawler.frontier.host_heap import HostHeap
from focused_crawler.frontier.order import Entry, Ranks, Standing
from focused_crawler.frontier.urls import Out
from focused_crawler.store.schema import State

if TYPE_CHECKING:
    from focused_crawler.frontier.urls import KnownUrl, UrlTable

MOST_HOSTS = 2_000
"""Hosts in memory, or twice as many as have something pending: others are read when they are met again."""
BUFFER = 8
"""Pending URLs of a host in memory: more cost memory on 100,000 hosts, fewer cost more refills."""


class HostQueues:
    """Puts each host where it belongs after every change, and picks the best."""

    def __init__(self, urls: UrlTable, rules: Rules) -> None:
        self._urls = urls
        self.politeness = Politeness(rules)
        self._share = rules.wait_for_best if rules.n_best == 1 else 0.0  # what is in a batch goes first
        self._waits: dict[int, float] = {}  # key of a URL that waits -> its retry_at
        self._by_name: dict[str, Host] = {}
        self._by_id: dict[int, Host] = {}
        self._most = MOST_HOSTS
        self._picked = 0  # URLs, since hosts were forgotten
        self.known = 0  # hosts ever met
        self.ranks = Ranks()
        self.sharers = 1  # frontiers that choose a batch together, each of its own hosts
        self.best_elsewhere: Standing | None = None  # of other frontiers, each of its own hosts
        self.closed: list[tuple[str, str]] = []  # (host, rule), since somebody asked
        self._ready: HostHeap[Ready] = HostHeap()
        self._held: HostHeap[Ready] = HostHeap()
        self._alarms: HostHeap[Alarm] = HostHeap()
        self.waiting = 0

    def __len__(self) -> int:
        return self.known

    def load(self, host: Host) -> None:
        """Take in a host the backend knows."""
        self._by_name[host.name] = self._by_id[host.id] = host

    def named(self, name: str) -> Host:
        """Return the host of that name, a new one if need be."""
        host = self._by_name.get(name)
        if host is None:
            host, is_new = self._urls.host_named(name, is_new=self.known == len(self._by_id))
            self.known += is_new
            self.load(host)
            if (until := self._urls.asked_until(host.id)) and not host.is_closed:
                self.politeness.perhaps_asked(host, until)
            if not is_new and not host.is_closed and self.politeness.is_spent(host):  # by an earlier limit
                self.close(host)
                self._urls.save((host,))
        return host

    def numbered(self, id: int) -> Host:
        host = self._by_id.get(id)
        if host is None:
            host = self._urls.host_numbered(id)
            self.load(host)
        return host

    def unload(self, hosts: Collection[Host]) -> None:
        """Let go of hosts that are not ours any more; nothing of them is out, and all are saved."""
        for host in hosts:
            for heap in (self._ready, self._held, self._alarms):
                heap.remove(host.id)
            self._set_waiting(host, False)
            for retry_at, key in host.retries:
                if self._waits.get(key) == retry_at:
                    del self._waits[key]
            del self._by_id[host.id], self._by_name[host.name]

    @property
    def loaded(self) -> Collection[Host]:
        """Return the hosts in memory: all that have anything pending, waiting or out."""
        return self._by_id.values()

    def has_ready(self) -> bool:
        """Tell whether any host with pending URLs may be asked now."""
        return self._first_ready() is not None

    def forget_idle(self, out: Collection[Out] = ()) -> None:
        """Forget the hosts with nothing to ask for, where there are too many; all have just been saved.

        They are looked for when there are twice as many, or a quarter may have become idle since. `out`: all
        leases; one that was redirected ends on its own host as well, which may have nothing else.
        """
        hosts = len(self._by_id)
        is_time = hosts >= self._most or (hosts >= MOST_HOSTS and self._picked >= self._most // 4)
        if not is_time or not self._urls.KEEPS_HOSTS:
            return
        self._picked = 0
        homes = {one.host.id for one in out}
        for host in [host for host in self._by_id.values() if host.is_idle and host.id not in homes]:
            del self._by_id[host.id], self._by_name[host.name]
        self._most = max(MOST_HOSTS, 2 * len(self._by_id))  # so that looking for them costs little a host

    def put(self, host: Host, *entries: Entry) -> None:
        """Queue URLs that have become pending: in the buffer if they belong there, else in the backend."""
        self.ranks.count(*[-entry[1] for entry in entries])
        self._buffer(host, *entries)

    def _buffer(self, host: Host, *entries: Entry) -> None:
        best, spill = host.best, self._urls.spill
        for entry in entries:
            if host.has_more and (not best or entry > best[-1]):
                spill(host.id, entry)
                continue
            insort(best, entry)
            while len(best) > BUFFER:
                spill(host.id, best.pop())
                host.has_more = True

    def drop(self, host: Host, entry: Entry) -> None:
        """Take a URL that is pending no more out of the buffer."""
        self.ranks.count(-entry[1], more=-1)
        at = bisect_left(host.best, entry)
        if at < len(host.best) and host.best[at] == entry:
            del host.best[at]

    def move(self, host: Host, old: Entry, new: Entry) -> None:
        """Move a pending URL in its host's queue."""
        self.drop(host, old)
        self.put(host, new)

    def wait(self, host: Host, key: int, retry_at: float) -> None:
        """Let a URL wait."""
        self._waits[key] = retry_at
        heappush(host.retries, (retry_at, key))

    def forget_wait(self, key: int) -> None:
        """Let a URL wait no more; its item counts for nothing and goes when it comes up."""
        self._waits.pop(key, None)

    def reposition(self, host: Host, now: float) -> None:
        """Update a host's position after any change to it. The backend must be up to date already."""
        retry_at = self._next_wait(host, now) if host.retries else None
        if host.has_more and not host.best:
            self._refill(host)
        item = None
        if host.best:
            tries, minus_priority, tie, key = host.best[0]
            item = tries, minus_priority, host.load, tie, key, host
        if item is not None and self.politeness.is_free(host, now):
            self._held.remove(host.id)
            self._ready.put(item)
            self._set_alarm(host, retry_at)
            self._set_waiting(host, False)
            return
        self._ready.remove(host.id)
        if item is None or not self._share or not self.politeness.is_worth_waiting(host, now):
            self._held.remove(host.id)
        else:
            self._held.put(item)
        is_waiting = bool(host.best) or retry_at is not None
        self._set_alarm(host, self._look_again_at(host, retry_at) if is_waiting else None)
        self._set_waiting(host, is_waiting)

    def _refill(self, host: Host) -> None:
        wanted = min(host.appetite, BUFFER)
        host.best = self._urls.best(host.id, wanted)
        host.has_more = len(host.best) == wanted
        host.appetite = 2 * wanted

    def _look_again_at(self, host: Host, retry_at: float | None) -> float:
        """Return when a host that may not be asked now, or has nothing but URLs that wait, may be."""
        free_at = self.politeness.free_at(host)
        if retry_at is None or (host.best and not self._share):
            return free_at
        if self._share:  # what becomes pending may be worth a wait
            return min(free_at, retry_at) if host.best else retry_at
        return max(free_at, retry_at)

    def is_over(self, host: Host) -> bool:
        """Tell whether nothing more may be asked of a host."""
        return host.is_closed or self.politeness.is_spent(host)

    def count_page(self, host: Host) -> None:
        """Record that a page of a host was fetched: perhaps it was the last one it may give."""
        host.pages += 1
        host.refusals = host.misses = 0
        if not host.is_closed and self.politeness.is_spent(host):
            self.close(host)

    def close(self, host: Host) -> None:
        """Ask nothing more of a host in this run: all that it has pending is dropped."""
        waiting = {key for retry_at, key in host.retries if self._waits.get(key) == retry_at}
        self.ranks.count(*self._urls.drop(host.id, [entry[-1] for entry in host.best], waiting), more=-1)
        for key in waiting:
            del self._waits[key]
        rule = "host_limit" if self.politeness.is_spent(host) else "refusals"
        self.closed.append((host.name, rule))
        host.best, host.retries, host.has_more, host.ready_at = [], [], False, math.inf

    def wake(self, now: float) -> None:
        """Look again at every host whose time has come."""
        while (alarm := self._alarms.first()) is not None and alarm[0] <= now:
            host = alarm[-1]
            self._alarms.remove(host.id)
            self.reposition(host, now)

    def pick(self, now: float, lease_end: float) -> Out | None:
        """Lease the best URL of all hosts that may be asked now, unless a much better one is worth a wait."""
        best = self._best(now)
        if best is None:
            return None
        host, entry = best
        self.drop(host, entry)
        before = host.asked_at, host.ready_at
        host.load += 1
        self._picked += 1
        self.politeness.ask(host, now)
        host.leased[entry[-1]] = lease_end
        self._urls.lease(host.id, entry[-1])
        self.reposition(host, now)
        return Out(host, host, entry, lease_end, before, (host.asked_at, host.ready_at))

    def _best(self, now: float) -> tuple[Host, Entry] | None:
        """Return what is to be given out now, and its host."""
        host = self._first_ready()
        if host is None or not self._is_good_enough(host.best[0], now):
            return None
        return host, host.best[0]

    def is_held_back(self, now: float) -> bool:
        """Tell whether what could be given out has to wait for something much better."""
        host = self._first_ready()
        if host is None or not host.best:  # where a full disk has cut off its refill
            return False
        return not self._is_good_enough(host.best[0], now)

    def best_standing(self, now: float) -> Standing | None:
        """Return the standing of the best URL that is ready or worth a wait."""
        hosts = (self._first_ready(), self._best_held(now))
        return min((host.best[0][:2] for host in hosts if host is not None), default=None)

    def _is_good_enough(self, entry: Entry, now: float) -> bool:
        """Tell whether a URL may be given out before the best one that has to wait or is elsewhere."""
        if not self._share:
            return True
        best: Standing | Entry | None = self.best_elsewhere
        host = self._best_held(now)
        if host is not None and (best is None or host.best[0] < best):
            best = host.best[0]
        return best is None or entry < best or entry[1] <= self._share * best[1]

    def _best_held(self, now: float) -> Host | None:
        """Return the host of the best URL that is worth a wait."""
        while (item := self._held.first()) is not None:
            if self.politeness.is_worth_waiting(item[-1], now):
                return item[-1]
            self._held.remove(item[-1].id)
        return None

    def next_ready_at(self, now: float) -> float | None:
        """Return `now` if a URL may be taken, else the first time at which one may."""
        first = math.inf
        host = self._first_ready()
        if host is not None:
            if self._is_good_enough(host.best[0], now):
                return now
            if (held := self._best_held(now)) is not None:
                first = held.ready_at + LONGEST_HOLD
        if (alarm := self._alarms.first()) is not None:
            first = min(first, alarm[0])
        return None if first == math.inf else first

    def _first_ready(self) -> Host | None:
        item = self._ready.first()
        return None if item is None else item[-1]

    def _set_alarm(self, host: Host, moment: float | None) -> None:
        if moment is None:
            self._alarms.remove(host.id)
        else:
            self._alarms.put((moment, host.id, host))

    def _set_waiting(self, host: Host, is_waiting: bool) -> None:
        self.waiting += is_waiting - host.is_waiting
        host.is_waiting = is_waiting

    def _next_wait(self, host: Host, now: float) -> float | None:
        """Make those of a host's URLs pending that have waited long enough; return when the next one will."""
        due = []
        while host.retries:
            retry_at, key = host.retries[0]
            is_over = self._waits.get(key) != retry_at
            if not is_over and retry_at > now:
                break
            heappop(host.retries)
            if not is_over:
                due.append(key)
                del self._waits[key]
        for key, row in self._urls.find(due).items():
            self._urls.move(key, row.state, State.PENDING, row.tries)
            self.put(host, entry_of(key, row))
        return host.retries[0][0] if host.retries else None


def entry_of(key: int, row: KnownUrl) -> Entry:
    """Return the position of a known URL in its host's queue."""
    return row.tries, -row.priority, row.tie, key
