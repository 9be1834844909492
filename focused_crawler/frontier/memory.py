"""A frontier in memory: for simulations, tests and short crawls that need not be resumed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush

from focused_crawler.frontier.hosts import Host
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.queue import LEASE_SECONDS, QueueFrontier
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.store.schema import State


class MemoryFrontier(QueueFrontier):
    """Forgets everything when the process ends. Arguments: see `SqliteFrontier`."""

    def __init__(
        self,
        *,
        delay: float = 0.0,
        per_host: int | None = None,
        lease_seconds: float = LEASE_SECONDS,
        seed: int = 0,
    ) -> None:
        super().__init__(
            _MemoryUrls(), delay=delay, per_host=per_host, lease_seconds=lease_seconds, seed=seed
        )


class _Row:
    __slots__ = ("depth", "host", "parent", "priority", "state", "tie", "tries", "url")

    def __init__(self, new: NewUrl) -> None:
        self.url, self.host, self.parent = new.url, new.host, new.parent
        self.state, self.tries = new.state, new.tries
        self.priority, self.tie, self.depth = new.priority, new.tie, new.depth


_DONE = KnownUrl(None, State.DONE, 0, 0.0, 0, 0)
_FAILED = KnownUrl(None, State.FAILED, 0, 0.0, 0, 0)


class _MemoryUrls(UrlTable):
    """Of URLs that have ended only the keys stay."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[int, _Row] = {}
        self._done: set[int] = set()
        self._failed: set[int] = set()
        self._spilt: dict[int, list[Entry]] = {}
        self._leased: list[int] = []
        self._hosts = 0

    def find(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        found = {}
        for key in keys:
            row = self._rows.get(key)
            if row is not None:
                found[key] = KnownUrl(row.host, row.state, row.tries, row.priority, row.tie, row.depth)
            elif key in self._done:
                found[key] = _DONE
            elif key in self._failed:
                found[key] = _FAILED
        return found

    def insert(self, rows: Sequence[NewUrl]) -> None:
        for row in rows:
            self.totals[row.state] += 1
            if row.state in (State.DONE, State.FAILED):
                self._forget(row.key, row.state)
            else:
                self._rows[row.key] = _Row(row)

    def improve(self, rows: Sequence[Better]) -> None:
        for key, priority, depth, parent in rows:
            row = self._rows[key]
            row.priority, row.depth, row.parent = priority, depth, row.parent if parent is None else parent

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[State(old)] -= 1
        self.totals[new] += 1
        if new in (State.DONE, State.FAILED):
            self._forget(key, new)
        else:
            row = self._rows[key]
            row.state, row.tries = new, tries

    def lease(self, key: int) -> None:
        self.move(key, State.PENDING, State.LEASED, self._rows[key].tries)
        self._leased.append(key)

    def taken(self) -> dict[int, Taken]:
        taken = {}
        for key in self._leased:
            row = self._rows[key]
            taken[key] = Taken(row.url, row.depth, row.parent)
        self._leased.clear()
        return taken

    def best(self, host: int, n: int) -> list[Entry]:
        spilt = self._spilt.get(host, [])
        found: list[Entry] = []
        while spilt and len(found) < n:
            entry = heappop(spilt)
            if entry not in found[-1:] and self._is_pending(entry):
                found.append(entry)
        return found

    def spill(self, host: int, entry: Entry) -> None:
        heappush(self._spilt.setdefault(host, []), entry)

    def add_host(self, name: str) -> int:
        self._hosts += 1
        return self._hosts

    def save(self, hosts: Iterable[Host]) -> None:
        pass

    def _is_pending(self, entry: Entry) -> bool:
        """Tell whether an entry spilt earlier still says what is so."""
        row = self._rows.get(entry[-1])
        return (
            row is not None
            and row.state == State.PENDING
            and (row.tries, -row.priority) == (entry[0], entry[1])
        )

    def _forget(self, key: int, state: State) -> None:
        self._rows.pop(key, None)
        self._failed.discard(key)
        (self._done if state == State.DONE else self._failed).add(key)
