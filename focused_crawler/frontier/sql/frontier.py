"""A frontier in the crawl's database: it outlives the process, and holds only a few URLs a host in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.host import Host
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.queue import QueueFrontier
from focused_crawler.frontier.sql import statements as sql
from focused_crawler.frontier.sql.restoring import restore
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

_KEY, _STATE, _PARENT, _PATH, _ABOUT = map(itemgetter, (0, 3, 8, 10, slice(2, 8)))
_known_url = partial(tuple.__new__, KnownUrl)
_SAVED_OF_HOST = attrgetter("load", "asked_at", "ready_at", "delay", "pages", "refusals", "id")
_CACHED_PARENTS = 4096
_CACHED_URLS = 8_192
"""Rows in memory, or twice as many, of some 300 bytes: most links of a page stood on one of the last."""
_MOST_PICKED = 8
"""So many rows that are picked already may a refill read over; beyond it, writing them first is cheaper."""


class SqlFrontier(QueueFrontier):
    """A frontier over a crawl's database. It writes and never commits: the caller commits it with pages."""

    def __init__(
        self, database: CrawlDatabase, rules: Rules | None = None, number: Callable[[str], int] | None = None
    ) -> None:
        """Go on where the last commit left off; what was leased then is pending again.

        `number`: what new hosts are numbered by, where others know them by it; None: as they come.
        """
        rules = rules or Rules()
        if not rules.max_pending:
            database.execute(sql.UNRANK)
        urls = SqlUrls(database, number)
        super().__init__(urls, rules)
        self._clock.latest = restore(urls, database, self._hosts)


