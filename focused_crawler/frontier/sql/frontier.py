"""A frontier in the crawl's database: it outlives the process, and holds only a few URLs a host in memory."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.host import Host
from focused_crawler.frontier.hosts import HostQueues
from focused_crawler.frontier.order import BANDS, Entry
from focused_crawler.frontier.queue import QueueFrontier
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken, UrlTable
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import Bulk, CrawlDatabase
from focused_crawler.store.foreign import changed
from focused_crawler.store.schema import State

logger = logging.getLogger(__name__)

_FIND = """
SELECT key, host, state, tries, priority, tie, depth FROM urls
WHERE key {among}
"""
# SQLite takes as long to bind a None as five numbers: where most values are, they are no values.
_INSERT = """
INSERT INTO urls (key, url, host, state, tries, priority, tie, depth, parent, rank, path)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    url = excluded.url, host = excluded.host, state = excluded.state, tries = excluded.tries,
    priority = excluded.priority, tie = excluded.tie, depth = excluded.depth, parent = excluded.parent,
    path = excluded.path, retry_at = NULL, rank = excluded.rank
"""
_INSERT_WITHOUT_PATHS = _INSERT.replace("?)", "NULL)")
_IMPROVE = """
UPDATE urls SET priority = ?1, depth = ?2, parent = coalesce(?3, parent),
    path = CASE WHEN ?3 IS NULL THEN path ELSE ?4 END, rank = coalesce(?6, rank)
WHERE key = ?5
"""
_SEEN = "INSERT INTO urls (key, url, state) VALUES (?, ?, 0) RETURNING id"
_MOVE = "UPDATE urls SET state = ?, tries = ?, retry_at = NULL WHERE key = ?"
_WAIT = _MOVE.replace("NULL", "?")
# The states are written as numbers: only so SQLite can use its partial indexes.
_TAKEN = "key, url, depth, (SELECT p.url FROM urls AS p WHERE p.id = urls.parent), path"
_LEASE = f"UPDATE urls SET state = 3 WHERE key = ? RETURNING {_TAKEN}"  # noqa: S608
# One by one in SQLite: while a statement changes many rows, a temporary file keeps the pages that it may have
# to put back, which costs more than the changes.
_LEASE_ALL = Bulk(
    "UPDATE urls SET state = 3 WHERE key = ?",
    "UPDATE urls SET state = 3 WHERE key = ANY (?::bigint[])",
)
_LEASED = f"SELECT {_TAKEN} FROM urls WHERE key {{among}}"  # noqa: S608
_BEST = """
SELECT tries, -priority, tie, key FROM urls WHERE host = ? AND state = 1
ORDER BY tries, priority DESC, tie LIMIT ?
"""
# Down to a whole number, whether CAST rounds or cuts off.
_BAND = f"CAST(priority * {BANDS} AS INTEGER)"
_BANDS = f"""
SELECT {_BAND} - CASE WHEN {_BAND} > priority * {BANDS} THEN 1 ELSE 0 END AS band, count(*) FROM urls
WHERE state = 1 GROUP BY band
"""  # noqa: S608
_OUT = "SELECT key, host, state, tries, retry_at FROM urls WHERE state IN (2, 3)"
_DROP_PENDING = "UPDATE urls SET state = 6 WHERE host = ? AND state = 1 RETURNING priority"
_DROP_WAITING = "UPDATE urls SET state = 6, retry_at = NULL WHERE key {among}"
_DROP_WORST = """
UPDATE urls SET state = 6 WHERE id IN (
    SELECT id FROM urls WHERE state = 1 ORDER BY tries DESC, priority, tie DESC LIMIT ?
) RETURNING host, tries, -priority, tie, key
"""
# Only a frontier that has been full pays for it.
RANK = """
CREATE INDEX IF NOT EXISTS urls_worst ON urls (tries DESC, priority, tie DESC) WHERE state = 1
"""
_UNRANK = "DROP INDEX IF EXISTS urls_worst"
# What is recorded, or was decided about, stays: it is more than a URL that was offered.
_FORGOTTEN = """
SELECT id FROM urls WHERE key {among} AND state = 6 AND tries = 0
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.key = urls.key)
    AND NOT EXISTS (SELECT 1 FROM links WHERE links.source = urls.id)
    AND NOT EXISTS (SELECT 1 FROM decisions WHERE decisions.url = urls.id)
