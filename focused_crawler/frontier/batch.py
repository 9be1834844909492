"""N-best-first: the best URLs of one moment, given out before anything newer is considered."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.host import Host
from focused_crawler.frontier.hosts import BUFFER, HostQueues
from focused_crawler.frontier.order import Entry

if TYPE_CHECKING:
    from focused_crawler.frontier.urls import UrlTable


class BatchQueues(HostQueues):
    """Queues with a batch: an order among URLs that stay pending, each in its host's queue.

    A URL that is pending no more has left its batch. One whose host may not be asked is passed over.
    """

    def __init__(self, urls: UrlTable, rules: Rules) -> None:
        super().__init__(urls, rules)
        self._size = rules.n_best
        self._batch: dict[int, tuple[Host, Entry]] = {}  # by key, in the order of being given out
        self._aside: dict[int, set[int]] = {}  # id of a host -> keys out of its queue while a batch is chosen

    def drop(self, host: Host, entry: Entry) -> None:
        """Take a URL that is pending no more out of the buffer and the batch."""
        super().drop(host, entry)
        self._batch.pop(entry[-1], None)

    def move(self, host: Host, old: Entry, new: Entry) -> None:
        """Move a pending URL in its host's queue; its position in the batch stays."""
        super().drop(host, old)
        self.put(host, new)
        if new[-1] in self._batch:
            self._batch[new[-1]] = host, new

    def close(self, host: Host) -> None:
        """Ask nothing more of a host in this run: all that it has pending is dropped."""
        super().close(host)
        self._batch = {key: chosen for key, chosen in self._batch.items() if chosen[0] is not host}

    def unload(self, hosts: Collection[Host]) -> None:
        """Let go of hosts that are not ours any more."""
        gone = {host.id for host in hosts}
        self._batch = {key: chosen for key, chosen in self._batch.items() if chosen[0].id not in gone}
        super().unload(hosts)

    def _best(self, now: float) -> tuple[Host, Entry] | None:
        found = self._first_free(now)
        if found is None and self._first_ready() is not None:
            self._choose(now)
            found = self._first_free(now)
        return found

    def _first_free(self, now: float) -> tuple[Host, Entry] | None:
        for host, entry in self._batch.values():
            if self.politeness.is_free(host, now):
                return host, entry
        return None

    def _choose(self, now: float) -> None:
        """Choose a batch: what would be given out now, one after the other, if no host had to wait."""
        self._batch, size = {}, -(-self._size // self.sharers)
        while len(self._batch) < size and (host := self._first_ready()) is not None:
            entry = host.best.pop(0)
            host.load += 1
            self._batch[entry[-1]] = host, entry
            self._aside.setdefault(host.id, set()).add(entry[-1])
            self.reposition(host, now)
        self._aside = {}
        for host, entry in self._batch.values():
            host.load -= 1
            self._buffer(host, entry)
        for host in {host.id: host for host, _ in self._batch.values()}.values():
            self.reposition(host, now)

    def _refill(self, host: Host) -> None:
        """Fill an empty buffer; with ever more while a batch is chosen, or large ones would take long."""
        aside = self._aside.get(host.id)
        if aside is None:
            super()._refill(host)
            return
        wanted = max(BUFFER, len(aside))
        host.best = self._urls.best(host.id, wanted, aside)
        host.has_more = len(host.best) == wanted
