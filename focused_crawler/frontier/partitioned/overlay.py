"""What a worker has changed and not written yet, over the rows of the database."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from focused_crawler.frontier.urls import Better, KnownUrl, NewUrl


@dataclass(slots=True)
class Change:
    """New values of a row that is there; None leaves the old ones."""

    state: int | None = None
    tries: int | None = None
    retry_at: float | None = None  # goes with the state
    priority: float | None = None
    depth: int | None = None
    parent: str | None = None
    path: bytes | None = None  # goes with the parent
    rank: int | None = None

    def move(self, state: int, tries: int, retry_at: float | None) -> None:
        """Change the state."""
        self.state, self.tries, self.retry_at = state, tries, retry_at

    def improve(self, better: Better) -> None:
        """Change priority and depth, and what goes with them."""
        self.priority, self.depth = better.priority, better.depth
        if better.parent is not None:
            self.parent, self.path = better.parent, better.path
        if better.rank is not None:
            self.rank = better.rank

    def over(self, row: KnownUrl) -> KnownUrl:
        """Return a row as it is now."""
        return KnownUrl(
            row.host,
            row.state if self.state is None else self.state,
            row.tries if self.tries is None else self.tries,
            row.priority if self.priority is None else self.priority,
            row.tie,
            row.depth if self.depth is None else self.depth,
        )


@dataclass(slots=True)
class Fresh:
    """A whole row: it is not there yet, or takes the place of one."""

    row: NewUrl
    retry_at: float | None = None

    @property
    def known(self) -> KnownUrl:
        """Return what is to be known of it."""
        _, _, host, state, tries, priority, tie, depth, *_ = self.row
        return KnownUrl(host, state, tries, priority, tie, depth)

    def move(self, state: int, tries: int, retry_at: float | None) -> None:
        """Change the state."""
        self.row, self.retry_at = self.row._replace(state=state, tries=tries), retry_at

    def improve(self, better: Better) -> None:
        """Change priority and depth, and what goes with them."""
        row = self.row._replace(priority=better.priority, depth=better.depth)
        if better.parent is not None:
            row = row._replace(parent=better.parent, path=better.path)
        self.row = row if better.rank is None else row._replace(rank=better.rank)


class Overlay:
    """Rows by key, new ones and changed ones, with the hosts that they belong to."""

    def __init__(self) -> None:
        self.fresh: dict[int, Fresh] = {}
        self.changed: dict[int, Change] = {}
        self.gone: set[int] = set()  # rows to be deleted
        self._of_host: dict[int, set[int]] = {}

    def __len__(self) -> int:
        return len(self.fresh) + len(self.changed) + len(self.gone)

    def insert(self, rows: Iterable[NewUrl]) -> None:
        """Add whole rows."""
        for row in rows:
            self.changed.pop(row.key, None)
            self.gone.discard(row.key)
            self.fresh[row.key] = Fresh(row)
            self._note(row.host, row.key)

    def row(self, key: int, host: int | None) -> Fresh | Change:
        """Return what is to be changed of a row of a host."""
        fresh = self.fresh.get(key)
        if fresh is not None:
            return fresh
        change = self.changed.get(key)
        if change is None:
            change = self.changed[key] = Change()
            self._note(host, key)
        return change

    def forget(self, keys: Iterable[int]) -> None:
        """Delete rows, if they are still as they are expected to be."""
        self.gone.update(keys)

    def keys_of(self, host: int) -> Collection[int]:
        """Return the keys of the rows of a host."""
        return self._of_host.get(host, ())

    def _note(self, host: int | None, key: int) -> None:
        if host is not None:
            self._of_host.setdefault(host, set()).add(key)
