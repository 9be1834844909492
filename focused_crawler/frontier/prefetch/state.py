"""The state that the crawl shares with the thread of its shared frontier, under one lock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from threading import Condition

from focused_crawler.frontier.base import FrontierStats, Lease
from focused_crawler.frontier.prefetch.buffer import Buffer
from focused_crawler.frontier.prefetch.calls import Call
from focused_crawler.safety.errors import CrawlError

PAGES_A_SLOT = 8
"""One more URL may be out for each so many that have ended.

What is out was chosen without knowledge of the pages out. On the real web, 4 workers with 16 slots each from
the first second on find a quarter less in |T| pages than one does; with this, as much.
"""

SECONDS_A_SLOT = 1.0
"""And one for each so many seconds: a first page that never comes must not hold up all others."""


class SlowStart:
    """How many URLs may be out here: a worker's share of what all of them may have out.

    All of them begin as one does, with one slot; those for time and for what had ended before are shared.
    """

    def __init__(self) -> None:
        self.ended_before = 0  # URLs, everywhere before we came
        self.workers = 1  # that live
        self._ended = 0  # URLs, here
        self._began: float | None = None

    def ended(self) -> None:
        """Record that a URL has ended here."""
        self._ended += 1

    def most_out(self, now: float) -> int:
        """Return how many may be out, at least one; `now` is of a clock that only grows."""
        if self._began is None:
            self._began = now
        shared = 1 + self.ended_before / PAGES_A_SLOT + (now - self._began) / SECONDS_A_SLOT
        return max(1, int(self._ended / PAGES_A_SLOT + shared / self.workers))


FENCE_SECONDS = 3.0
"""A worker without a heartbeat for so long may be taken for dead: it hands out nothing more."""

MOST_CALLS = 2000
"""So many calls wait to be sent at most: the crawl waits then, as its frontier cannot keep up with it."""

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # the first counts a laptop's sleep, too


def ticks() -> float:
    """Return seconds on a clock that never stops, nor goes back."""
    return time.clock_gettime(_CLOCK)


def in_ticks(moment: float) -> float:
    """Return a moment of the wall clock, as that clock goes now, in ticks."""
    return moment - time.time() + ticks()


class PrefetchState:
    """Leases on their way to the crawl, calls on their way to the server, and the last that it sent.

    Whoever calls its methods holds the lock, `changed`. Times are in ticks.
    """

    def __init__(self, most_prefetched: int, most_out: int) -> None:
        self._most_out = most_out
        self.changed = Condition()
        self.buffer = Buffer(most_prefetched)
        self.calls: deque[Call] = deque()  # those to be sent next stay until `sent`
        self.out: dict[str, float] = {}  # what the crawl has, and since when, in ticks; oldest first
        self._lost: set[str] = set()  # of these, what others may have, too
        self.closed_hosts: list[tuple[str, str]] = []
        self.failure: BaseException | None = None
        self.close_at: float | None = None  # in ticks; when closing has to be over
        self.last_heartbeat = -FENCE_SECONDS
        self.offset = 0.0  # seconds by which the server's clock is ahead of ticks
        self.has_lost = False
        self.pause = 0.0  # seconds from one take to the next, while there are none
        self.stats: FrontierStats | None = None
        self.start = SlowStart()
        self._is_over = False
        self._queued = self.calls_sent = 0
        self._seen = -1  # how much had been queued when `_is_over` was found out
        self._ending: set[str] = set()  # ended by the crawl, and not sent yet

    @property
    def is_fenced(self) -> bool:
        """Tell whether the server may have given what is here to others."""
        return ticks() - self.last_heartbeat > FENCE_SECONDS

    @property
    def server_now(self) -> float:
        """Return the time of the server's clock, whatever becomes of the wall clock here."""
        return ticks() + self.offset

    @property
    def free_slots(self) -> int:
        """Return how many more URLs may be out."""
        return max(0, min(self._most_out, self.start.most_out(ticks())) - len(self.out))

    @property
    def is_starting(self) -> bool:
        """Tell whether fewer URLs may be out than later."""
        return self.start.most_out(ticks()) < self._most_out

    @property
    def room(self) -> int:
        """Return how many URLs are to be taken now.

        No more than the crawl can begin with at once: what waits here keeps its host from workers that could.
        """
        return 0 if self.is_fenced else min(self.buffer.room, max(0, self.free_slots - len(self.buffer)))

    @property
    def has_more(self) -> bool:
        """Tell whether anything is here, was queued after the server had nothing more, or is left there."""
        return len(self.buffer) > 0 or self._seen < self._queued or not self._is_over

    @property
    def known(self) -> set[str]:
        """Return all that is out in this worker's name, as far as it knows."""
        return {*self.out, *self.buffer.urls, *self._ending}

    def check(self) -> None:
        """Raise what has ended the thread."""
        if isinstance(self.failure, CrawlError):
            raise type(self.failure)(*self.failure.args) from self.failure
        if self.failure is not None:
            raise CrawlError(f"the frontier failed: {self.failure!r}") from self.failure

    def enqueue(self, call: Call) -> None:
        """Let a call be sent after all others; wait where too many are."""
        self.changed.wait_for(lambda: len(self.calls) < MOST_CALLS or self.failure is not None)
        self.check()
        self.calls.append(call)
        self._queued += 1
        if call.ended is not None:
            self.out.pop(call.ended, None)
            self._lost.discard(call.ended)
            self._ending.add(call.ended)
            self.start.ended()
        self.changed.notify_all()

    def hand_out(self, n: int, now: float) -> list[Lease]:
        """Give the crawl the best that was prefetched, unless others may have it by now."""
        self.check()
        if self.is_fenced:
            self.forget_prefetched()
            return []
        leases: list[Lease] = []
        n = min(n, self.free_slots)
        while len(leases) < n and (lease := self.buffer.pop(ticks())) is not None:
            self.out[lease.url] = now
            self._lost.discard(lease.url)
            leases.append(lease)
        if self.room:
            self.changed.notify_all()
        return leases

    def forget_prefetched(self) -> None:
        """Leave what was prefetched to others; `has_lost`: the server does not know of it yet.

        What the crawl has may be others', too: it is not to ask for it any more.
        """
        self.buffer.clear()
        self._lost.update(self.out)
        self.has_lost = True

    def holds(self, url: str) -> bool:
        """Tell whether the crawl has a URL, and nobody else can."""
        return url in self.out and url not in self._lost and not self.is_fenced

    def renew(self, url: str, now: float) -> None:
        """Let the crawl have a URL for as long again as it may."""
        if self.out.pop(url, None) is not None:
            self.out[url] = now

    def out_since(self, moment: float) -> list[str]:
        """Return what the crawl has had since then or longer."""
        return [url for url, _ in takewhile(lambda item: item[1] <= moment, self.out.items())]

    def sent(self, calls: Sequence[Call]) -> None:
        """Record that the first calls were sent: there is room for others."""
        for _ in calls:
            self.calls.popleft()
        self.calls_sent += len(calls)
        self.changed.notify_all()

    def delivered(self, call: Call) -> None:
        """Record that the server has received a call."""
        if call.ended is not None:
            self._ending.discard(call.ended)

    def answered(self, stats: FrontierStats, sent: int, *, is_over: bool) -> None:
        """Take in the state of the whole, as of when so many calls had been sent."""
        if self.stats is None:
            self.start.ended_before = stats.done
        self.stats, self._is_over, self._seen = stats, is_over, sent
