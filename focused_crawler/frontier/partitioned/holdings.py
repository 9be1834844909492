"""Which hosts a worker has: taken up from the database, and let go, as partitions come and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from focused_crawler.frontier.host import Host
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.partitioned import statements as sql
from focused_crawler.frontier.partitioned.partition import PARTITIONS, bounds, partition_of
from focused_crawler.frontier.partitioned.urls import OwnedUrls
from focused_crawler.frontier.transitions import Transitions
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

_APPETITE = 4  # of a host whose first two URLs are here


class Holdings:
    """Keeps the host queues in step with the partitions that are held."""

    def __init__(self, database: CrawlDatabase, urls: OwnedUrls, states: Transitions) -> None:
        self._database, self._urls, self._states, self._queues = database, urls, states, states.hosts

    def reopen(self) -> None:
        """Open the hosts that an earlier run has closed; for who comes first, within a locked transaction."""
        rows = self._database.rows(sql.CLOSED_HOSTS, bounds(range(PARTITIONS)))
        hosts = [self._urls.host_of(row) for row in rows]
        reopened = [host for host in hosts if self._queues.politeness.reopen(host)]
        if reopened and self._urls.totals[State.DROPPED]:
            revived = self._database.execute(sql.REVIVE, ([host.id for host in reopened],)).rowcount
            self._urls.totals[State.DROPPED] -= revived
            self._urls.totals[State.PENDING] += revived
        self._urls.save(reopened)

    def idle(self) -> list[int]:
        """Return partitions of which nothing is out: every other one of those with most hosts comes first."""
        busy = {partition_of(one.id) for out in self._states.out.values() for one in (out.host, out.at)}
        hosts = defaultdict[int, int](int)
        for host in self._queues.loaded:
            hosts[partition_of(host.id)] += 1
        idle = sorted(self._urls.held - busy, key=lambda number: (-hosts[number], number))
        return [*idle[::2], *idle[1::2]]

    def let_go(self, freed: Collection[int]) -> None:
        """Forget the hosts of partitions, all of whose changes are being written."""
        self._urls.held -= set(freed)
        self._queues.unload([host for host in self._queues.loaded if partition_of(host.id) in freed])
        self._urls.forget_cached()

    def take_up(self, claimed: Mapping[int, float]) -> None:
        """Read the hosts of partitions, and when each was asked last, perhaps by a worker that died."""
        self._urls.held |= claimed.keys()
        self._urls.dead_until.update(claimed)
        self._urls.forget_cached()
        hosts = self._with_pending(claimed) if claimed else {}
        for host in hosts.values():
            until = self._urls.asked_until(host.id)
            if until and not host.is_closed:
                self._queues.politeness.perhaps_asked(host, until)
            self._queues.load(host)
        self._take_up_waiting(claimed, hosts)
        self.recount()
        for host in hosts.values():
            if self._queues.is_over(host):
                host.has_more = True
                self._queues.close(host)
            else:
                self._states.reposition(host)
        self._urls.save(host for host in hosts.values() if host.is_closed)

    def recount(self) -> None:
        """Count what is pending, and the hosts, of all partitions that are held."""
        where = bounds(self._urls.held)
        self._queues.ranks.load(self._database.rows(sql.BANDS_OF_PENDING, where), anew=True)
        self._queues.ranks.count(*(-out.entry[1] for out in self._states.out.values()), more=-1)
        ((self._queues.known, latest),) = self._database.rows(sql.COUNT_HOSTS, where)
        clock = self._states.clock
        clock.latest = max(clock.latest, (latest or 0.0) - self._urls.lead)

    def _with_pending(self, partitions: Collection[int]) -> dict[int, Host]:
        hosts: dict[int, Host] = {}
        for row in self._database.rows(sql.HOSTS_OF_PENDING, bounds(partitions)):
            host = hosts.get(row[0])
            if host is None:
                host = hosts[row[0]] = self._urls.host_of(row[:8])
            entry: Entry = row[8:]
            host.best.append(entry)
            host.has_more = len(host.best) > 1
            host.appetite = _APPETITE
        for host in hosts.values():
            host.best.sort()
        return hosts

    def _take_up_waiting(self, partitions: Collection[int], hosts: dict[int, Host]) -> None:
        rows = self._database.rows(sql.WAITING, bounds(partitions)) if partitions else []
        missing = [id for id in {row[1] for row in rows} if id not in hosts]
        for row in self._database.rows(sql.HOSTS_BY_ID, (missing,)) if missing else ():
            host = hosts[row[0]] = self._urls.host_of(row)
            self._queues.load(host)
        for key, id, retry_at in rows:
            self._queues.wait(hosts[id], key, retry_at - self._urls.lead)
