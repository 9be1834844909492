"""A frontier in the crawl's database: it outlives the process, and holds only a few URLs a host in memory."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from heapq import heappush

from focused_crawler.frontier.hosts import Host, HostQueues
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.queue import LEASE_SECONDS, QueueFrontier
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

_FIND = """
SELECT key, host, state, tries, priority, tie, depth FROM urls
WHERE key IN (SELECT value FROM json_each(?))
"""
_INSERT = """
INSERT INTO urls (key, url, host, state, tries, priority, tie, depth, parent, retry_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    url = excluded.url, host = excluded.host, state = excluded.state, tries = excluded.tries,
    priority = excluded.priority, tie = excluded.tie, depth = excluded.depth, parent = excluded.parent,
    retry_at = excluded.retry_at
"""
_IMPROVE = "UPDATE urls SET priority = ?, depth = ?, parent = coalesce(?, parent) WHERE key = ?"
_MOVE = "UPDATE urls SET state = ?, tries = ?, retry_at = ? WHERE key = ?"
# The states stand as numbers: only so can SQLite tell that its partial indexes will do.
_LEASE = """
UPDATE urls SET state = 3 WHERE key IN (SELECT value FROM json_each(?))
RETURNING key, url, depth, parent
"""
_BEST = """
SELECT tries, -priority, tie, key FROM urls WHERE host = ? AND state = 1
ORDER BY tries, priority DESC, tie LIMIT ?
"""
_OUT = "SELECT key, host, state, tries, retry_at FROM urls WHERE state IN (2, 3)"
_NAMES = "SELECT id, url FROM urls WHERE id IN (SELECT value FROM json_each(?))"
_PARENTS_KEPT = 4096


class SqliteFrontier(QueueFrontier):
    """A frontier over a crawl's database. It writes and never commits: the caller commits it with pages."""

    def __init__(
        self,
        database: CrawlDatabase,
        *,
        delay: float = 0.0,
        per_host: int | None = None,
        lease_seconds: float = LEASE_SECONDS,
        seed: int = 0,
    ) -> None:
        """Go on where the last commit left off; what was leased then is pending again.

        `delay`: seconds from one take of a host to the next; `per_host`: leases a host may have at a time
        (None: any number); `lease_seconds`: age at which a lease nobody ended returns to pending;
        `seed`: of the random order among equals.
        """
        urls = _SqliteUrls(database)
        super().__init__(urls, delay=delay, per_host=per_host, lease_seconds=lease_seconds, seed=seed)
        self._clock.latest = urls.restore(self._hosts)


class _SqliteUrls(UrlTable):
    def __init__(self, database: CrawlDatabase) -> None:
        super().__init__()
        self._database = database
        for state, urls in database.rows("SELECT state, urls FROM states"):
            self.totals[State(state)] = urls
        self._saved = dict(self.totals)
        self._to_lease: list[int] = []
        self._taken: dict[int, tuple[str, int, int | None]] = {}
        self._parents: dict[str, int] = {}

    def restore(self, queues: HostQueues) -> float:
        """Fill the queues from the database, and return the latest time the last run knew."""
        hosts = {
            row[0]: Host(*row)
            for row in self._database.rows("SELECT id, name, load, asked_at, ready_at FROM hosts")
        }
        given_back = set()
        for key, id, state, tries, retry_at in self._database.rows(_OUT):
            if state == State.LEASED:
                self.move(key, State.LEASED, State.PENDING, tries)
                hosts[id].load -= 1
                given_back.add(id)
            else:
                heappush(hosts[id].retries, (retry_at, key))
        now = max((host.asked_at for host in hosts.values()), default=0.0)
        for host in hosts.values():
            queues.load(host)
            host.has_more = True
            queues.place(host, now)
        self.save(hosts[id] for id in given_back)
        return now

    def find(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        if not keys:
            return {}
        return {row[0]: KnownUrl(*row[1:]) for row in self._database.rows(_FIND, (json.dumps(list(keys)),))}

    def insert(self, rows: Sequence[NewUrl]) -> None:
        for row in rows:
            self.totals[row.state] += 1
        values = [(*row[:8], self._parent_id(row.parent), row.retry_at) for row in rows]
        self._database.executemany(_INSERT, values)

    def improve(self, rows: Sequence[Better]) -> None:
        values = [(row.priority, row.depth, self._parent_id(row.parent), row.key) for row in rows]
        self._database.executemany(_IMPROVE, values)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[State(old)] -= 1
        self.totals[new] += 1
        self._database.execute(_MOVE, (new, tries, retry_at, key))

    def lease(self, key: int) -> None:
        self.totals[State.PENDING] -= 1
        self.totals[State.LEASED] += 1
        self._to_lease.append(key)

    def taken(self) -> dict[int, Taken]:
        self._write_leases()
        taken, self._taken = self._taken, {}
        parents = {parent for _, _, parent in taken.values() if parent is not None}
        names = dict(self._database.rows(_NAMES, (json.dumps(list(parents)),))) if parents else {}
        return {key: Taken(url, depth, names.get(parent)) for key, (url, depth, parent) in taken.items()}

    def best(self, host: int, n: int) -> list[Entry]:
        self._write_leases()
        return self._database.rows(_BEST, (host, n))

    def spill(self, host: int, entry: Entry) -> None:
        pass  # its row is enough

    def add_host(self, name: str) -> int:
        id = self._database.execute("INSERT INTO hosts (name) VALUES (?)", (name,)).lastrowid
        assert id is not None
        return id

    def save(self, hosts: Iterable[Host]) -> None:
        rows = [(host.load, host.asked_at, host.ready_at, host.id) for host in hosts]
        if rows:
            self._database.executemany(
                "UPDATE hosts SET load = ?, asked_at = ?, ready_at = ? WHERE id = ?", rows
            )
        totals = [(urls, state) for state, urls in self.totals.items() if urls != self._saved[state]]
        if totals:
            self._database.executemany("UPDATE states SET urls = ? WHERE state = ?", totals)
            self._saved.update(self.totals)

    def _write_leases(self) -> None:
        """Mark as leased what was picked since: a refill must not find it again."""
        if self._to_lease:
            rows = self._database.rows(_LEASE, (json.dumps(self._to_lease),))
            self._taken.update({key: (url, depth, parent) for key, url, depth, parent in rows})
            self._to_lease.clear()

    def _parent_id(self, url: str | None) -> int | None:
        """Return the row of a parent, a new one (seen) if need be."""
        if url is None:
            return None
        id = self._parents.get(url)
        if id is None:
            id = self._parents[url] = self._row_id(url)
            if len(self._parents) > _PARENTS_KEPT:
                del self._parents[next(iter(self._parents))]
        return id

    def _row_id(self, url: str) -> int:
        key = url_key(url)
        for (id,) in self._database.rows("SELECT id FROM urls WHERE key = ?", (key,)):
            return int(id)
        id = self._database.execute(
            "INSERT INTO urls (key, url, state) VALUES (?, ?, ?)", (key, url, State.SEEN)
        ).lastrowid
        assert id is not None
        return id
