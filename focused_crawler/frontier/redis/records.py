"""URLs as the Redis frontier has them: identities, records, and the partition that each belongs to.

Lua reads and changes the records (`lua/_records.lua`); here they are made, and read when they are leased.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any

import msgpack

from focused_crawler.frontier.base import Candidate, Lease
from focused_crawler.frontier.order import TieBreaker, merged
from focused_crawler.frontier.redis.steps import BATCH, Word
from focused_crawler.page.url import host_of, url_key

_MASK = 2**64 - 1
_HEAD = Struct(">cB8sI8sH")
_DOUBLE = Struct(">d")
_LONG = Struct(">Q")
_NO_PATH = 65535
_NO_PARENT = bytes(8)


class UrlIds(TieBreaker):
    """Names each URL by the 8 bytes that are its tie-breaker as well.

    They lose nothing of the key, so that two URLs share them only if they share their key.
    """

    def __call__(self, key: int) -> int:
        """Return the 64 bits, of which the first 47 are the tie-breaker."""
        return ((key ^ self._flip) * self._factor) & _MASK

    def of(self, url: str) -> bytes:
        """Return the identity of a URL."""
        return self.named(url_key(url))

    def named(self, key: int) -> bytes:
        """Return the identity of the URL with that key."""
        return _LONG.pack(self(key))


def partition_of(host: str, partitions: int) -> int:
    """Return where a host belongs, by its name without www.: both names of a page share one.

    >>> partition_of("www.example.org", 16) == partition_of("example.org", 16)
    True
    """
    return url_key(f"http://{host}/") % partitions if partitions > 1 else 0


def sort_key_of(priority: float) -> bytes:
    """Return a priority in [0, 1] as 8 bytes that sort the highest first."""
    return _LONG.pack(_LONG.unpack(_DOUBLE.pack(priority + 0.0))[0] ^ _MASK)


def priorities(entries: bytes) -> list[float]:
    """Return the priorities of a queue's entries, 17 bytes each."""
    return [_priority_of(entries[at + 1 : at + 9]) for at in range(0, len(entries) - 16, 17)]


def _priority_of(key: bytes) -> float:
    """Return the priority that `sort_key_of` made these bytes of."""
    priority: float = _DOUBLE.unpack(_LONG.pack(_LONG.unpack(key)[0] ^ _MASK))[0]
    return priority


def pack_record(link: Candidate, parent: bytes | None) -> bytes:
    """Return the record of a pending URL; `parent`: its identity."""
    path = link.path
    length = _NO_PATH if path is None else len(path)
    head = _HEAD.pack(
        b"P",
        0,
        sort_key_of(link.priority),
        link.depth,
        _NO_PARENT if parent is None else parent,
        length,
    )
    return head + (path or b"") + link.url.encode()


def link_batches(
    links: Sequence[Candidate], ids: UrlIds, partitions: int
) -> Iterator[tuple[int, list[Word]]]:
    """Yield the arguments of the steps `add` and `again`: partitions, and words for each."""
    batches: dict[int, list[Word]] = {}
    parents: dict[int, dict[bytes, str]] = {}
    for link in merged(links).values():
        host = host_of(link.url)
        number = partition_of(host, partitions)
        parent = None if link.parent is None else ids.of(link.parent)
        if parent is not None and link.parent is not None:
            parents.setdefault(number, {})[parent] = link.parent
        batches.setdefault(number, []).extend((ids.of(link.url), host, pack_record(link, parent)))
    for number, words in batches.items():
        texts = [word for pair in parents.get(number, {}).items() for word in pair]
        for at in range(0, len(words), 3 * BATCH):
            yield number, [len(texts) // 2, *texts, *words[at : at + 3 * BATCH]]


def unpack_lease(record: bytes, parent: bytes | None) -> Lease:
    """Return what a record, which the server has found to be sound, has of a URL."""
    _, tries, key, depth, _, length = _HEAD.unpack_from(record)
    end = _HEAD.size + (0 if length == _NO_PATH else length)
    return Lease(
        record[end:].decode("utf-8", "replace"),
        _priority_of(key),
        depth,
        None if parent is None else parent.decode("utf-8", "replace"),
        tries,
        None if length == _NO_PATH else record[_HEAD.size : end],
    )


def unpacked(packed: bytes) -> Any:
    """Return what a server holds as MessagePack; None for what is none."""
    try:
        return msgpack.unpackb(packed, raw=True)
    except (ValueError, msgpack.UnpackException):
        return None


def holder_of(packed: bytes) -> bytes | None:
    """Return the name of the worker that a lease belongs to; None for what is no lease."""
    lease = unpacked(packed)
    return lease[0] if isinstance(lease, list) and lease and isinstance(lease[0], bytes) else None
