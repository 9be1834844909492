"""A shared frontier for a crawl that must not wait: a thread prefetches URLs and sends calls later."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any

from focused_crawler.frontier.base import Candidate, Frontier, FrontierStats, Info, Lease, SharedFrontier
from focused_crawler.frontier.prefetch.calls import Call
from focused_crawler.frontier.prefetch.state import PrefetchState, in_ticks, ticks
from focused_crawler.frontier.prefetch.thread import LEAST_PAUSE, PrefetchThread

CLOSE_SECONDS = 10.0

_SLOT_SECONDS = (
    0.05  # to the next take of a crawl that has out what it may; a page that ends brings it sooner
)


class PrefetchFrontier(Frontier):
    """One worker's way to a frontier that others share: no routine call waits for the network.

    Calls are sent in order, a few milliseconds later; only `refused`, `redirected` and `is_known` wait
    for their answers. What is handed out was leased shortly before, so that a better URL found meanwhile
    leaves a little later than it would. While the server does not answer the crawl goes on with what it has;
    after two minutes of that, or when the thread fails in another way, the next call raises a CrawlError.
    """

    def __init__(
        self,
        frontier: SharedFrontier,
        *,
        prefetch: int,
        lease_seconds: float,
        info: Callable[[], Info],
        most_out: int = 2**31,
    ) -> None:
        """Start the thread; it calls `info`, once a second. Raises CrawlError.

        `prefetch`: so many URLs may be leased before the crawl asks for them. `most_out`: so many the
        crawl may have out, prefetched ones included. `lease_seconds`: as the frontier's rules.
        """
        self._lease_seconds = lease_seconds
        self._state = PrefetchState(prefetch, most_out)
        worker = PrefetchThread(frontier, self._state, info)
        self._thread = Thread(target=worker.run, name="frontier", daemon=True)
        self._thread.start()
        self._ask("stats")

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch; return how many links it has: how many of them are new is not known yet."""
        batch = list(links)
        if batch:
            self._send("add", batch)
        return len(batch)

    def again(self, links: Iterable[Candidate]) -> int:
        """Queue URLs that are done or failed once more; return how many were named."""
        batch = list(links)
        self._send("again", batch)
        return len(batch)

    def reprioritise(self, priorities: Mapping[str, float]) -> int:
        """Give pending URLs new priorities, higher or lower; return how many were named."""
        self._send("reprioritise", dict(priorities))
        return len(priorities)

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Hand out the best `n` or fewer of the prefetched URLs, best first."""
        with self._state.changed:
            return self._state.hand_out(n, in_ticks(now))

    def done(self, url: str, final: str | None = None) -> None:
        """Never give `url` out again: its page was fetched, at `final` if redirects led there."""
        self._send("done", url, final)

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on; None or infinity: never again."""
        is_final = retry_at is None or retry_at == math.inf
        self._send("failed", url, None if is_final else self._there(retry_at or 0.0))

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""
        self._send("release", url)

    def pace(self, host: str, delay: float) -> None:
        """Leave so many seconds between two URLs of `host`."""
        self._send("pace", host, delay)

    def asked(self, host: str, at: float) -> None:
        """Record that `host` was really asked then."""
        self._send("asked", host, self._there(at))

    def ack(self) -> None:
        """Record that the caller has stored the outcome of all leases that have ended so far."""
        self._send("ack")

    def refused(self, url: str, host: str, now: float, seconds: float | None = None) -> bool:
        """Hold `host`, which would not serve `url` now, and return whether `url` is queued again."""
        return bool(self._ask("refused", url, host, self._there(now), seconds))

    def redirected(self, url: str, host: str, now: float) -> float | None:
        """Return when the lease of `url` may go on at `host`; None: not at all."""
        when: float | None = self._ask("redirected", url, host, self._there(now))
        with self._state.changed:
            self._state.renew(url, in_ticks(now))
        return None if when is None else when - self._state.server_now + time.time()

    def holds(self, url: str) -> bool:
        """Tell whether the crawl has `url`, and never was so silent since that others may have it, too."""
        with self._state.changed:
            return self._state.holds(url)

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed."""
        with self._state.changed:
            if url in self._state.out:
                return True
        return bool(self._ask("is_known", url))

    def expire(self, now: float) -> int:
        """Forget what the crawl has had for too long: the server gives it to others; return how many."""
        with self._state.changed:
            late = self._state.out_since(in_ticks(now) - self._lease_seconds)
        for url in late:
            self.release(url)
        return len(late)

    def closed_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that were closed, as far as this worker knows, since the last call."""
        with self._state.changed:
            closed, self._state.closed_hosts = self._state.closed_hosts, []
        return closed

    def has_more(self) -> bool:
        """Tell whether anything is pending, out at others, or on its way to or from here."""
        with self._state.changed:
            self._state.check()
            return self._state.has_more

    def next_ready_at(self) -> float | None:
        """Return when it is worth the while to `take` again, None when there is nothing more."""
        with self._state.changed:
            if not self._state.has_more:
                return None
            if not self._state.free_slots:
                return time.time() + _SLOT_SECONDS
            is_here = self._state.buffer and not self._state.is_fenced
            return time.time() + (0.0 if is_here else max(self._state.pause, LEAST_PAUSE))

    def stats(self) -> FrontierStats:
        """Count URLs by state, of all workers: as of a second ago at most, while the server answers."""
        stats = self._state.stats
        assert stats is not None
        return stats

    def bands(self, bands: int = 10) -> list[int]:
        """Ask how many URLs are pending in each of so many equal bands of priority, lowest first."""
        return list(self._ask("bands", bands))

    def __len__(self) -> int:
        """Return the number of pending URLs, with those prefetched and not handed out."""
        return self.stats().pending + len(self._state.buffer)

    def close(self) -> None:
        """Send all calls, give back all leases and leave the workers; in ten seconds, or not at all."""
        with self._state.changed:
            if self._state.close_at is None:
                self._state.close_at = ticks() + CLOSE_SECONDS
            self._state.changed.notify_all()
        self._thread.join(CLOSE_SECONDS + 1)

    def _there(self, moment: float) -> float:
        """Return a time of ours by the server's clock."""
        return in_ticks(moment) + self._state.offset

    def _send(self, what: str, *args: Any) -> None:
        with self._state.changed:
            self._state.enqueue(Call(what, args))

    def asking(self, what: str, *args: Any) -> Future[Any]:
        """Ask the frontier on the server something; the answer is there when it has come, if ever."""
        answer: Future[Any] = Future()
        with self._state.changed:
            self._state.enqueue(Call(what, args, answer))
        return answer

    def _ask(self, what: str, *args: Any) -> Any:
        return self.asking(what, *args).result()
