"""A host of a frontier, and how politely it is asked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from focused_crawler.frontier.base import LONGEST_WAIT, MAX_REFUSALS, Rules
from focused_crawler.frontier.order import Entry


class Clock:
    """Turns the caller's time into time that only grows: when his clock jumps back, no wait gets longer."""

    def __init__(self, latest: float = 0.0) -> None:
        self.latest = latest
        self._ahead = 0.0

    def tick(self, now: float) -> float:
        """Advance to the caller's time; return ours, never less than before."""
        if math.isfinite(now):
            if now + self._ahead < self.latest:
                self._ahead = self.latest - now
            self.latest = max(self.latest, now + self._ahead)
        return self.latest

    def inside(self, moment: float) -> float:
        """Return the caller's moment in our time."""
        return moment + self._ahead

    def outside(self, moment: float) -> float:
        """Return our moment in the caller's time: the first at which it has come."""
        seen = moment - self._ahead
        while seen + self._ahead < moment:
            seen = math.nextafter(seen, math.inf)
        return seen


MOST_MISSES = 8
"""After so many answers in a row that were no page nobody waits for a host any more, until one is."""
LONGEST_HOLD = 6.0
"""Seconds: nobody waits for a host with a longer delay, nor longer than that for its answer.

So a delay of five seconds is waited for, and the ten that many sites ask for are not.
"""

Ready = tuple[int, float, int, int, int, "Host"]
Alarm = tuple[float, int, "Host"]


@dataclass(slots=True, eq=False, repr=False)
class Host:
    """A host with its best pending URLs. Times are those of the frontier's clock."""

    id: int
    name: str
    load: int = 0  # URLs handed out so far
    asked_at: float = 0.0
    ready_at: float = 0.0  # infinity: closed, for the rest of this run
    delay: float = 0.0  # seconds between two URLs that it asked for itself
    pages: int = 0  # fetched, over all runs
    refusals: int = 0  # in a row
    best: list[Entry] = field(default_factory=list)  # the best of its pending URLs, best first
    appetite: int = 1  # how many to refill `best` with: more each time, few where seldom asked
    has_more: bool = False  # the backend may hold pending URLs that are not in `best`
    leased: dict[int, float] = field(default_factory=dict)  # key of the URL -> end of its lease, oldest first
    retries: list[tuple[float, int]] = field(default_factory=list)  # heap of (retry_at, key): HostQueues.wait
    misses: int = 0  # leases in a row that ended without a page; a slow one counts for `MOST_MISSES`
    is_waiting: bool = False

    def __lt__(self, other: Host) -> bool:
        """Let a heap hold a URL beside an outdated entry of it, under another name of its host."""
        return self.id < other.id

    @property
    def is_idle(self) -> bool:
        """Tell whether it has nothing pending, waiting or out."""
        return not (self.best or self.has_more or self.retries or self.leased)

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing more is asked of it in this run; nothing of it is pending then."""
        return self.ready_at == math.inf


class Politeness:
    """When a host may be asked, and for how much."""

    def __init__(self, rules: Rules) -> None:
        self._delay = rules.delay
        self._per_host = rules.per_host or math.inf
        self._most_pages = rules.host_pages or math.inf
        self._retry_delay = rules.retry_delay

    def is_free(self, host: Host, now: float) -> bool:
        """Tell whether a host may be asked now."""
        out = len(host.leased)
        return host.ready_at <= now and out < self._per_host and host.pages + out < self._most_pages

    def is_worth_waiting(self, host: Host, now: float) -> bool:
        """Tell whether others may wait for a host that may not be asked now: it serves pages, and soon."""
        if host.refusals or host.misses >= MOST_MISSES:
            return False
        return host.ready_at - host.asked_at <= LONGEST_HOLD and now < host.ready_at + LONGEST_HOLD

    def has_room(self, host: Host) -> bool:
        """Tell whether a host may give one more page, if all that is out turns out to be pages."""
        return host.pages + len(host.leased) < self._most_pages

    def is_spent(self, host: Host) -> bool:
        """Tell whether a host has given all the pages it may."""
        return host.pages >= self._most_pages

    def free_at(self, host: Host) -> float:
        """Return when a host may be asked, if all that is out stays out as long as it may."""
        out = len(host.leased)
        if out < self._per_host and host.pages + out < self._most_pages:
            return host.ready_at
        return max(host.ready_at, next(iter(host.leased.values())))

    def perhaps_asked(self, host: Host, until: float) -> None:
        """Take note that a host may have been asked until then, by a worker that died."""
        host.ready_at = max(host.ready_at, until + self._gap(host))

    def ask(self, host: Host, now: float) -> None:
        """Record that a host is asked now."""
        host.asked_at = now
        ready_at = now + (host.delay if host.delay > self._delay else self._delay)
        host.ready_at = max(host.ready_at, ready_at)

    def pace(self, host: Host, delay: float) -> None:
        """Let a host choose its delay."""
        host.delay = min(max(0.0, delay), LONGEST_WAIT)  # 0 for what is no number
        if host.asked_at:
            host.ready_at = max(host.ready_at, host.asked_at + self._gap(host))

    def back_off(self, host: Host, now: float, seconds: float | None) -> bool:
        """Leave a host alone that refuses, longer each time; return whether it is to be given up."""
        host.refusals += 1
        wait = self._patience(host) if seconds is None else max(0.0, seconds)
        host.ready_at = max(host.ready_at, now + min(wait, LONGEST_WAIT))
        return host.refusals >= MAX_REFUSALS

    def reopen(self, host: Host) -> bool:
        """Open a host that an earlier run closed, unless it has given its pages; return whether it was.

        One that refused too often gets another chance, when it has waited once more.
        """
        if not host.is_closed or self.is_spent(host):
            return False
        host.refusals = min(host.refusals, MAX_REFUSALS - 1)
        wait = min(self._patience(host), LONGEST_WAIT) if host.refusals else 0.0
        host.ready_at = host.asked_at + max(self._gap(host), wait)
        return True

    def _gap(self, host: Host) -> float:
        return max(self._delay, host.delay)

    def _patience(self, host: Host) -> float:
        return self._retry_delay * 2.0 ** min(host.refusals - 1, 30)
