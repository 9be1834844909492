"""A frontier in memory: for simulations, tests and short crawls that need not be resumed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.host import Host
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.queue import QueueFrontier
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.store.schema import State

_SPARE = 64


class WorstFirst:
    """A heap of pending URLs in memory, the last to be taken on top.

    An outdated entry stays until it comes up, or until such entries are the majority.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, int, int]] = []  # the entries, negated

    def push(self, entry: Entry, pending: int, is_pending: Callable[[Entry], bool]) -> None:
        """Add an entry; `pending` is how many there may be that are still so."""
        heappush(self._heap, _inverted(entry))
        if len(self._heap) > 2 * pending + _SPARE:
            self._heap = [item for item in set(self._heap) if is_pending(_inverted(item))]
            heapify(self._heap)

    def pop(self, n: int, is_pending: Callable[[Entry], bool]) -> list[Entry]:
        """Return the `n` or fewer worst entries that are still so."""
        found: list[Entry] = []
        while self._heap and len(found) < n:
            entry = _inverted(heappop(self._heap))
            if entry not in found[-1:] and is_pending(entry):
                found.append(entry)
        return found


def _inverted(entry: Entry) -> Entry:
    tries, minus_priority, tie, key = entry
    return -tries, -minus_priority, -tie, -key


class MemoryFrontier(QueueFrontier):
    """Forgets everything when the process ends."""

    def __init__(self, rules: Rules | None = None) -> None:
        self._memory = _MemoryUrls()
        super().__init__(self._memory, rules or Rules())

    def urls(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the URLs of keys, without those that have ended."""
        return self._memory.texts(keys)


class _Row:
    __slots__ = ("depth", "host", "parent", "path", "priority", "state", "tie", "tries", "url")

    def __init__(self, new: NewUrl) -> None:
        self.url, self.host, self.parent, self.path = new.url, new.host, new.parent, new.path
        self.state, self.tries = new.state, new.tries
        self.priority, self.tie, self.depth = new.priority, new.tie, new.depth


_ENDED = frozenset({State.DONE, State.FAILED, State.DROPPED})
_DONE = KnownUrl(None, State.DONE, 0, 0.0, 0, 0)
_FAILED = KnownUrl(None, State.FAILED, 0, 0.0, 0, 0)


class _MemoryUrls(UrlTable):
    """Of URLs that have ended or were dropped only the keys stay."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[int, _Row] = {}
        self._done: set[int] = set()
        self._failed: set[int] = set()
        self._dropped: dict[int, int] = {}  # key -> tries
        self._worst: WorstFirst | None = None  # of a frontier that has been full
        self._spilt: dict[int, list[Entry]] = {}
        self._spilt_entries = 0
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
            elif key in self._dropped:
                found[key] = KnownUrl(None, State.DROPPED, self._dropped[key], 0.0, 0, 0)
        return found

    def texts(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the URLs of keys that have one here."""
        rows = self._rows
        return {key: rows[key].url for key in keys if key in rows}

    def insert(self, rows: Sequence[NewUrl]) -> None:
        for row in rows:
            self.totals[row.state] += 1
            if row.state in _ENDED:
                self._forget(row.key, row.state, row.tries)
            else:
                self._let_back(row.key)
                self._rows[row.key] = _Row(row)
                self._rank(row.key)

    def improve(self, rows: Sequence[Better]) -> None:
        for key, priority, depth, parent, path, _ in rows:
            row = self._rows.get(key)
            if row is None:
                continue  # dropped with its host, and nothing of it is stored
            row.priority, row.depth = priority, depth
            if parent is not None:
                row.parent, row.path = parent, path
            self._rank(key)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[old] -= 1
        self.totals[new] += 1
        if new in _ENDED:
            self._forget(key, new, tries)
        else:
            row = self._rows[key]
            row.state, row.tries = new, tries
            self._rank(key)

    def lease(self, host: int, key: int) -> None:
        self.move(key, State.PENDING, State.LEASED, self._rows[key].tries)
        self._leased.append(key)

    def taken(self) -> dict[int, Taken]:
        taken = {}
        for key in self._leased:
            row = self._rows[key]
            taken[key] = Taken(row.url, row.depth, row.parent, row.path)
        self._leased.clear()
        return taken

    def best(self, host: int, n: int, aside: Collection[int] = ()) -> list[Entry]:
        spilt = self._spilt.get(host, [])
        found: list[Entry] = []
        while spilt and len(found) < n:
            entry = heappop(spilt)
            self._spilt_entries -= 1
            if entry not in found[-1:] and entry[-1] not in aside and self._is_pending(entry):
                found.append(entry)
        return found

    def spill(self, host: int, entry: Entry) -> None:
        heappush(self._spilt.setdefault(host, []), entry)
        self._spilt_entries += 1
        if self._spilt_entries > 2 * self.totals[State.PENDING] + _SPARE:
            self._forget_old_entries()

    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        entries = self._spilt.pop(host, [])
        self._spilt_entries -= len(entries)
        spilt = {entry[-1] for entry in entries if self._is_pending(entry)}
        pending = []
        for key in spilt.union(buffered, waiting):
            row = self._rows[key]
            if row.state == State.PENDING:
                pending.append(row.priority)
            self.move(key, row.state, State.DROPPED, row.tries)
        return pending

    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        if self._worst is None:
            self._worst = WorstFirst()
            for key in self._rows:
                self._rank(key)
        found = []
        for entry in self._worst.pop(n, self._is_pending):
            host = self._rows[entry[-1]].host
            assert host is not None
            self.move(entry[-1], State.PENDING, State.DROPPED, entry[0])
            found.append((host, entry))
        return found

    def forget(self, keys: Collection[int]) -> None:
        for key in keys:
            if self._dropped.get(key) == 0:
                del self._dropped[key]

    def host_named(self, name: str, *, is_new: bool) -> tuple[Host, bool]:
        self._hosts += 1
        return Host(self._hosts, name), True

    def save(self, hosts: Iterable[Host]) -> None:
        pass

    def _is_pending(self, entry: Entry) -> bool:
        """Tell whether an entry spilt earlier is still valid."""
        row = self._rows.get(entry[-1])
        return (
            row is not None
            and row.state == State.PENDING
            and (row.tries, -row.priority) == (entry[0], entry[1])
        )

    def _forget_old_entries(self) -> None:
        """Take out of all hosts what was spilt and is no more so: without it, dropped URLs would add up."""
        for host, entries in list(self._spilt.items()):
            self._spilt[host] = sorted(filter(self._is_pending, set(entries)))
        self._spilt_entries = sum(map(len, self._spilt.values()))

    def _rank(self, key: int) -> None:
        """Put a pending URL among those that may have to make room."""
        row = self._rows[key]
        if self._worst is not None and row.state == State.PENDING:
            entry = row.tries, -row.priority, row.tie, key
            self._worst.push(entry, self.totals[State.PENDING], self._is_pending)

    def _let_back(self, key: int) -> None:
        """Hold a URL no more for one that has ended or was dropped."""
        self._done.discard(key)
        self._failed.discard(key)
        self._dropped.pop(key, None)

    def _forget(self, key: int, state: int, tries: int) -> None:
        self._rows.pop(key, None)
        self._let_back(key)
        if state == State.DROPPED:
            self._dropped[key] = tries
        else:
            (self._done if state == State.DONE else self._failed).add(key)
