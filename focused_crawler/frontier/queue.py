"""The rules of the frontier, the same over every backend: states, leases, tries, politeness."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush
from itertools import islice

from focused_crawler.frontier.base import Candidate, Frontier, FrontierStats, Lease
from focused_crawler.frontier.clock import Clock
from focused_crawler.frontier.hosts import Host, HostQueues, Out, entry_of
from focused_crawler.frontier.offer import batches, merged
from focused_crawler.frontier.order import Entry, TieBreaker, clip
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.schema import State
from focused_crawler.store.text import storable

LEASE_SECONDS = 3600.0
"""How long a URL may be out by default. Only a lease that nobody ended is meant to get there."""


class QueueFrontier(Frontier):
    """A frontier over a table of URLs."""

    def __init__(
        self, urls: UrlTable, *, delay: float, per_host: int | None, lease_seconds: float, seed: int
    ) -> None:
        self._urls = urls
        self._hosts = HostQueues(urls, delay, per_host)
        self._lease_seconds = lease_seconds
        self._tie = TieBreaker(seed)
        self._clock = Clock()
        self._out: OrderedDict[int, Out] = OrderedDict()
        self._changed: dict[int, Host] = {}

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch and return how many URLs were new."""
        new = sum(self._add(batch) for batch in batches(links))
        self._save()
        return new

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best `n` or fewer URLs whose hosts may be asked now, best first."""
        now = self._clock.tick(now)
        self._end_old_leases(now)
        self._hosts.wake(now)
        entries = list(islice(self._picks(now), max(0, n)))
        taken = self._urls.taken()
        self._save()
        return [_lease(entry, taken[entry[-1]]) for entry in entries]

    def done(self, url: str) -> None:
        """Never give `url` out again."""
        self._end(storable(url), State.DONE)
        self._save()

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on; None or infinity: never again."""
        url = storable(url)
        if retry_at is None or retry_at == math.inf:
            self._end(url, State.FAILED)
        else:
            self._retry(url, 0.0 if math.isnan(retry_at) else self._clock.inside(retry_at))
        self._save()

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""
        key = url_key(storable(url))
        out = self._out.get(key)
        if out is None:
            return
        if (out.host.asked_at, out.host.ready_at) == out.host_after:
            out.host.asked_at, out.host.ready_at = out.host_before
        self._give_back(key)
        self._save()

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed."""
        key = url_key(storable(url))
        if key in self._out:
            return True
        row = self._urls.find((key,)).get(key)
        return row is not None and row.state in (State.DONE, State.FAILED)

    def hold(self, host: str, until: float) -> None:
        """Ask `host` nothing before `until`."""
        found = self._hosts.named(storable(host))
        until = self._clock.inside(until)
        if until > found.ready_at:
            found.ready_at = until
            self._changed[found.id] = found
            self._place(found)
        self._save()

    def next_ready_at(self) -> float | None:
        """Return the earliest time at which a pending URL may be taken, None when nothing is pending."""
        moment = self._hosts.next_ready_at(self._clock.latest)
        return None if moment is None else self._clock.outside(moment)

    def reprioritise(self, urls: Iterable[str], priority: float) -> int:
        """Give pending URLs a new priority, higher or lower; return how many were pending."""
        priority = clip(priority)
        pending = 0
        for batch in batches(urls):
            rows = self._urls.find({url_key(storable(url)) for url in batch})
            queued = {key: row for key, row in rows.items() if row.state in (State.PENDING, State.WAITING)}
            self._improve(
                {key: Better(key, priority, row.depth, None) for key, row in queued.items()}, queued
            )
            pending += len(queued)
        self._save()
        return pending

    def stats(self) -> FrontierStats:
        """Count URLs by state."""
        totals = self._urls.totals
        return FrontierStats(
            pending=len(self),
            leased=totals[State.LEASED],
            done=totals[State.DONE],
            failed=totals[State.FAILED],
            hosts=len(self._hosts),
            waiting_hosts=self._hosts.waiting,
            known=sum(totals.values()),
        )

    def __len__(self) -> int:
        return self._urls.totals[State.PENDING] + self._urls.totals[State.WAITING]

    def close(self) -> None:
        """Return all leases to pending."""
        for key in list(self._out):
            self._give_back(key)
        self._save()

    def _add(self, links: Sequence[Candidate]) -> int:
        offered = merged(links)
        known = self._urls.find(offered)
        fresh: list[NewUrl] = []
        better: dict[int, Better] = {}
        for key, link in offered.items():
            row = known.get(key)
            if row is None or row.state == State.SEEN:
                host = self._hosts.named(host_of(link.url))
                fresh.append(
                    NewUrl(
                        key,
                        link.url,
                        host.id,
                        State.PENDING,
                        0,
                        link.priority,
                        self._tie(key),
                        link.depth,
                        link.parent,
                    )
                )
            elif row.state in (State.PENDING, State.WAITING):
                is_higher = link.priority > row.priority
                if is_higher or link.depth < row.depth:
                    better[key] = Better(
                        key,
                        max(link.priority, row.priority),
                        min(link.depth, row.depth),
                        link.parent if is_higher else None,
                    )
        self._enter(fresh)
        self._improve(better, known)
        return len(fresh)

    def _enter(self, rows: list[NewUrl]) -> None:
        if not rows:
            return
        self._urls.insert(rows)
        touched = {}
        for row in rows:
            assert row.host is not None
            host = touched[row.host] = self._hosts.numbered(row.host)
            self._hosts.put(host, (row.tries, -row.priority, row.tie, row.key))
        for host in touched.values():
            self._hosts.place(host, self._clock.latest)

    def _improve(self, better: dict[int, Better], known: dict[int, KnownUrl]) -> None:
        if not better:
            return
        self._urls.improve(list(better.values()))
        touched = {}
        for key, change in better.items():
            row = known[key]
            if row.state != State.PENDING or row.priority == change.priority or row.host is None:
                continue
            host = touched[row.host] = self._hosts.numbered(row.host)
            self._hosts.drop(host, entry_of(key, row))
            self._hosts.put(host, (row.tries, -change.priority, row.tie, key))
        for host in touched.values():
            self._hosts.place(host, self._clock.latest)

    def _picks(self, now: float) -> Iterator[Entry]:
        end = now + self._lease_seconds
        while (out := self._hosts.pick(now, end)) is not None:
            self._out[out.entry[-1]] = out
            self._changed[out.host.id] = out.host
            yield out.entry

    def _end_old_leases(self, now: float) -> None:
        while self._out:
            key = next(iter(self._out))
            if self._out[key].end > now:
                break
            self._give_back(key)

    def _give_back(self, key: int) -> None:
        """Make a leased URL pending again."""
        out = self._close_lease(key)
        out.host.load -= 1
        self._changed[out.host.id] = out.host
        self._urls.move(key, State.LEASED, State.PENDING, out.entry[0])
        self._hosts.put(out.host, out.entry)
        self._place(out.host)

    def _close_lease(self, key: int) -> Out:
        out = self._out.pop(key)
        del out.host.leased[key]
        return out

    def _end(self, url: str, state: State) -> None:
        """Make a URL, in whatever state it is, done or failed; done stays done."""
        key = url_key(url)
        if key in self._out:
            out = self._close_lease(key)
            self._urls.move(key, State.LEASED, state, out.entry[0] + (state == State.FAILED))
            self._place(out.host)
            return
        row = self._urls.find((key,)).get(key)
        if row is None or row.state == State.SEEN:
            self._urls.insert([NewUrl(key, url, None, state, 0, 0.0, 0, 0, None)])
        elif row.state == State.FAILED:
            self._urls.move(key, row.state, state, row.tries)
        elif row.state != State.DONE:
            self._urls.move(key, row.state, state, row.tries)
            self._withdraw(key, row)

    def _retry(self, url: str, retry_at: float) -> None:
        """Make a URL wait, with one try more; one that has ended stays as it is."""
        key = url_key(url)
        if key in self._out:
            out = self._close_lease(key)
            self._urls.move(key, State.LEASED, State.WAITING, out.entry[0] + 1, retry_at)
            self._wait(out.host, key, retry_at)
            return
        row = self._urls.find((key,)).get(key)
        if row is None or row.state == State.SEEN:
            host = self._hosts.named(host_of(url))
            self._urls.insert(
                [NewUrl(key, url, host.id, State.WAITING, 1, 0.0, self._tie(key), 0, None, retry_at)]
            )
            self._wait(host, key, retry_at)
        elif row.state in (State.PENDING, State.WAITING):
            self._urls.move(key, row.state, State.WAITING, row.tries + 1, retry_at)
            self._wait(self._withdraw(key, row), key, retry_at)

    def _withdraw(self, key: int, row: KnownUrl) -> Host:
        """Take a URL that was pending or waiting out of its host's queue."""
        assert row.host is not None
        host = self._hosts.numbered(row.host)
        if row.state == State.PENDING:
            self._hosts.drop(host, entry_of(key, row))
        else:
            self._hosts.forget_retry(host, key)
        self._place(host)
        return host

    def _wait(self, host: Host, key: int, retry_at: float) -> None:
        heappush(host.retries, (retry_at, key))
        self._place(host)

    def _place(self, host: Host) -> None:
        self._hosts.place(host, self._clock.latest)

    def _save(self) -> None:
        self._urls.save(self._changed.values())
        self._changed.clear()


def _lease(entry: Entry, taken: Taken) -> Lease:
    return Lease(taken.url, -entry[1], taken.depth, taken.parent, entry[0])
