"""Entries of a frontier in Redis, as one may read them who changes nothing.

Whoever can write to the server may have put anything there: what makes no sense is None, and raises nothing.
Numbers come out within what can be shown.
"""

from __future__ import annotations

import math
from struct import unpack
from typing import Any, NamedTuple

from focused_crawler.frontier.order import clip
from focused_crawler.frontier.redis.records import unpack_lease, unpacked
from focused_crawler.page.url import normalise
from focused_crawler.store.schema import State

ENTRY = 17
"""Bytes of a URL in a queue: tries (1), priority inverted (8), tie-breaker (8)."""

_STATES = {
    b"P": State.PENDING,
    b"W": State.WAITING,
    b"L": State.LEASED,
    b"X": State.DROPPED,
    b"d": State.DONE,
    b"f": State.FAILED,
    b"D": State.DONE,
    b"F": State.FAILED,
}
_ENDED, _UNACKED, _BODIES = b"dfDF", (b"d", b"f"), b"PWLXdf"
_LEAST = 32  # bytes of a record that is more than its state
_ORDER, _PARENT, _TIME = slice(1, 10), slice(14, 22), slice(-8, None)
_NO_PARENT = bytes(8)
_NUMBERS = 11
_LATEST = 1e11  # in the year 5138
_LONGEST_HOST = 259  # 253 characters, and a port
_MOST_ENTRIES = 32 * ENTRY  # as lua/_chunks.lua cuts them
_MOST = 2**53


class UrlEntry(NamedTuple):
    """A URL's record; one that has ended and is acknowledged consists of its state only."""

    state: State  # pending also where its host is closed, which means dropped
    is_acknowledged: bool  # False: it has ended, and its worker has not stored it yet
    url: str | None = None
    tries: int = 0
    priority: float = 0.0
    depth: int = 0
    parent: bytes = b""  # identity; empty: none
    retry_at: float | None = None  # by the server's clock


class HostEntry(NamedTuple):
    """A host's record; times by the server's clock."""

    load: int  # URLs handed out
    asked_at: float
    ready_at: float  # infinity: closed
    delay: float  # that it asked for
    pages: int
    refusals: int  # in a row
    out: int
    queued: int
    waits: int

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing more is asked of it, so that what is queued for it counts as dropped."""
        return self.ready_at == math.inf


def read_url(record: bytes) -> UrlEntry | None:
    """Return the content of a record."""
    letter = record[:1]
    if len(record) == 1 and letter in _ENDED:
        return UrlEntry(_STATES[letter], letter not in _UNACKED)
    if len(record) < _LEAST or letter not in _BODIES:
        return None
    is_waiting = letter == b"W"
    lease = unpack_lease(record[:-8] if is_waiting else record, None)
    if normalise(lease.url) != lease.url:  # no worker wrote it
        return None
    return UrlEntry(
        _STATES[letter],
        letter not in _UNACKED,
        lease.url,
        lease.tries,
        clip(lease.priority),
        lease.depth,
        b"" if record[_PARENT] == _NO_PARENT else record[_PARENT],
        _finite(unpack(">d", record[_TIME])[0]) if is_waiting else None,
    )


def read_host(packed: bytes) -> HostEntry | None:
    """Return the content of a host's record."""
    values = unpacked(packed)
    if not isinstance(values, list) or len(values) < _NUMBERS or not all(map(_is_number, values[:_NUMBERS])):
        return None
    load, asked_at, ready_at, delay, pages, refusals, out, queued, waits = values[:9]
    return HostEntry(
        _whole(load),
        _finite(asked_at),
        math.inf if ready_at == math.inf else _finite(ready_at),
        _finite(delay),
        *map(_whole, (pages, refusals, out, queued, waits)),
    )


def read_parent(row: bytes) -> str | None:
    """Return the URL of a page that records name as their parent; the number of these stands before it."""
    return row[4:].decode("utf-8", "replace") or None


def read_owner(packed: bytes) -> str:
    """Return the worker that has ended a URL, as it is stored until it is acknowledged."""
    return packed.partition(b"\0")[0].decode("utf-8", "replace")


def read_member(member: bytes) -> tuple[bytes, bytes] | None:
    """Return host and entries of a member of a queue."""
    if len(member) > _LONGEST_HOST + 1 + _MOST_ENTRIES:
        return None
    host, _, entries = member.partition(b"\0")
    return (host, entries) if 0 < len(entries) <= _MOST_ENTRIES and len(entries) % ENTRY == 0 else None


def before(entries: bytes, order: bytes) -> tuple[int, bytes]:
    """Return how many entries of a member come before all of that order (tries and priority), and its equals.

    Equals are their tie-breakers, 8 bytes each. Entries are sorted.
    """
    if entries[-ENTRY : 9 - ENTRY] < order:
        return len(entries) // ENTRY, b""
    earlier, equals = 0, b""
    for at in range(0, len(entries), ENTRY):
        found = entries[at : at + 9]
        if found > order:
            break
        if found < order:
            earlier += 1
        else:
            equals += entries[at + 9 : at + ENTRY]
    return earlier, equals


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(number: float) -> float:
    """Return a time or a delay that can be shown."""
    return min(float(number), _LATEST) if number > 0 else 0.0  # 0 for what is no number


def _whole(number: float) -> int:
    return int(min(number, _MOST)) if number > 0 else 0
