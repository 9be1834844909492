"""A frontier in Redis or Valkey, shared by many workers: one order for all of them.

Its hosts are cut into partitions, each on one node. Every step is one script on one partition (`lua/`), so
that it happens as a whole or not at all; a step that is sent twice, as an answer was lost, does what one
does. The best URL over all partitions is found by comparing their best ones.

What is out belongs to a worker, by name. One without a `heartbeat` for `WORKER_SECONDS` is dead: what it had
out, and what it had ended and not acknowledged, is pending again, and its hosts are held for their delay.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from struct import unpack
from typing import NamedTuple

from focused_crawler.frontier.base import LONGEST_WAIT, Candidate, Frontier, Lease, Rules
from focused_crawler.frontier.order import batches, clip
from focused_crawler.frontier.redis.client import answered, server_runs
from focused_crawler.frontier.redis.mender import Mender
from focused_crawler.frontier.redis.partitions import RedisPartitions
from focused_crawler.frontier.redis.records import link_batches, pack_record, sort_key_of, unpack_lease
from focused_crawler.frontier.redis.steps import BATCH, parts
from focused_crawler.frontier.redis.workers import ALL, OUT
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.values import storable

ACKS_AT_A_TIME = 500  # as in ack.lua
_RECLAIM_SECONDS = 1.0


class _Out(NamedTuple):
    """A URL that this worker has out."""

    tries: int
    number: int  # of the leases that this worker was given
    guest: int | None = None  # the partition of the host that a redirect led to, if it is another


class RedisFrontier(RedisPartitions, Frontier):
    """The part that one worker has in a frontier of many. Times are the server's (see `server_time`).

    Methods raise `FrontierUnreachable` where the server gives no answer: what was asked may have been done or
    not, and may be asked again. Not for several threads at a time.
    """

    def __init__(
        self, address: str, name: str, rules: Rules, *, worker: str, partitions: int | None = None
    ) -> None:
        """Join the frontier of that name. `partitions`: of a new one; that of an old one stays as it is.

        Who joins where nobody else lives begins a new run: hosts that were closed are opened, if the rules
        let them be. In one partition `Rules.max_pending` is exact; in several each has its share.
        """
        super().__init__(address, name, rules, worker, partitions)
        self._out: dict[int, _Out] = {}
        self._given = time.time_ns()  # no other worker of this name has had such numbers
        self._unacked: set[int] = set(self._all)
        self._reclaim_at = 0.0
        self._mender = Mender(self._counters, self._ownership, self._run, self._scan_urls, self._latest)
        self._join()

    # The contract

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch and return how many URLs were new."""
        return sum(self._enter("add", batch) for batch in batches(links))

    def again(self, links: Iterable[Candidate]) -> int:
        """Queue URLs that are done or failed once more; return how many now are."""
        return sum(self._enter("again", batch) for batch in batches(links))

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best `n` or fewer URLs whose hosts may be asked now, best first."""
        self._clock.tick(now)
        if time.monotonic() >= self._reclaim_at:
            self.reclaim()
        if len(self._all) == 1:
            return self._take_all(0, n)
        heads = {}
        for number, (are_more, head, _) in enumerate(self._run_all("take", 0, b"")):
            heads[number] = self._take(number, 0, b"")[1] if are_more else head
        leases: list[Lease] = []
        while len(leases) < n and (
            ranked := sorted((head, number) for number, head in heads.items() if head)
        ):
            number = ranked[0][1]
            limit = ranked[1][0][:21] if len(ranked) > 1 else b""
            taken, heads[number] = self._take(number, min(n - len(leases), BATCH), limit)
            leases += taken
        return leases

    def done(self, url: str, final: str | None = None) -> None:
        """Never give `url` out again, nor `final`, and count a page of the host of `final`."""
        url = storable(url)
        host = host_of(url)
        if final is None:
            self._finish(url, b"d", host, is_own=True)
            return
        final = storable(final)
        if url_key(final) == url_key(url):
            self._finish(url, b"d", host_of(final))
            return
        self._finish(url, b"d", "")
        self._finish(final, b"d", host_of(final))

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on; None or infinity: never again."""
        url = storable(url)
        if retry_at is None or retry_at == math.inf:
            self._finish(url, b"f", "")
            return
        moment = 0.0 if math.isnan(retry_at) else self._clock.inside(retry_at)
        host, out = host_of(url), self._out.get(url_key(url))
        record = pack_record(Candidate(url, 0.0), None)
        tries = -1 if out is None else out.tries
        self._run("retry", self._partition(host), self._ids.of(url), tries, repr(moment), host, record)
        self._end(url)

    def refused(self, url: str, host: str, now: float, seconds: float | None = None) -> bool:
        """Hold `host`, which would not serve `url` now, and return whether `url` is queued again."""
        url, host = storable(url), storable(host)
        self._clock.tick(now)
        id, out = self._ids.of(url), self._out.get(url_key(url))
        mark = "" if out is None else f"{self.worker} {out.number}"
        wait = "" if seconds is None else repr(seconds)
        refusals, closed, ready_at = self._run("back_off", self._partition(host), host, mark, wait)
        tries = -1 if out is None else out.tries
        words = (id, tries, host, refusals, closed, ready_at)
        home = self._partition(host_of(url))
        (queued,) = self._run("put_off", home, *words)
        self._unacked.add(home)
        self._end(url)
        return bool(queued)

    def redirected(self, url: str, host: str, now: float) -> float | None:
        """Return when the lease of `url` may go on at `host`; None: not at all."""
        url, host = storable(url), storable(host)
        self._clock.tick(now)
        key, id = url_key(url), self._ids.of(url)
        home, there, out = self._partition(host_of(url)), self._partition(host), self._out.get(key)
        kind = "own" if home == there else "none" if out is None else "guest"
        (answer,) = self._run("redirect", there, id, host, kind)
        if not answer:
            return None
        if out is not None:
            if kind == "guest":
                self._run("depart", home, id)
            if out.guest is not None and out.guest != there:
                self._run("leave", out.guest, id)
            self._out[key] = out._replace(guest=there if kind == "guest" else None)
        return self._clock.outside(unpack(">d", answer)[0])

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""
        url = storable(url)
        self._run("release", self._partition(host_of(url)), self._ids.of(url))
        self._end(url)

    def expire(self, now: float) -> int:
        """Return to pending what has been out for too long; return how many that were."""
        self._clock.tick(now)
        ended = 0
        for number in self._all:
            are_more = 1
            while are_more:
                urls, are_more = self._run("expire", number)
                ended += urls
        return ended

    def asked(self, host: str, at: float) -> None:
        """Record that `host` was really asked then, later than its URL was taken."""
        host, at = storable(host), self._clock.inside(at)
        if math.isfinite(at):
            self._run("asked", self._partition(host), host, repr(at))

    def ack(self) -> None:
        """Record that the caller has stored the outcome of all leases that have ended so far."""
        for number in sorted(self._unacked):
            while self._run("ack", number)[0] >= ACKS_AT_A_TIME:
                pass
            self._unacked.discard(number)

    def closed_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that this worker closed since the last call, each with the rule that did it."""
        closed, self._closed = self._closed, []
        return closed

    def pace(self, host: str, delay: float) -> None:
        """Leave so many seconds between two URLs of `host`."""
        host = storable(host)
        delay = min(max(0.0, delay), LONGEST_WAIT)  # 0 for what is no number
        self._run("pace", self._partition(host), host, repr(delay))

    def next_ready_at(self) -> float | None:
        """Return the earliest time at which `take` may give this worker something, None if it never will."""
        moments = []
        for is_ready, alarm, stop in self._run_all("next"):
            if is_ready:
                moments.append(self._clock.latest)
            else:
                moments += [float(moment) for moment in (alarm, stop) if moment]
        first = min(moments, default=None)
        return None if first is None else self._clock.outside(max(first, self._clock.latest))

    def reprioritise(self, priorities: Mapping[str, float]) -> int:
        """Give pending URLs new priorities, higher or lower; return how many were pending."""
        queued = 0
        for batch in batches(priorities.items()):
            keys: dict[int, dict[bytes, bytes]] = {}
            for url, priority in batch:
                stored = storable(url)
                key = sort_key_of(clip(priority))
                keys.setdefault(self._partition(host_of(stored)), {})[self._ids.of(stored)] = key
            for number, found in keys.items():
                for part in parts(sorted(found.items())):
                    (more,) = self._run("reprioritise", number, *chain.from_iterable(part))
                    queued += more
        return queued

    def close(self) -> None:
        """Give back what this worker has out, or has ended and not acknowledged, and leave."""
        self._ownership.give_back(self.worker, ALL)
        self._registry.leave(self.worker)
        super().close()

    # For several workers

    def heartbeat(self, info: Mapping[str, str | int | float]) -> int:
        """Report that this worker lives, with its status; return how many workers live."""
        return self._registry.heartbeat(self.worker, info).workers

    def server_runs(self) -> frozenset[str]:
        """Return a name of each server that lasts until it is started anew."""
        with answered(self._address):
            return server_runs(self._client)

    def reclaim(self) -> int:
        """Make pending what dead workers had out, or had not acknowledged; return how many URLs that were."""
        self._reclaim_at = time.monotonic() + _RECLAIM_SECONDS
        urls = self._ownership.reclaim()
        for name in self._registry.dropped():
            self._run("discard", 0, "heartbeat", name)
        self._mender.check()
        return urls

    def resync(self, known: Collection[str]) -> int:
        """Make pending what is out in this worker's name but not in `known`; return how many."""
        keys = {url_key(storable(url)) for url in known}
        self._out = {key: out for key, out in self._out.items() if key in keys}
        return self._ownership.give_back(self.worker, OUT, but={self._ids.of(storable(url)) for url in known})

    def _join(self) -> None:
        is_alone = self._ownership.is_alone()
        self.heartbeat({})
        self._clock.latest = self._counters.last_asked()
        self._ownership.give_back(self.worker, ALL)
        if is_alone:
            self._renew()

    # Steps

    def _latest(self) -> float:
        """Return a time that no moment of the frontier is later than, unless it makes no sense."""
        return max(self._clock.latest, self.server_time()) + 86400 + 2 * self._rules.delay

    def _scan_urls(self, number: int) -> Iterator[bytes]:
        return self._scan(self._key(number, "urls"))

    def _enter(self, step: str, links: Sequence[Candidate]) -> int:
        new = 0
        for number, words in link_batches(links, self._ids, len(self._keys)):
            (entered,) = self._run(step, number, *words)
            new += entered
        return new

    def _take(self, number: int, n: int, limit: bytes) -> tuple[list[Lease], bytes]:
        """Return the best `n` or fewer of a partition that are better than `limit`, and its next one."""
        are_more = 1
        while are_more:
            are_more, head, rows = self._run("take", number, n, limit)
        leases = []
        for record, parent, id in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
            lease = unpack_lease(record, parent)
            key = url_key(lease.url)
            if self._ids.named(key) != id:
                self._run("discard", number, "url", record, id)  # it is not the record of this URL
                continue
            self._given += 1
            self._out[key] = _Out(lease.tries, self._given)
            leases.append(lease)
        if leases:
            self._mender.rest()
        return leases, head

    def _take_all(self, number: int, n: int) -> list[Lease]:
        """Return the best `n` or fewer of a partition that is the only one; a take of 0 ends leases too."""
        leases, head = self._take(number, min(max(0, n), BATCH), b"")
        while head and len(leases) < n:
            taken, head = self._take(number, min(n - len(leases), BATCH), b"")
            leases += taken
        return leases

    def _finish(self, url: str, state: bytes, page_of: str, *, is_own: bool = False) -> None:
        number = self._partition(host_of(url))
        self._unacked.add(number)
        self._run("finish", number, self._ids.of(url), state, page_of, int(is_own))
        self._end(url)

    def _end(self, url: str) -> None:
        """Record that a lease of this worker has ended."""
        out = self._out.pop(url_key(url), None)
        if out is not None and out.guest is not None:
            self._run("leave", out.guest, self._ids.of(url))
