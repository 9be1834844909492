"""A worker's view of the crawl's URLs: the rows of its hosts, under what it has changed since the last turn.

Only the owner of a host changes what the frontier says of its URLs. So the committed rows and what is not
written yet are together what is, and nothing has to be locked between two transactions. Leases are in memory
alone: for the database a URL that is out is pending, until the transaction that ends its lease.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from focused_crawler.frontier.host import Host
from focused_crawler.frontier.hosts import entry_of
from focused_crawler.frontier.order import Entry
from focused_crawler.frontier.partitioned import statements as sql
from focused_crawler.frontier.partitioned.overlay import Change, Fresh, Overlay
from focused_crawler.frontier.partitioned.partition import host_number, partition_of
from focused_crawler.frontier.sql.frontier import SqlUrls
from focused_crawler.frontier.sql.statements import BEST
from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl, Taken
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State

_OF_CHANGE = attrgetter("state", "tries", "retry_at", "priority", "depth")
_OF_HOST = attrgetter("delay", "pages", "refusals")


class OwnedUrls(SqlUrls):
    """The rows of the hosts that this worker owns; `write` is part of a locked transaction."""

    def __init__(self, database: CrawlDatabase, lead: float) -> None:
        """`lead`: seconds that the server's clock is ahead of the caller's."""
        super().__init__(database)
        self.lead = lead
        self.held: frozenset[int] = frozenset()  # partitions
        self.dead_until: dict[int, float] = {}  # partition -> when its owner before had died at the latest
        self._overlay = Overlay()

    @property
    def is_dirty(self) -> bool:
        """Tell whether anything waits to be written."""
        return bool(self._overlay or self._unsaved)

    # Totals: those of all workers, as of the last turn, with our changes

    def synchronise(self, counted: Mapping[int, int]) -> None:
        """Take over what all workers have counted, all of ours that was written among it."""
        for state in self.totals:
            ours = self._durable(state) - self._saved[state]
            self._saved[state] = counted.get(state, 0)
            out = len(self._out) if state == State.PENDING else 0
            if state != State.LEASED:
                self.totals[state] = self._saved[state] + ours - out
        self.totals[State.LEASED] = len(self._out)

    # Rows

    def _rows_of(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        overlay, found, others = self._overlay, dict[int, KnownUrl](), list[int]()
        for key in keys:
            if key in overlay.fresh and key not in overlay.gone:
                found[key] = overlay.fresh[key].known
            elif key not in overlay.gone:
                others.append(key)
        if others:
            for key, row in super()._rows_of(others).items():
                change = overlay.changed.get(key)
                found[key] = row if change is None else change.over(row)
        return found

    def insert(self, rows: Sequence[NewUrl]) -> None:
        for row in rows:
            self.totals[row.state] += 1
        self._overlay.insert(rows)

    def improve(self, rows: Sequence[Better]) -> None:
        known = self.find([row.key for row in rows])
        for row in rows:
            if row.key in known:
                self._overlay.row(row.key, known[row.key].host).improve(row)

    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        self.totals[old] -= 1
        self.totals[new] += 1
        if old == State.LEASED:
            host: int | None = self._let_go(key)
            if new == State.PENDING:  # as if it had never been given
                return
        else:
            row = self.find((key,)).get(key)
            host = None if row is None else row.host
        self._overlay.row(key, host).move(int(new), tries, retry_at)

    def taken(self) -> dict[int, Taken]:
        keys, self._new = self._new, []
        self._read_texts([key for key in keys if key not in self._overlay.fresh and key not in self._texts])
        return {key: self._text(key) for key in keys}

    def _text(self, key: int) -> Taken:
        fresh = self._overlay.fresh.get(key)
        if fresh is not None:
            return Taken(fresh.row.url, fresh.row.depth, fresh.row.parent, fresh.row.path)
        text, change = Taken(*self._texts.pop(key)), self._overlay.changed.get(key)
        if change is not None and change.depth is not None:
            text = text._replace(depth=change.depth)
        if change is not None and change.parent is not None:
            text = text._replace(parent=change.parent, path=change.path)
        return text

    # Queues

    def best(self, host: int, n: int, aside: Collection[int] = ()) -> list[Entry]:
        out = self._out_of.get(host, ())
        most = n + len(self._overlay.keys_of(host)) + len(out) + len(aside)
        rows = self._database.rows(BEST, (host, most))
        changed = self._overlay.keys_of(host)  # now: within a turn the query has written what there was
        found: list[Entry] = [row[:4] for row in rows if row[3] not in changed]
        self._keep_texts((row[3], row[4:]) for row in rows)
        found += self._changed_entries(host)
        return sorted(entry for entry in found if entry[-1] not in out and entry[-1] not in aside)[:n]

    def _changed_entries(self, host: int) -> list[Entry]:
        """Return what is pending of a host and was changed since the last turn."""
        rows = self.find(self._overlay.keys_of(host))
        return [  # some have come back under another name of their host
            entry_of(key, row) for key, row in rows.items() if row.state == State.PENDING and row.host == host
        ]

    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        out, rows = self._out_of.get(host, ()), self._database.rows(sql.PENDING_OF_HOST, (host,))
        changed = self._overlay.keys_of(host)  # as in `best`
        pending = {key: (priority, tries) for key, priority, tries in rows if key not in changed}
        pending |= {entry[-1]: (-entry[1], entry[0]) for entry in self._changed_entries(host)}
        for key in [key for key in pending if key in out]:
            del pending[key]
        for key, (_, tries) in pending.items():
            self.totals[State.PENDING] -= 1
            self._drop(host, key, tries)
        for key, row in self.find(waiting).items():
            self.totals[State.WAITING] -= 1
            self._drop(host, key, row.tries)
        return [priority for priority, _ in pending.values()]

    def _drop(self, host: int, key: int, tries: int) -> None:
        self.totals[State.DROPPED] += 1
        self._overlay.row(key, host).move(int(State.DROPPED), tries, None)

    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        out, most = self._out, n + len(self._overlay) + len(self._out)
        rows, overlay = self._database.rows(sql.WORST, (sorted(self.held), most)), self._overlay
        found: list[tuple[int, Entry]] = [
            (row[0], row[1:]) for row in rows if row[4] not in overlay.changed and row[4] not in overlay.fresh
        ]
        for key, row in self.find([*overlay.fresh, *overlay.changed]).items():
            if row.state == State.PENDING and row.host is not None:
                found.append((row.host, entry_of(key, row)))
        out_or_gone = out.keys() | overlay.gone
        found = [(host, entry) for host, entry in found if entry[-1] not in out_or_gone]
        found = sorted(found, key=lambda one: one[1], reverse=True)[:n]
        for host, entry in found:
            self.totals[State.PENDING] -= 1
            self._drop(host, entry[-1], entry[0])
        return found

    def forget(self, keys: Collection[int]) -> None:
        rows = self.find(keys)
        self._overlay.forget(key for key, row in rows.items() if row.state == State.DROPPED and not row.tries)

    # Hosts

    def host_named(self, name: str, *, is_new: bool) -> tuple[Host, bool]:
        number = host_number(name)
        host = self._unsaved.get(number)
        if host is None and not is_new:
            for row in self._database.rows(sql.HOSTS_BY_ID, ([number],)):
                host = self.host_of(row)
        if host is not None:
            return host, False
        self._unsaved[number] = host = Host(number, name)
        return host, True

    def host_numbered(self, id: int) -> Host:
        if id in self._unsaved:
            return self._unsaved[id]
        (row,) = self._database.rows(sql.HOSTS_BY_ID, ([id],))
        return self.host_of(row)

    def asked_until(self, host: int) -> float:
        return self._here(self.dead_until.get(partition_of(host), 0.0))

    def host_of(self, row: Sequence[Any]) -> Host:
        """Return a host of the database, its times by the caller's clock."""
        host = Host(*row)
        host.asked_at = self._here(host.asked_at)
        host.ready_at = self._here(host.ready_at)
        return host

    def _here(self, moment: float) -> float:
        """Return a moment of the server's clock by the caller's; 0: never."""
        return moment - self.lead if moment else 0.0

    def _there(self, moment: float | None) -> float | None:
        return moment + self.lead if moment else moment

    # Writing

    def save(self, hosts: Iterable[Host]) -> None:
        self._unsaved.update((host.id, host) for host in hosts)
        self._database.defer(self.write, "urls", "hosts", "states")

    def write(self) -> None:
        """Write all changes; part of a locked transaction."""
        overlay, self._overlay = self._overlay, Overlay()
        hosts, self._unsaved = list(self._unsaved.values()), {}
        self._write_parents(overlay)
        if overlay.fresh:
            self._write_fresh(list(overlay.fresh.values()))
        if overlay.changed:
            self._write_changes(overlay.changed)
        if overlay.gone:
            super().forget(overlay.gone)
        self._database.write_all(sql.SAVE_HOSTS, [self._saved_of(host) for host in hosts])
        counts = [(int(state), self._durable(state) - self._saved[state]) for state in self.totals]
        counts = [(state, more) for state, more in counts if more]
        self._database.write_all(sql.COUNT, counts)
        for state, more in counts:
            self._saved[state] += more

    def _write_parents(self, overlay: Overlay) -> None:
        named = [fresh.row.parent for fresh in overlay.fresh.values()]
        named += [change.parent for change in overlay.changed.values()]
        parents = {url_key(url): url for url in named if url is not None}
        self._database.write_all(sql.PARENTS, sorted(parents.items()))

    def _write_fresh(self, rows: Sequence[Fresh]) -> None:
        values, texts = [], []
        for fresh in rows:
            key, url, host, state, tries, priority, tie, depth, parent, rank, path = fresh.row
            parent_key = None if parent is None else url_key(parent)
            about = key, url, host, int(state), tries, priority, tie, depth, parent_key, rank, path
            values.append((*about, self._there(fresh.retry_at)))
            self._known[key] = (host, int(state), tries, priority, tie, depth)
            if state == State.PENDING:
                texts.append((key, (url, depth, parent, path)))
        self._keep_texts(texts)
        self._database.write_all(sql.FRESH, values)

    def _write_changes(self, changes: Mapping[int, Change]) -> None:
        values = []
        for key, change in changes.items():
            state, tries, retry_at, priority, depth = _OF_CHANGE(change)
            parent = None if change.parent is None else url_key(change.parent)
            about = key, state, tries, self._there(retry_at), priority, depth, parent
            values.append((*about, change.path, change.rank))
            self._texts.pop(key, None)
        self._forget_known(changes)
        self._database.write_all(sql.CHANGE, values)

    def _saved_of(self, host: Host) -> tuple[Any, ...]:
        times = self._there(host.asked_at), self._there(host.ready_at)
        return host.id, host.name, self._durable_load(host), *times, *_OF_HOST(host)

    def forget_cached(self) -> None:
        """Forget what rows were: their hosts have another owner, or have had one."""
        self._known.clear()
        self._texts.clear()
