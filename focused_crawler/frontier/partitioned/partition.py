"""Which partition a host is in: the first bits of its number, so that it is told by any URL of it."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from hashlib import blake2b

PARTITIONS = 256
HOST_BITS = 55
"""Bits of a host's number behind its partition's; it is positive, as 63 bits are."""


def host_number(host: str) -> int:
    """Return the number of a host, the same for all workers.

    A host and its www. are in one partition: their URLs have the same keys, and redirects to each other.

    >>> partition_of(host_number("www.example.org")) == partition_of(host_number("example.org"))
    True
    """
    return _number(host)


@lru_cache(maxsize=8_192)
def _number(host: str) -> int:
    site = blake2b(host.removeprefix("www.").encode("utf-8", "surrogatepass"), digest_size=1).digest()
    own = blake2b(host.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return site[0] << HOST_BITS | int.from_bytes(own) >> 64 - HOST_BITS


def partition_of(host: int) -> int:
    """Return the partition of a host by its number.

    >>> partition_of(7 << 55 | 123)
    7
    """
    return host >> HOST_BITS


def bounds(partitions: Collection[int]) -> tuple[list[int], list[int]]:
    """Return the first and the last numbers that hosts of partitions may have: a range for those in a row.

    >>> [[bound >> 55 for bound in side] for side in bounds({3, 4, 9})]
    [[3, 9], [4, 9]]
    """
    firsts: list[int] = []
    lasts: list[int] = []
    for number in sorted(partitions):
        if lasts and lasts[-1] + 1 == number << HOST_BITS:
            lasts.pop()
        else:
            firsts.append(number << HOST_BITS)
        lasts.append((number + 1 << HOST_BITS) - 1)
    return firsts, lasts
