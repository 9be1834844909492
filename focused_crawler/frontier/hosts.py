"""The hosts of a frontier: who may be asked now, and which of them holds the best URL.

A host keeps its few best pending URLs in memory; the rest stays in the backend until these are used up.
Two heaps hold the hosts: the ready ones by (tries, -priority, load, tie) of their best URL, the waiting ones
by the time they are to be looked at again. An item counts only while its host points to it, so that a
change costs one push and old items are dropped when they come up.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.frontier.order import Entry
from focused_crawler.store.schema import State

if TYPE_CHECKING:
    from focused_crawler.frontier.urls import KnownUrl, UrlTable

BUFFER = 8
"""Pending URLs of a host in memory: more cost memory on 100,000 hosts, fewer cost more refills."""

_Ready = tuple[int, float, int, int, int, "Host"]
_Alarm = tuple[float, int, "Host"]


class Host:
    """A host with its best pending URLs. Times are those of the frontier's clock."""

    __slots__ = (
        "alarm",
        "appetite",
        "asked_at",
        "best",
        "has_more",
        "id",
        "is_waiting",
        "leased",
        "load",
        "name",
        "ready",
        "ready_at",
        "retries",
    )

    def __init__(
        self, id: int, name: str, load: int = 0, asked_at: float = 0.0, ready_at: float = 0.0
    ) -> None:
        self.id = id
        self.name = name
        self.load = load  # URLs handed out so far
        self.asked_at = asked_at
        self.ready_at = ready_at
        self.best: list[Entry] = []  # the best of its pending URLs, best first
        self.appetite = (
            1  # how many to refill `best` with: more each time, few on hosts that are seldom asked
        )
        self.has_more = False  # the backend may hold pending URLs that are not in `best`
        self.leased: dict[int, float] = {}  # key of the URL -> end of its lease, oldest first
        self.retries: list[tuple[float, int]] = []  # heap of (retry_at, key)
        self.ready: _Ready | None = None
        self.alarm: _Alarm | None = None
        self.is_waiting = False


class Out(NamedTuple):
    """A URL that is out."""

    host: Host
    entry: Entry
    end: float
    host_before: tuple[float, float]  # the host's asked_at and ready_at before and after
    host_after: tuple[float, float]