class SqlUrls(UrlTable):
    """The tables `urls` and `hosts` of a crawl's database."""

    KEEPS_HOSTS = True

    def __init__(self, database: CrawlDatabase, number: Callable[[str], int] | None = None) -> None:
        super().__init__()
        self._database, self._number = database, number
        self._find, self._leased, self._drop_waiting = (
            statement.format(among=database.among) for statement in (sql.FIND, sql.LEASED, sql.DROP_WAITING)
        )
        self._forgotten, self._unlink, self._delete = (
            statement.format(among=database.among) for statement in (sql.FORGOTTEN, sql.UNLINK, sql.DELETE)
        )
        self._is_ranked = False
        for state, urls in database.rows("SELECT state, urls FROM states"):
            if state in self.totals:
                self.totals[state] = urls
        self._saved = dict(self.totals)
        self._unsaved: dict[int, Host] = {}  # what has changed of them waits for the commit
        self._to_lease: dict[int, list[int]] = {}  # host -> keys picked since the last write
        self._taken: dict[int, Taken] = {}
        self._parents: dict[str, int] = {}
        # Rows as they are: what links lead to repeats. Bare tuples, which the garbage collector passes over.
        self._known: dict[int, tuple[Any, ...]] = {}

    def find(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        known = self._known
        found = {key: _known_url(known[key]) for key in keys if key in known}
        if len(found) < len(keys):
            others = [key for key in keys if key not in found] if found else keys
            for row in self._database.rows(self._find, (self._database.many(others),)):
                known[row[0]] = row[1:]
                found[row[0]] = _known_url(row[1:])
            if len(known) > 2 * _CACHED_URLS:
                self._known = dict(islice(known.items(), len(known) - _CACHED_URLS, None))
        return found

    def insert(self, rows: Sequence[NewUrl]) -> None:
        for state in map(_STATE, rows):
            self.totals[state] += 1
        parents = {parent: self._parent_id(parent) for parent in set(map(_PARENT, rows))}
        self._known.update(zip(map(_KEY, rows), map(_ABOUT, rows), strict=True))
        if {*map(_PATH, rows)} == {None}:
            self._database.executemany(
                sql.INSERT_WITHOUT_PATHS, [(*row[:8], parents[row[8]], row[9]) for row in rows]
            )
        else:
            self._database.executemany(sql.INSERT, [(*row[:8], parents[row[8]], *row[9:]) for row in rows])

    def _forget_known(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._known.pop(key, None)

    def improve(self, rows: Sequence[Better]) -> None:
        values = [
            (row.priority, row.depth, self._parent_id(row.parent), row.path, row.key, row.rank)
            for row in rows
        ]
        self._forget_known(row.key for row in rows)
        self._database.executemany(sql.IMPROVE, values)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[old] -= 1
        self.totals[new] += 1
        self._known.pop(key, None)
        if retry_at is None:
            self._database.execute(sql.MOVE, (int(new), tries, key))
        else:
            self._database.execute(sql.WAIT, (int(new), tries, retry_at, key))

    def lease(self, host: int, key: int) -> None:
        self.totals[State.PENDING] -= 1
        self.totals[State.LEASED] += 1
        self._known.pop(key, None)
        self._to_lease.setdefault(host, []).append(key)

    def taken(self) -> dict[int, Taken]:
        self._write_leases()
        taken, self._taken = self._taken, {}
        return taken

    def best(self, host: int, n: int, aside: Collection[int] = ()) -> list[Entry]:
        picked = self._to_lease.get(host, ())
        if len(picked) > _MOST_PICKED:
            self._write_leases()
            picked = ()
        out = {*picked, *aside}
        found: list[Entry] = self._database.rows(sql.BEST, (host, n + len(out)))
        return [entry for entry in found if entry[-1] not in out][:n] if out else found

    def spill(self, host: int, entry: Entry) -> None:
        pass  # its row is enough

    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        self._write_leases()
        self._known.clear()
        pending = [row[0] for row in self._database.rows(sql.DROP_PENDING, (host,))]
        self._database.execute(self._drop_waiting, (self._database.many(waiting),))
        self.totals[State.PENDING] -= len(pending)
        self.totals[State.WAITING] -= len(waiting)
        self.totals[State.DROPPED] += len(pending) + len(waiting)
        return pending

    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        if not self._is_ranked:
            self._database.execute(sql.RANK)
            self._is_ranked = True
        found = [(row[0], row[1:]) for row in self._database.rows(sql.DROP_WORST, (n,))]
        self._forget_known(entry[-1] for _, entry in found)
        self.totals[State.PENDING] -= len(found)
        self.totals[State.DROPPED] += len(found)
        return found

    def forget(self, keys: Collection[int]) -> None:
        self._forget_known(keys)
        ids = [id for (id,) in self._database.rows(self._forgotten, (self._database.many(keys),))]
        for delete in (self._unlink, self._delete):
            self._database.execute(delete, (self._database.many(ids),))

    def host_named(self, name: str, *, is_new: bool) -> tuple[Host, bool]:
        known = () if is_new else self._database.rows(f"{sql.HOSTS} WHERE name = ?", (name,))
        for row in known:
            return Host(*row), False
        if self._number is None:
            ((id,),) = self._database.rows("INSERT INTO hosts (name) VALUES (?) RETURNING id", (name,))
        else:
            id = self._number(name)
            self._database.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (id, name))
        return Host(int(id), name), True

    def host_numbered(self, id: int) -> Host:
        (row,) = self._database.rows(f"{sql.HOSTS} WHERE id = ?", (id,))
        return Host(*row)

    def save(self, hosts: Iterable[Host]) -> None:
        self._unsaved.update((host.id, host) for host in hosts)
        self._database.defer(self._write_saved, "hosts", "states")

    def _write_saved(self) -> None:
        if self._unsaved:
            self._database.executemany(sql.SAVE_HOST, list(map(_SAVED_OF_HOST, self._unsaved.values())))
            self._unsaved.clear()
        totals = [(urls, state) for state, urls in self.totals.items() if urls != self._saved[state]]
        if totals:
            self._database.executemany("UPDATE states SET urls = ? WHERE state = ?", totals)
            self._saved.update(self.totals)

    def _write_leases(self) -> None:
        """Mark as leased what was picked since the last write."""
        keys = [key for picked in self._to_lease.values() for key in picked]
        if len(keys) == 1:
            rows = self._database.rows(sql.LEASE, keys)
        elif keys:
            self._database.write_all(sql.LEASE_ALL, [(key,) for key in keys])
            rows = self._database.rows(self._leased, (self._database.many(keys),))
        else:
            return
        self._taken.update({row[0]: Taken(*row[1:]) for row in rows})
        self._to_lease.clear()

    def _parent_id(self, url: str | None) -> int | None:
        """Return the row of a parent, a new one (seen) if need be."""
        if url is None:
            return None
        id = self._parents.get(url)
        if id is None:
            id = self._parents[url] = self._row_id(url)
            if len(self._parents) > _CACHED_PARENTS:
                del self._parents[next(iter(self._parents))]
        return id

    def _row_id(self, url: str) -> int:
        key = url_key(url)
        for (id,) in self._database.rows("SELECT id FROM urls WHERE key = ?", (key,)):
            return int(id)
        ((id,),) = self._database.rows(sql.SEEN, (key, url))
        return int(id)
