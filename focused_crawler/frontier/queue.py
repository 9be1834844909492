"""The frontier, the same over every backend: takes, ends of leases, and new links."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import itemgetter

from focused_crawler.frontier.base import Candidate, Frontier, FrontierStats, Lease, Rules
from focused_crawler.frontier.host import Host
from focused_crawler.frontier.hosts import entry_of
from focused_crawler.frontier.order import Entry, batches, clip, merged
from focused_crawler.frontier.transitions import QUEUED, Transitions
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.schema import State
from focused_crawler.store.values import storable

REMEMBERED = 1_000
"""So many of the URLs that a full frontier dropped stay known; older ones, never tried, are forgotten."""

_PENDING = int(State.PENDING)
_DROPPED = int(State.DROPPED)
_OUTSIDE = (State.SEEN, State.DROPPED)
_OFFERED = (State.PENDING, State.WAITING, State.DROPPED)
_ENDED = (State.DONE, State.FAILED)
_STANDING = itemgetter(slice(7))  # the first fields of a NewUrl, up to its tie


class QueueFrontier(Frontier):
    """A frontier over a table of URLs."""

    def __init__(self, urls: UrlTable, rules: Rules) -> None:
        self._urls = urls
        self._rules = rules
        self._dropped: deque[int] = deque()  # keys of what made room, the latest last
        self._states = states = Transitions(urls, rules)
        self._hosts, self._out, self._clock, self._tie = states.hosts, states.out, states.clock, states.tie

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch and return how many URLs were new."""
        new = sum(self._add(batch) for batch in batches(links))
        self._make_room()
        self._states.save()
        return new

    def again(self, links: Iterable[Candidate]) -> int:
        """Queue URLs that are done or failed once more; return how many now are."""
        queued = sum(self._again(batch) for batch in batches(links))
        self._states.save()
        return queued

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best `n` or fewer URLs whose hosts may be asked now, best first."""
        now = self._clock.tick(now)
        self._states.expire(now)
        self._states.settle()
        self._hosts.wake(now)
        entries = list(islice(self._states.picks(now), max(0, n)))
        taken = self._urls.taken()
        self._states.save()
        return [_lease(entry, taken[entry[-1]]) for entry in entries]

    def done(self, url: str, final: str | None = None) -> None:
        """Never give `url` out again, nor `final`, and count a page of the host of `final`."""
        url = storable(url)
        key = url_key(url)
        out = self._out.get(key)
        is_new = self._states.end(key, url, State.DONE)
        if final is not None and final != url:
            url = storable(final)
            final_key = url_key(url)
            if final_key != key:
                is_new = self._states.end(final_key, url, State.DONE)
        if is_new:
            host = self._hosts.named(host_of(url)) if out is None or final is not None else out.host
            self._hosts.count_page(host)
            self._states.touch(host)
        self._states.save()

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on; None or infinity: never again."""
        url = storable(url)
        if retry_at is None or retry_at == math.inf:
            self._states.end(url_key(url), url, State.FAILED)
        else:
            moment = 0.0 if math.isnan(retry_at) else self._clock.inside(retry_at)
            self._states.retry(url_key(url), url, moment)
        self._states.save()

    def refused(self, url: str, host: str, now: float, seconds: float | None = None) -> bool:
        """Hold `host`, which would not serve `url` now, and return whether `url` is queued again."""
        url, asked, now = storable(url), self._hosts.named(storable(host)), self._clock.tick(now)
        if self._hosts.politeness.back_off(asked, now, seconds) and not asked.is_closed:
            self._hosts.close(asked)
        self._states.touch(asked)
        is_queued = self._states.put_off(url_key(url), url, asked)
        self._states.save()
        return is_queued

    def redirected(self, url: str, host: str, now: float) -> float | None:
        """Return when the lease of `url` may go on at `host`; None: not at all."""
        key, to, now = url_key(storable(url)), self._hosts.named(storable(host)), self._clock.tick(now)
        out = self._out.get(key)
        if to.is_closed or ((out is None or out.at is not to) and not self._hosts.politeness.has_room(to)):
            return None
        if out is not None:
            self._out.begin_anew(key, to, now + self._rules.lease_seconds)
            self._states.touch(out.at)
        ready_at = to.ready_at
        if ready_at <= now:
            self._hosts.politeness.ask(to, now)
        self._states.touch(to)
        self._states.save()
        return self._clock.outside(ready_at)

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""
        key = url_key(storable(url))
        out = self._out.get(key)
        if out is None:
            return
        if (out.host.asked_at, out.host.ready_at) == out.host_after:
            out.host.asked_at, out.host.ready_at = out.host_before
        self._states.give_back(key)
        self._states.save()

    def expire(self, now: float) -> int:
        """Return to pending what has been out for too long; return how many that were."""
        ended = self._states.expire(self._clock.tick(now))
        self._states.save()
        return ended

    def prolong(self, seconds: float) -> None:
        """Let all leases last so much longer; hosts have to wait no longer for that."""
        touched = {}
        for key, out in list(self._out.items()):
            self._out.begin_anew(key, out.at, out.end + seconds)
            touched[out.at.id] = out.at
        for host in touched.values():
            self._states.touch(host)
        self._states.save()

    def holds(self, url: str) -> bool:
        """Tell whether `url` is out."""
        return url_key(storable(url)) in self._out

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed."""
        key = url_key(storable(url))
        if key in self._out:
            return True
        row = self._urls.find((key,)).get(key)
        return row is not None and row.state in (State.DONE, State.FAILED)

    def asked(self, host: str, at: float) -> None:
        """Record that `host` was really asked then, later than its URL was taken."""
        found, at = self._hosts.named(storable(host)), self._clock.inside(at)
        if at > found.asked_at:
            self._hosts.politeness.ask(found, at)
            self._states.touch(found)
            self._states.save()

    def has_more(self) -> bool:
        """Tell whether anything is pending: nobody else has anything out."""
        return len(self) > 0

    def closed_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that were closed since the last call, each with the rule that did it."""
        closed, self._hosts.closed = self._hosts.closed, []
        return closed

    def pace(self, host: str, delay: float, *, at_least: bool = False) -> None:
        """Leave so many seconds between two URLs of `host`; `at_least`: no less than before."""
        found = self._hosts.named(storable(host))
        self._hosts.politeness.pace(found, max(found.delay, delay) if at_least else delay)
        self._states.touch(found)
        self._states.save()

    def next_ready_at(self) -> float | None:
        """Return the earliest time at which `take` may give something, None if it never will."""
        now = self._clock.latest
        moments = (self._hosts.next_ready_at(now), self._out.first_end())
        first = min((moment for moment in moments if moment is not None), default=None)
        return None if first is None else self._clock.outside(max(first, now))

    def reprioritise(self, priorities: Mapping[str, float]) -> int:
        """Give pending URLs new priorities, higher or lower; return how many were pending."""
        pending, rank = 0, self._hosts.ranks.rank
        for batch in batches(priorities.items()):
            new = {url_key(storable(url)): clip(priority) for url, priority in batch}
            rows = self._urls.find(new)
            queued = {key: row for key, row in rows.items() if row.state in QUEUED}
            better = {
                key: Better(key, new[key], row.depth, None, rank=rank(new[key]))
                for key, row in queued.items()
            }
            self._improve(better, queued)
            pending += len(queued)
        self._states.save()
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
            dropped=totals[State.DROPPED],
            is_held_back=self._hosts.is_held_back(self._clock.latest),
        )

    def bands(self, bands: int = 10) -> list[int]:
        """Return how many URLs are pending in each of so many equal bands of priority, lowest first."""
        return self._hosts.ranks.shares(bands)

    def __len__(self) -> int:
        return self._urls.totals[State.PENDING] + self._urls.totals[State.WAITING]

    def close(self) -> None:
        """Return all leases to pending."""
        for key in list(self._out):
            self._states.give_back(key)
        self._states.save()

    def _add(self, links: Sequence[Candidate]) -> int:
        best = merged(links)
        known = self._urls.find(best)
        rank = self._hosts.ranks.rank
        fresh: list[NewUrl] = []
        better: dict[int, Better] = {}
        for key, link in best.items():
            row = known.get(key)
            if row is None or row.state in _OUTSIDE:
                host = self._hosts.named(host_of(link.url))
                if row is None or row.state != _DROPPED or not host.is_closed:
                    fresh.append(self._new(key, link, host, row))
                    continue
            if row.state in _OFFERED:
                is_higher = link.priority > row.priority
                if is_higher or link.depth < row.depth:
                    better[key] = Better(
                        key,
                        max(link.priority, row.priority),
                        min(link.depth, row.depth),
                        link.parent if is_higher else None,
                        link.path,
                        rank(link.priority) if is_higher else None,
                    )
        self._improve(better, known)
        return self._enter(fresh)

    def _again(self, links: Sequence[Candidate]) -> int:
        best = merged(links)
        back: list[NewUrl] = []
        for key, row in self._urls.find(best).items():
            if row.state not in _ENDED:
                continue
            host = self._hosts.named(host_of(best[key].url))
            if not host.is_closed:
                self._urls.totals[row.state] -= 1
                back.append(self._new(key, best[key], host, None))
        return self._enter(back)

    def _new(self, key: int, link: Candidate, host: Host, row: KnownUrl | None) -> NewUrl:
        """Return a URL as it enters, or returns: one that was dropped keeps its tries."""
        state, tries = _DROPPED if host.is_closed else _PENDING, 0
        if row is not None and row.state == _DROPPED:
            self._urls.totals[_DROPPED] -= 1
            tries = row.tries
        url, priority, depth, parent, path = link
        tie, rank = self._tie(key), self._hosts.ranks.rank(priority)
        return NewUrl(key, url, host.id, state, tries, priority, tie, depth, parent, rank, path)

    def _make_room(self) -> set[int]:
        """Drop the worst of the pending URLs beyond the bound, if there is one; return their keys."""
        excess = self._urls.totals[_PENDING] - self._rules.max_pending
        if not self._rules.max_pending or excess <= 0:
            return set()
        dropped, touched = self._urls.drop_worst(excess), {}
        for id, entry in dropped:
            host = touched[id] = self._hosts.numbered(id)
            self._hosts.drop(host, entry)
        for host in touched.values():
            self._states.reposition(host)
        self._dropped.extend(entry[-1] for _, entry in dropped)
        if len(self._dropped) > 2 * REMEMBERED:
            self._urls.forget([self._dropped.popleft() for _ in range(len(self._dropped) - REMEMBERED)])
        return {entry[-1] for _, entry in dropped}

    def _enter(self, rows: list[NewUrl]) -> int:
        """Let new URLs in, and drop the worst if need be; return how many of the new are pending."""
        if not rows:
            return 0
        self._urls.insert(rows)
        entries: dict[int, list[Entry]] = {}
        for key, _, id, state, tries, priority, tie in map(_STANDING, rows):
            if state == _PENDING:
                entries.setdefault(id, []).append((tries, -priority, tie, key))
        for id, more in entries.items():
            host = self._hosts.numbered(id)
            first = host.best[:1]
            self._hosts.put(host, *more)
            if host.retries or not first or host.best[:1] != first:
                self._states.reposition(host)
        dropped = self._make_room()
        pending = sum(map(len, entries.values()))
        return pending - sum(row.key in dropped for row in rows) if dropped else pending

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
            self._hosts.move(host, entry_of(key, row), (row.tries, -change.priority, row.tie, key))
        for host in touched.values():
            self._states.reposition(host)


def _lease(entry: Entry, taken: Taken) -> Lease:
    return Lease(taken.url, -entry[1], taken.depth, taken.parent, entry[0], taken.path)
