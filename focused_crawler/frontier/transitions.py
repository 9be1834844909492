"""The state machine of the frontier: each method is a transition, of a URL and of the hosts it touches.

PENDING -> LEASED -> DONE, FAILED, WAITING or DROPPED: see `focused_crawler.frontier.base`.
"""

from __future__ import annotations

from collections.abc import Iterator

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.batch import BatchQueues
from focused_crawler.frontier.host import LONGEST_HOLD, MOST_MISSES, Clock, Host
from focused_crawler.frontier.hosts import HostQueues, entry_of
from focused_crawler.frontier.order import Entry, TieBreaker
from focused_crawler.frontier.urls import KnownUrl, Leases, NewUrl, Out, UrlTable
from focused_crawler.page.url import host_of
from focused_crawler.store.schema import State

_PENDING = int(State.PENDING)
QUEUED = (State.PENDING, State.WAITING)


class Transitions:
    """Changes URLs, and remembers which hosts are to be repositioned and saved."""

    def __init__(self, urls: UrlTable, rules: Rules) -> None:
        self._urls = urls
        self._rules = rules
        self.hosts = HostQueues(urls, rules) if rules.n_best == 1 else BatchQueues(urls, rules)
        self.clock = Clock()
        self.tie = TieBreaker(rules.seed)
        self.out = Leases()
        self._changed: dict[int, Host] = {}  # not saved yet
        self._touched: dict[int, Host] = {}  # not repositioned yet

    def picks(self, now: float) -> Iterator[Entry]:
        """Lease one URL after the other, best first."""
        end = now + self._rules.lease_seconds
        while (out := self.hosts.pick(now, end)) is not None:
            self.out[out.entry[-1]] = out  # its host knows it already
            self._changed[out.host.id] = out.host
            yield out.entry

    def expire(self, now: float) -> int:
        """Give back what has been out for too long; return how many that were."""
        keys = self.out.overdue(now)
        for key in keys:
            self.give_back(key)
        return len(keys)

    def give_back(self, key: int) -> None:
        """Make a leased URL pending again, or drop it with all others of a host that is done with."""
        out = self.out.finish(key)
        out.host.load -= 1
        if out.host.is_closed:
            self._urls.move(key, State.LEASED, State.DROPPED, out.entry[0])
        else:
            self._urls.move(key, State.LEASED, State.PENDING, out.entry[0])
            self.hosts.put(out.host, out.entry)
        self._let_go(out)

    def _let_go(self, out: Out) -> None:
        """Bring the hosts of a lease that has ended up to date."""
        out.at.misses += MOST_MISSES if self.clock.latest - out.at.asked_at >= LONGEST_HOLD else 1
        self.touch(out.host)
        if out.at is not out.host:
            self.touch(out.at)

    def end(self, key: int, url: str, state: State) -> bool:
        """Make a URL, in whatever state it is, done or failed; done stays done. Return whether it changed."""
        if key in self.out:
            out = self.out.finish(key)
            self._urls.move(key, State.LEASED, state, out.entry[0] + (state == State.FAILED))
            self._let_go(out)
            return True
        row = self._urls.find((key,)).get(key)
        if row is None or row.state == State.SEEN:
            self._urls.insert([NewUrl(key, url, None, state, 0, 0.0, 0, 0, None)])
            return True
        if row.state in (State.DONE, state):
            return False
        self._urls.move(key, row.state, state, row.tries)
        if row.state in QUEUED:
            self.reposition(self._withdraw(key, row))
        return True

    def put_off(self, key: int, url: str, asked: Host) -> bool:
        """Let a URL that was refused wait for the host that was asked; return whether it is queued again."""
        home, tries = self._standing(key)
        if home is None:
            return False
        is_last = tries + 1 >= self._rules.max_tries
        if (is_last and asked.refusals == 1) or (asked.is_closed and asked is not home):
            self.end(key, url, State.FAILED)
            return False
        self.retry(key, url, asked.ready_at, more=0 if is_last else 1)
        return not home.is_closed

    def _standing(self, key: int) -> tuple[Host | None, int]:
        """Return the host and the tries of a URL that is out or queued."""
        if key in self.out:
            return self.out[key].host, self.out[key].entry[0]
        row = self._urls.find((key,)).get(key)
        if row is None or row.host is None or row.state not in QUEUED:
            return None, 0
        return self.hosts.numbered(row.host), row.tries

    def retry(self, key: int, url: str, retry_at: float, more: int = 1) -> None:
        """Make a URL wait, with one try more; one that has ended stays as it is."""
        if key in self.out:
            out = self.out.finish(key)
            self._wait(out.host, key, State.LEASED, out.entry[0] + more, retry_at)
            self._let_go(out)
            return
        row = self._urls.find((key,)).get(key)
        if row is None or row.state == State.SEEN:
            host = self.hosts.named(host_of(url))
            self._urls.insert([NewUrl(key, url, host.id, _PENDING, 0, 0.0, self.tie(key), 0, None)])
            self._wait(host, key, State.PENDING, more, retry_at)
        elif row.state in QUEUED:
            host = self._withdraw(key, row)
            self._wait(host, key, row.state, row.tries + more, retry_at)

    def _withdraw(self, key: int, row: KnownUrl) -> Host:
        """Take a URL that was pending or waiting out of its host's queue."""
        assert row.host is not None
        host = self.hosts.numbered(row.host)
        if row.state == State.PENDING:
            self.hosts.drop(host, entry_of(key, row))
        else:
            self.hosts.forget_wait(key)
        return host

    def _wait(self, host: Host, key: int, state: int, tries: int, retry_at: float) -> None:
        if host.is_closed:
            self._urls.move(key, state, State.DROPPED, tries)
            return
        self._urls.move(key, state, State.WAITING, tries, retry_at)
        self.hosts.wait(host, key, retry_at)
        self.reposition(host)

    def touch(self, host: Host) -> None:
        """Let a host that has changed be repositioned and saved, once, at the end."""
        self._changed[host.id] = self._touched[host.id] = host

    def settle(self) -> None:
        """Reposition all hosts that were touched."""
        for host in self._touched.values():
            self.reposition(host)
        self._touched.clear()

    def reposition(self, host: Host) -> None:
        """Reposition a host at once."""
        self.hosts.reposition(host, self.clock.latest)

    def save(self) -> None:
        """Keep what has changed: part of the caller's transaction."""
        self.settle()
        self._urls.save(self._changed.values())
        self.hosts.forget_idle(self.out.values())
        self._changed.clear()
