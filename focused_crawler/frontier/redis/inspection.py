"""Read-only inspection of a frontier in Redis, while its workers run or later; it runs no step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.redis.address import shown_address
from focused_crawler.frontier.redis.entries import (
    ENTRY,
    HostEntry,
    UrlEntry,
    before,
    read_host,
    read_member,
    read_owner,
    read_parent,
    read_url,
)
from focused_crawler.frontier.redis.partitions import RedisPartitions, how_cut
from focused_crawler.frontier.redis.records import holder_of, sort_key_of
from focused_crawler.frontier.redis.workers import WORKER_SECONDS
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.schema import State

MOST_MEMBERS = 250_000
"""Of all queues in sum, of some 20 URLs each: 90 MB to be read, and half a second of CPU here; if all have
one priority, two."""

_AT_A_TIME = 200  # members of a queue, and so hosts: the server keeps others waiting for 0.1 to 0.2 ms
_MEMBERS_NEAR = 100


class SeenUrl(NamedTuple):
    """A URL of the frontier."""

    entry: UrlEntry
    parent: str | None  # page that gave it its priority
    worker: str | None  # that has it out, or has ended it and not recorded it yet
    tie: int  # its tie-breaker


class RedisInspection(RedisPartitions):
    """Reads one frontier. Methods raise CrawlError where the server gives no answer, or one without sense."""

    def __init__(self, address: str, name: str) -> None:
        """Raises CrawlError also where there is no frontier of that name."""
        super().__init__(address, name, Rules(), worker="")

    def is_worked_on(self, now: float) -> bool:
        """Tell whether any worker lives, by the server's time."""
        return any(age < WORKER_SECONDS for age in self._registry.ages(now).values())

    def url(self, url: str) -> SeenUrl | None:
        """Return what is known of a URL; None: nothing."""
        number, id = self._partition(host_of(url)), self._ids.of(url)
        record, lease, ended = self._steps.ask(
            *(("HGET", self._key(number, key), id) for key in ("urls", "leases", "ended"))
        )
        if record is None:
            return None
        entry = read_url(record)
        if entry is None or (entry.url is not None and self._ids.of(entry.url) != id):
            raise CrawlError(
                f"{self._shown} holds of this URL what makes no sense; a worker that meets it puts it aside"
            )
        tie = int.from_bytes(id)
        return SeenUrl(entry, self._parent(number, entry), _worker(entry, lease, ended), tie)

    def host(self, name: str) -> HostEntry | None:
        """Return what is known of a host; None: nothing."""
        (packed,) = self._steps.ask(("HGET", self._key(self._partition(name), "hosts"), name))
        if packed is None:
            return None
        host = read_host(packed)
        if host is None:
            raise CrawlError(f"{self._shown} holds of its host what makes no sense; a worker repairs it")
        return host

    def pending_before(self, url: str, tries: int, priority: float, load: int) -> int | None:
        """Return how many pending URLs come before one; None: too many are pending to count them.

        By tries, priority, the `load` of its host, and the tie-breaker. Counted while others go on.
        """
        if sum(self._steps.ask(*(("ZCARD", queue) for queue in self._keys_of("queue")))) > MOST_MEMBERS:
            return None
        order = bytes([tries]) + sort_key_of(priority)
        position = load, self._ids.of(url)
        return sum(self._before(number, order, position) for number in self._all)

    def pending_of(self, host: str, most: int) -> list[str]:
        """Return URLs that are pending of a host, the best first; of a closed one none are."""
        number = self._partition(host)
        range_ = b"[" + host.encode() + b"\0", b"(" + host.encode() + b"\1"
        queue = self._key(number, "queue")
        is_closed, members = self._steps.ask(
            ("SISMEMBER", self._key(number, "closed"), host),
            ("ZRANGEBYLEX", queue, *range_, "LIMIT", 0, _MEMBERS_NEAR),
        )
        ids = [id for member in members for id in _ids(member)][:most]
        if is_closed or not ids:
            return []
        (records,) = self._steps.ask(("HMGET", self._key(number, "urls"), *ids))
        found = [read_url(record) for record in records if record]
        return [entry.url for entry in found if entry and entry.url and entry.state == State.PENDING]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _agreed(self, partitions: int) -> tuple[int, int]:
        """Return seed and number of partitions, as the first worker had them."""
        (found,) = self._steps.ask(("HGETALL", self._registry.meta))
        if not found:
            raise CrawlError(f"{self._shown} has no frontier of this crawl")
        cut = how_cut(found)
        if cut is None:
            raise CrawlError(f"{self._shown} has a frontier that this version cannot read")
        return cut

    @property
    def _shown(self) -> str:
        return f"Redis at {shown_address(self._address)}"

    def _parent(self, number: int, entry: UrlEntry) -> str | None:
        if not entry.parent:
            return None
        (row,) = self._steps.ask(("HGET", self._key(number, "parents"), entry.parent))
        return None if row is None else read_parent(row)

    def _before(self, number: int, order: bytes, position: tuple[int, bytes]) -> int:
        """Return how many pending URLs of a partition come before an order and a position in it."""
        counted = (_before_by_host(members, order) for members in self._members(number))
        return sum(self._before_of(number, hosts, position) for hosts in counted if hosts)

    def _before_of(
        self, number: int, counted: dict[bytes, tuple[int, bytes]], position: tuple[int, bytes]
    ) -> int:
        """Return how many come first of some hosts; what is queued for closed ones is dropped."""
        (closed,) = self._steps.ask(("SMISMEMBER", self._key(number, "closed"), *counted))
        open_ = [pair for pair, is_closed in zip(counted.items(), closed, strict=True) if not is_closed]
        equals = {host: same for host, (_, same) in open_ if same}
        return sum(earlier for _, (earlier, _) in open_) + self._equals_before(number, equals, position)

    def _equals_before(self, number: int, equals: dict[bytes, bytes], position: tuple[int, bytes]) -> int:
        """Return how many come first of those of one priority, by the load of their hosts."""
        if not equals:
            return 0
        (packed,) = self._steps.ask(("HMGET", self._key(number, "hosts"), *equals))
        hosts = [read_host(one) if one else None for one in packed]
        loads = [host.load if host else 0 for host in hosts]
        return sum(
            (load, ids[at : at + 8]) < position
            for load, ids in zip(loads, equals.values(), strict=True)
            for at in range(0, len(ids), 8)
        )

    def _members(self, number: int) -> Iterator[Sequence[bytes]]:
        """Return all members of the queues of a partition, by host, some at a time.

        Raises CrawlError where they are out of order, as they are if their scores are not all the same: one
        who went on behind the last of them might begin anew for ever.
        """
        queue, after = self._key(number, "queue"), b"-"
        last: list[bytes] = []
        while True:
            (members,) = self._steps.ask(("ZRANGEBYLEX", queue, after, b"+", "LIMIT", 0, _AT_A_TIME))
            if (read := [*last, *members]) != sorted(read):
                raise CrawlError(f"{self._shown} holds a queue that makes no sense, and cannot be counted")
            yield members
            if len(members) < _AT_A_TIME:
                return
            last, after = members[-1:], b"(" + members[-1]


def _worker(entry: UrlEntry, lease: bytes | None, ended: bytes | None) -> str | None:
    if entry.state == State.LEASED and lease is not None:
        holder = holder_of(lease)
        return None if holder is None else holder.decode("utf-8", "replace")
    return read_owner(ended) if not entry.is_acknowledged and ended is not None else None


def _before_by_host(members: Sequence[bytes], order: bytes) -> dict[bytes, tuple[int, bytes]]:
    """Return how many URLs of members come before an order, and its equals; of hosts that have any."""
    counted: dict[bytes, tuple[int, bytes]] = {}
    for member in members:
        if (found := read_member(member)) is None:
            continue
        host, entries = found
        earlier, same = before(entries, order)
        if earlier or same:
            others, more = counted.get(host, (0, b""))
            counted[host] = others + earlier, more + same
    return counted


def _ids(member: bytes) -> list[bytes]:
    """Return the identities of the URLs of a queue's member."""
    _, entries = read_member(member) or (b"", b"")
    return [entries[at + 9 : at + ENTRY] for at in range(0, len(entries), ENTRY)]