class HostQueues:
    """Puts each host where it belongs after every change, and picks the best."""

    def __init__(self, urls: UrlTable, delay: float, per_host: int | None) -> None:
        self._urls = urls
        self._delay = delay
        self._per_host = per_host
        self._by_name: dict[str, Host] = {}
        self._by_id: dict[int, Host] = {}
        self._ready: list[_Ready] = []
        self._alarms: list[_Alarm] = []
        self.waiting = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def load(self, host: Host) -> None:
        """Take in a host the backend knows."""
        self._by_name[host.name] = self._by_id[host.id] = host

    def named(self, name: str) -> Host:
        """Return the host of that name, a new one if need be."""
        host = self._by_name.get(name)
        if host is None:
            host = Host(self._urls.add_host(name), name)
            self.load(host)
        return host

    def numbered(self, id: int) -> Host:
        """Return the host with that id."""
        return self._by_id[id]

    def put(self, host: Host, entry: Entry) -> None:
        """Queue a pending URL: in the buffer if it belongs there, else in the backend."""
        best = host.best
        if host.has_more and (not best or entry > best[-1]):
            self._urls.spill(host.id, entry)
            return
        insort(best, entry)
        if len(best) > BUFFER:
            self._urls.spill(host.id, best.pop())
            host.has_more = True

    def drop(self, host: Host, entry: Entry) -> None:
        """Take a URL that is pending no more, or otherwise than before, out of the buffer."""
        at = bisect_left(host.best, entry)
        if at < len(host.best) and host.best[at] == entry:
            del host.best[at]

    def forget_retry(self, host: Host, key: int) -> None:
        """Take out a URL that waits no more."""
        host.retries = [retry for retry in host.retries if retry[1] != key]
        heapify(host.retries)

    def place(self, host: Host, now: float) -> None:
        """Bring a host's place up to date after any change to it. The backend must be up to date already."""
        if host.retries and host.retries[0][0] <= now:
            self._end_waits(host, now)
        if host.has_more and not host.best:
            wanted = min(host.appetite, BUFFER)
            host.best = self._urls.best(host.id, wanted)
            host.has_more = len(host.best) == wanted
            host.appetite = 2 * wanted
        is_full = self._per_host is not None and len(host.leased) >= self._per_host
        free_at = max(host.ready_at, next(iter(host.leased.values()))) if is_full else host.ready_at
        retry_at = host.retries[0][0] if host.retries else None
        if host.best and free_at <= now and not is_full:
            self._set_ready(host)
            self._set_alarm(host, retry_at)
            self._set_waiting(host, False)
            return
        host.ready = None
        if host.best:
            self._set_alarm(host, free_at)
        else:
            self._set_alarm(host, None if retry_at is None else max(free_at, retry_at))
        self._set_waiting(host, host.alarm is not None)

    def wake(self, now: float) -> None:
        """Look again at every host whose time has come."""
        while self._alarms and self._alarms[0][0] <= now:
            item = heappop(self._alarms)
            host = item[-1]
            if host.alarm is item:
                host.alarm = None
                self.place(host, now)

    def pick(self, now: float, lease_end: float) -> Out | None:
        """Lease the best URL of all hosts that may be asked now."""
        host = self._first_ready()
        if host is None:
            return None
        entry = host.best.pop(0)
        before = host.asked_at, host.ready_at
        host.load += 1
        host.asked_at = now
        host.ready_at = max(host.ready_at, now + self._delay)
        host.leased[entry[-1]] = lease_end
        self._urls.lease(entry[-1])
        self.place(host, now)
        return Out(host, entry, lease_end, before, (host.asked_at, host.ready_at))

    def next_ready_at(self, now: float) -> float | None:
        """Return `now` if a URL may be taken, else the first time at which one may."""
        if self._first_ready() is not None:
            return now
        while self._alarms and self._alarms[0][-1].alarm is not self._alarms[0]:
            heappop(self._alarms)
        return self._alarms[0][0] if self._alarms else None

    def _first_ready(self) -> Host | None:
        while self._ready:
            item = self._ready[0]
            if item[-1].ready is item:
                return item[-1]
            heappop(self._ready)
        return None

    def _set_ready(self, host: Host) -> None:
        tries, minus_priority, tie, key = host.best[0]
        item = (tries, minus_priority, host.load, tie, key, host)
        if host.ready == item:
            return
        host.ready = item
        heappush(self._ready, item)
        if len(self._ready) > 2 * len(self._by_id) + 64:
            self._ready = [item for item in self._ready if item[-1].ready is item]
            heapify(self._ready)

    def _set_alarm(self, host: Host, moment: float | None) -> None:
        if moment is None:
            host.alarm = None
            return
        if host.alarm is not None and host.alarm[0] == moment:
            return
        host.alarm = (moment, host.id, host)
        heappush(self._alarms, host.alarm)
        if len(self._alarms) > 2 * len(self._by_id) + 64:
            self._alarms = [item for item in self._alarms if item[-1].alarm is item]
            heapify(self._alarms)

    def _set_waiting(self, host: Host, is_waiting: bool) -> None:
        self.waiting += is_waiting - host.is_waiting
        host.is_waiting = is_waiting

    def _end_waits(self, host: Host, now: float) -> None:
        """Make those of a host's failed URLs pending whose time has come."""
        due = []
        while host.retries and host.retries[0][0] <= now:
            due.append(heappop(host.retries)[1])
        for key, row in self._urls.find(due).items():
            self._urls.move(key, row.state, State.PENDING, row.tries)
            self.put(host, entry_of(key, row))


def entry_of(key: int, row: KnownUrl) -> Entry:
    """Return the place of a known URL in its host's queue."""
    return row.tries, -row.priority, row.tie, key