"""
_UNLINK = "DELETE FROM links WHERE target {among}"
_DELETE = "DELETE FROM urls WHERE id {among}"
_REVIVE = "UPDATE urls SET state = 1 WHERE state = 6 AND host {among}"
_HOSTS = "SELECT id, name, load, asked_at, ready_at, delay, pages, refusals FROM hosts"
_HOSTS_OF_PENDING = "SELECT DISTINCT host FROM urls WHERE state = 1"
# Text is more than any number in SQLite; PostgreSQL has none in such columns.
_ODD = "(priority BETWEEN 0 AND 1 AND tries BETWEEN 0 AND 1000000 AND tie <= {0} AND key <= {0})".format(
    2**63 - 1
)
# By the index of what is pending, SQLite would look for each row anew: +state keeps it from that.
_ODD_PENDING = f"SELECT count(*) FROM urls WHERE +state = 1 AND NOT {_ODD}"  # noqa: S608
_ODD_WAITING = f"""
SELECT count(*) FROM urls WHERE state IN (2, 3) AND NOT {_ODD}
OR (state = 2 AND (retry_at IS NULL OR retry_at > 1e300)) OR (state IN (2, 3) AND host IS NULL)
"""  # noqa: S608
_LONGEST = 31 * 24 * 3600.0
"""Seconds; no host and no URL waits for longer."""
_SAVE_HOST = """
UPDATE hosts SET load = ?, asked_at = ?, ready_at = ?, delay = ?, pages = ?, refusals = ? WHERE id = ?
"""
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
            database.execute(_UNRANK)
        urls = SqlUrls(database, number)
        super().__init__(urls, rules)
        self._clock.latest = urls.restore(self._hosts)


class SqlUrls(UrlTable):
    """The tables `urls` and `hosts` of a crawl's database."""

    KEEPS_HOSTS = True

    def __init__(self, database: CrawlDatabase, number: Callable[[str], int] | None = None) -> None:
        super().__init__()
        self._database, self._number = database, number
        self._find, self._leased, self._drop_waiting, self._revive_all = (
            sql.format(among=database.among) for sql in (_FIND, _LEASED, _DROP_WAITING, _REVIVE)
        )
        self._forgotten, self._unlink, self._delete = (
            sql.format(among=database.among) for sql in (_FORGOTTEN, _UNLINK, _DELETE)
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

    def restore(self, queues: HostQueues) -> float:
        """Fill the queues from the database, and return the latest time the last run knew."""
        hosts = {row[0]: self._host(row) for row in self._database.rows(_HOSTS)}
        self._check(hosts)
        latest = max((host.asked_at for host in hosts.values()), default=0.0)
        for host in hosts.values():
            if latest + _LONGEST < host.ready_at < math.inf:  # no crawl writes so
                host.ready_at = host.asked_at + host.delay
        for host in hosts.values():
            queues.load(host)
        queues.known = len(hosts)
        reopened = {host.id for host in hosts.values() if queues.politeness.reopen(host)}
        self._revive(reopened)
        given_back = set()
        waiting = 0
        for key, id, state, tries, retry_at in self._database.rows(_OUT):
            if state == State.LEASED:
                self.move(key, State.LEASED, State.PENDING, tries)
                hosts[id].load -= 1
                given_back.add(id)
            else:
                queues.wait(hosts[id], key, retry_at if retry_at <= latest + _LONGEST else latest)
                waiting += 1
        bands = self._database.rows(_BANDS)
        queues.ranks.load(bands)
        self._recount(sum(urls for _, urls in bands), waiting)
        now = max((host.asked_at for host in hosts.values()), default=0.0)
        closed = set()
        for host in hosts.values():
            host.has_more = True
            if queues.is_over(host) and (not host.is_closed or host.id in given_back):
                queues.close(host)
                closed.add(host.id)
            host.has_more = not host.is_closed
            queues.reposition(host, now)
        self.save(hosts[id] for id in reopened | given_back | closed)
        queues.forget_idle()
        return now

    def _host(self, row: Sequence[Any]) -> Host:
        """Return a host of the database; CrawlError if another program has written there what is none."""
        if not isinstance(row[1], str) or not all(isinstance(value, int | float) for value in row[2:]):
            raise self._changed(f"host {row[0]}")
        host = Host(*row)
        if not (0 <= host.delay < math.inf and math.isfinite(host.asked_at)):
            raise self._changed(f"host {row[0]}")
        return host

    def _check(self, hosts: Collection[int]) -> None:
        """Raise CrawlError if what is pending or waiting could not be given out, or only with an error."""
        for (host,) in self._database.rows(_HOSTS_OF_PENDING):
            if host not in hosts:
                raise self._changed(f"host {host}, which URLs name")
        for sql, what in ((_ODD_PENDING, "pending"), (_ODD_WAITING, "waiting")):
            ((odd,),) = self._database.rows(sql)
            if odd:
                raise self._changed(f"{odd} of the URLs that are {what}")

    def _changed(self, what: str) -> CrawlError:
        return changed(self._database.location, what)

    def _recount(self, pending: int, waiting: int) -> None:
        """Correct the numbers of URLs if they are not those of the URLs: the crawl would wait for ever."""
        is_sound = all(isinstance(urls, int) and urls >= 0 for urls in self.totals.values())
        if is_sound and (pending, waiting) == (self.totals[State.PENDING], self.totals[State.WAITING]):
            return
        counted = dict(self._database.rows("SELECT state, count(*) FROM urls GROUP BY state"))
        if unknown := [state for state in counted if state not in self.totals]:
            raise self._changed(f"{sum(counted[state] for state in unknown)} URLs of no known state")
        logger.warning(
            "%s had wrong numbers of URLs by state; they are counted anew", self._database.location
        )
        self.totals.update({state: counted.get(int(state), 0) for state in self.totals})

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
                _INSERT_WITHOUT_PATHS, [(*row[:8], parents[row[8]], row[9]) for row in rows]
            )
        else:
            self._database.executemany(_INSERT, [(*row[:8], parents[row[8]], *row[9:]) for row in rows])

    def _forget_known(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._known.pop(key, None)

    def improve(self, rows: Sequence[Better]) -> None:
        values = [
            (row.priority, row.depth, self._parent_id(row.parent), row.path, row.key, row.rank)
            for row in rows
        ]
        self._forget_known(row.key for row in rows)
        self._database.executemany(_IMPROVE, values)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[old] -= 1
        self.totals[new] += 1
        self._known.pop(key, None)
        if retry_at is None:
            self._database.execute(_MOVE, (int(new), tries, key))
        else:
            self._database.execute(_WAIT, (int(new), tries, retry_at, key))

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
        found: list[Entry] = self._database.rows(_BEST, (host, n + len(out)))
        return [entry for entry in found if entry[-1] not in out][:n] if out else found

    def spill(self, host: int, entry: Entry) -> None:
        pass  # its row is enough

    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        self._write_leases()
        self._known.clear()
        pending = [row[0] for row in self._database.rows(_DROP_PENDING, (host,))]
        self._database.execute(self._drop_waiting, (self._database.many(waiting),))
        self.totals[State.PENDING] -= len(pending)
        self.totals[State.WAITING] -= len(waiting)
        self.totals[State.DROPPED] += len(pending) + len(waiting)
        return pending

    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        if not self._is_ranked:
            self._database.execute(RANK)
            self._is_ranked = True
        found = [(row[0], row[1:]) for row in self._database.rows(_DROP_WORST, (n,))]
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
        known = () if is_new else self._database.rows(f"{_HOSTS} WHERE name = ?", (name,))
        for row in known:
            return Host(*row), False
        if self._number is None:
            ((id,),) = self._database.rows("INSERT INTO hosts (name) VALUES (?) RETURNING id", (name,))
        else:
            id = self._number(name)
            self._database.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (id, name))
        return Host(int(id), name), True

    def host_numbered(self, id: int) -> Host:
        (row,) = self._database.rows(f"{_HOSTS} WHERE id = ?", (id,))
        return Host(*row)

    def save(self, hosts: Iterable[Host]) -> None:
        self._unsaved.update((host.id, host) for host in hosts)
        self._database.defer(self._write_saved, "hosts", "states")

    def _write_saved(self) -> None:
        if self._unsaved:
            self._database.executemany(_SAVE_HOST, list(map(_SAVED_OF_HOST, self._unsaved.values())))
            self._unsaved.clear()
        totals = [(urls, state) for state, urls in self.totals.items() if urls != self._saved[state]]
        if totals:
            self._database.executemany("UPDATE states SET urls = ? WHERE state = ?", totals)
            self._saved.update(self.totals)

    def _revive(self, hosts: Collection[int]) -> None:
        """Make pending what was dropped of hosts that may be asked again."""
        if hosts and self.totals[State.DROPPED]:
            revived = self._database.execute(self._revive_all, (self._database.many(hosts),)).rowcount
            self.totals[State.DROPPED] -= revived
            self.totals[State.PENDING] += revived

    def _write_leases(self) -> None:
        """Mark as leased what was picked since the last write."""
        keys = [key for picked in self._to_lease.values() for key in picked]
        if len(keys) == 1:
            rows = self._database.rows(_LEASE, keys)
        elif keys:
            self._database.write_all(_LEASE_ALL, [(key,) for key in keys])
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
        ((id,),) = self._database.rows(_SEEN, (key, url))
        return int(id)
