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
_TEXT = itemgetter(1, 7, 8, 10)
_known_url = partial(tuple.__new__, KnownUrl)
_SAVED_OF_HOST = attrgetter("asked_at", "ready_at", "delay", "pages", "refusals", "id")
_CACHED_PARENTS = 4096
_CACHED_URLS = 8_192
"""Rows in memory, or twice as many, of some 300 bytes, and as many texts: most links of a page stood on one
of the last, and most URLs that are taken."""


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
    """The tables `urls` and `hosts` of a crawl's database.

    Leases are in memory alone: for the database a URL that is out is pending until its lease has ended.
    """

    KEEPS_HOSTS = True

    def __init__(self, database: CrawlDatabase, number: Callable[[str], int] | None = None) -> None:
        super().__init__()
        self._database, self._number = database, number
        self._find, self._texts_of, self._drop_pending, self._drop_waiting, self._drop_worst = (
            statement.format(among=database.among)
            for statement in (sql.FIND, sql.TEXTS, sql.DROP_PENDING, sql.DROP_WAITING, sql.DROP_WORST)
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
        self._out: dict[int, int] = {}  # key of what is out -> its host
        self._out_of: dict[int, set[int]] = {}  # the same by host
        self._new: list[int] = []  # keys of what was leased since `taken` was called
        self._parents: dict[str, int] = {}
        # Rows as they are: what links lead to repeats. Bare tuples, which the garbage collector passes over.
        self._known: dict[int, tuple[Any, ...]] = {}
        self._texts: dict[int, tuple[Any, ...]] = {}  # as in Taken: of what came last, and of buffers

    def find(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        found = self._rows_of(keys)
        for key in self._out.keys() & found.keys():
            found[key] = found[key]._replace(state=State.LEASED)
        return found

    def _rows_of(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        """Return what the database knows of URLs."""
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
        self._keep_texts(zip(map(_KEY, rows), map(_TEXT, rows), strict=True))
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
        values = []
        for key, priority, depth, parent, path, rank in rows:
            values.append((priority, depth, self._parent_id(parent), path, key, rank))
            if (text := self._texts.get(key)) is not None:
                origin = text[2:] if parent is None else (parent, path)
                self._texts[key] = (text[0], depth, *origin)
        self._forget_known(row.key for row in rows)
        self._database.executemany(sql.IMPROVE, values)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[old] -= 1
        self.totals[new] += 1
        if old == State.LEASED:
            self._let_go(key)
            if new == State.PENDING:  # as if it had never been given
                return
        self._known.pop(key, None)
        if retry_at is None:
            self._database.execute(sql.MOVE, (int(new), tries, key))
        else:
            self._database.execute(sql.WAIT, (int(new), tries, retry_at, key))

    def lease(self, host: int, key: int) -> None:
        self.totals[State.PENDING] -= 1
        self.totals[State.LEASED] += 1
        self._out[key] = host
        self._out_of.setdefault(host, set()).add(key)
        self._new.append(key)

    def _let_go(self, key: int) -> int:
        """End a lease; return the host of its URL."""
        host = self._out.pop(key)
        self._out_of[host].discard(key)
        if not self._out_of[host]:
            del self._out_of[host]
        return host

    def taken(self) -> dict[int, Taken]:
        keys, self._new = self._new, []
        self._read_texts([key for key in keys if key not in self._texts])
        return {key: Taken(*self._texts.pop(key)) for key in keys}

    def _read_texts(self, keys: Collection[int]) -> None:
        if keys:
            for key, *text in self._database.rows(self._texts_of, (self._database.many(keys),)):
                self._texts[key] = tuple(text)

    def _keep_texts(self, texts: Iterable[tuple[int, tuple[Any, ...]]]) -> None:
        """Remember the texts of URLs that may be taken soon."""
        self._texts.update(texts)
        if len(self._texts) > 2 * _CACHED_URLS:
            self._texts = dict(islice(self._texts.items(), len(self._texts) - _CACHED_URLS, None))

    def best(self, host: int, n: int, aside: Collection[int] = ()) -> list[Entry]:
        out = {*self._out_of.get(host, ()), *aside}
        rows = self._database.rows(sql.BEST, (host, n + len(out)))
        self._keep_texts((row[3], row[4:]) for row in rows)
        return [row[:4] for row in rows if row[3] not in out][:n]

    def spill(self, host: int, entry: Entry) -> None:
        pass  # its row is enough

    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        self._known.clear()
        out = self._database.many(self._out_of.get(host, ()))
        pending = [row[0] for row in self._database.rows(self._drop_pending, (host, out))]
        self._database.execute(self._drop_waiting, (self._database.many(waiting),))
        self.totals[State.PENDING] -= len(pending)
        self.totals[State.WAITING] -= len(waiting)
        self.totals[State.DROPPED] += len(pending) + len(waiting)
        return pending

    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        if not self._is_ranked:
            self._database.execute(sql.RANK)
            self._is_ranked = True
        rows = self._database.rows(self._drop_worst, (self._database.many(self._out), n))
        found = [(row[0], row[1:]) for row in rows]
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
            hosts = [(self._durable_load(host), *_SAVED_OF_HOST(host)) for host in self._unsaved.values()]
            self._database.executemany(sql.SAVE_HOST, hosts)
            self._unsaved.clear()
        totals = {state: self._durable(state) for state in self.totals}
        changed = [(urls, state) for state, urls in totals.items() if urls != self._saved[state]]
        if changed:
            self._database.executemany("UPDATE states SET urls = ? WHERE state = ?", changed)
            self._saved = totals

    def _durable_load(self, host: Host) -> int:
        """Return how many URLs of a host were given out; what is out was never given if we die."""
        return host.load - len(self._out_of.get(host.id, ()))

    def _durable(self, state: int) -> int:
        """Return a total as the database counts: what is out is pending there."""
        if state == State.LEASED:
            return 0
        return self.totals[state] + (len(self._out) if state == State.PENDING else 0)

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
