"""What a backend is: a table of URLs and hosts. The rules of the frontier are not in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from focused_crawler.frontier.host import Host
from focused_crawler.frontier.order import Entry
from focused_crawler.store.schema import State


class Out(NamedTuple):
    """A URL that is out."""

    host: Host  # its own
    at: Host  # the one that is asked: another, where a redirect leads there
    entry: Entry
    end: float
    host_before: tuple[float, float]  # the host's asked_at and ready_at before and after
    host_after: tuple[float, float]


class Leases(dict[int, Out]):
    """URLs by key, oldest lease first: one that begins, or begins anew, ends after all others."""

    def begin_anew(self, key: int, at: Host, end: float) -> Out:
        """Let a lease last until `end`, and count for another host if need be; return what it was."""
        before = self.finish(key)
        self[key] = before._replace(at=at, end=end)
        at.leased[key] = end
        return before

    def finish(self, key: int) -> Out:
        """End a lease."""
        out = self.pop(key)
        del out.at.leased[key]
        return out

    def overdue(self, now: float) -> list[int]:
        """Return the keys of the leases that have lasted for too long."""
        found = []
        for key, out in self.items():
            if out.end > now:
                break
            found.append(key)
        return found

    def first_end(self) -> float | None:
        """Return when the oldest lease ends."""
        return next((out.end for out in self.values()), None)


class KnownUrl(NamedTuple):
    """What a backend remembers of a URL, apart from its text."""

    host: int | None
    state: int
    tries: int
    priority: float
    tie: int
    depth: int


class NewUrl(NamedTuple):
    """A URL that enters the frontier, in the state given."""

    key: int
    url: str
    host: int | None
    state: int  # a plain one: SQLite takes twice as long to bind a State
    tries: int
    priority: float
    tie: int
    depth: int
    parent: str | None
    rank: int | None = None  # 1 and the pending URLs of higher priority when it was added
    path: bytes | None = None


class Better(NamedTuple):
    """New values for a pending or waiting URL; parent None leaves the old one, and its path."""

    key: int
    priority: float
    depth: int
    parent: str | None
    path: bytes | None = None
    rank: int | None = None  # with the new priority; None leaves the old one


class Taken(NamedTuple):
    """The text of a URL that has just been leased."""

    url: str
    depth: int
    parent: str | None
    path: bytes | None


class UrlTable(ABC):
    """One row a URL, by key. The caller gives the old state, and `totals` counts URLs by state."""

    KEEPS_HOSTS = False
    """Whether a host that was saved can be read again."""

    def __init__(self) -> None:
        self.totals: dict[int, int] = dict.fromkeys(map(int, State), 0)

    @abstractmethod
    def find(self, keys: Collection[int]) -> dict[int, KnownUrl]:
        """Return those of `keys` that are known."""

    @abstractmethod
    def insert(self, rows: Sequence[NewUrl]) -> None:
        """Add URLs that are not known, only seen, or dropped, or that have ended.

        The caller takes those of the last two kinds off the totals.
        """

    @abstractmethod
    def improve(self, rows: Sequence[Better]) -> None:
        """Change priorities and depths, and parents with their paths."""

    @abstractmethod
    def move(self, key: int, old: int, new: State, tries: int, retry_at: float | None = None) -> None:
        """Change the state of a URL."""

    @abstractmethod
    def lease(self, host: int, key: int) -> None:
        """Change a pending URL of a host to leased."""

    @abstractmethod
    def taken(self) -> dict[int, Taken]:
        """Return what was leased since the last call."""

    @abstractmethod
    def best(self, host: int, n: int, aside: Collection[int] = ()) -> list[Entry]:
        """Return the `n` or fewer best pending URLs of a host that its buffer does not hold, best first.

        But none with a key in `aside`: these are put into the queue again, all of them.
        """

    @abstractmethod
    def spill(self, host: int, entry: Entry) -> None:
        """Record that a pending URL is not, or no more, in its host's buffer."""

    @abstractmethod
    def drop(self, host: int, buffered: Collection[int], waiting: Collection[int]) -> list[float]:
        """Change all pending and waiting URLs of a host to dropped; its queue knows the keys of these two.

        Return the priorities of the pending ones.
        """

    @abstractmethod
    def drop_worst(self, n: int) -> list[tuple[int, Entry]]:
        """Change the `n` worst pending URLs of all hosts to dropped; return the host and entry of each."""

    @abstractmethod
    def forget(self, keys: Collection[int]) -> None:
        """Know no more of those that are dropped and were never tried; the totals go on counting them."""

    @abstractmethod
    def host_named(self, name: str, *, is_new: bool) -> tuple[Host, bool]:
        """Return the host of that name, and whether it is new; `is_new`: it is certain to be."""

    def host_numbered(self, id: int) -> Host:
        """Return a host that was kept and forgotten; KeyError where hosts are not kept."""
        raise KeyError(id)

    def asked_until(self, host: int) -> float:
        """Return until when a host may have been asked by somebody who died; 0: by nobody."""
        return 0.0

    @abstractmethod
    def save(self, hosts: Iterable[Host]) -> None:
        """Keep all that a host has to remember, and the totals."""
