"""The partitions of a frontier in Redis: steps on them, what all of them count, and who owns what in them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgpack
from redis import RedisCluster

from focused_crawler.errors import ConfigError, CrawlError
from focused_crawler.frontier.base import LONGEST_WAIT, MAX_REFUSALS, Rules
from focused_crawler.frontier.clock import Clock
from focused_crawler.frontier.redis_client import open_client, shown_address
from focused_crawler.frontier.redis_records import UrlIds, partition_of
from focused_crawler.frontier.redis_steps import KEYS, Steps, Word, partition_keys
from focused_crawler.frontier.redis_workers import Registry

PARTITIONS = 16
"""Of a frontier on a cluster, over which they are spread. On one server there is one."""

FORMAT = "1"
BATCH = 250
"""Links or URLs of a step: a server answers nobody else meanwhile."""

COUNTS = (
    b"pending",
    b"waiting",
    b"leased",
    b"done",
    b"failed",
    b"dropped",
    b"hosts",
    b"waiting_hosts",
    b"unkept",
    b"quarantined",
)
"""Of a partition."""

_MOST_PARTITIONS = 1024


class RedisPartitions:
    """A frontier by name, in as many partitions as it was begun with."""

    def __init__(self, address: str, name: str, rules: Rules, worker: str, partitions: int | None) -> None:
        self._name = name.replace("{", "%7B").replace("}", "%7D")
        self._address, self._rules, self.worker = address, rules, worker
        self._client = open_client(address)
        self._steps = Steps(self._client, address)
        self._registry = Registry(self._steps, self._name)
        if partitions is None:
            partitions = PARTITIONS if isinstance(self._client, RedisCluster) else 1
        seed, partitions = self._agreed(partitions)
        self._ids = UrlIds(seed)
        self._keys = [partition_keys(self._name, number, partitions) for number in range(partitions)]
        self._packed_rules = _pack_rules(rules, partitions)
        self._clock = Clock()
        self._closed: list[tuple[str, str]] = []

    def _agreed(self, partitions: int) -> tuple[int, int]:
        """Return seed and number of partitions as the first worker had them."""
        meta = self._registry.meta
        words = (("format", FORMAT), ("seed", self._rules.seed), ("partitions", partitions))
        *_, found = self._steps.ask(*(("HSETNX", meta, *pair) for pair in words), ("HGETALL", meta))
        try:
            seed, number = int(found[b"seed"]), int(found[b"partitions"])
        except (KeyError, ValueError):
            seed, number = 0, 0
        if found.get(b"format") != FORMAT.encode() or not 0 < number <= _MOST_PARTITIONS:
            raise CrawlError(
                f"{self._name} in Redis at {shown_address(self._address)} is no frontier that this version "
                "can read; go on with the version that began it, or take another job (-a job=NAME)"
            )
        return seed, number

    @property
    def _all(self) -> range:
        return range(len(self._keys))

    def _partition(self, host: str) -> int:
        return partition_of(host, len(self._keys))

    def _key(self, number: int, key: str) -> bytes:
        return self._keys[number][KEYS.index(key)]

    def _run(self, step: str, number: int, *words: Word, now: float | None = None) -> list[Any]:
        """Run a step on a partition and return what it gives, beside the hosts that it closed."""
        head = self._head(self._clock.latest if now is None else now)
        closed, *told = self._steps.run(step, self._keys[number], (*head, *words))
        self._hear(closed)
        return told

    def _run_all(self, step: str, *words: Word) -> list[list[Any]]:
        head = self._head(self._clock.latest)
        answers = self._steps.run_all(step, [(keys, (*head, *words)) for keys in self._keys])
        for closed, *_ in answers:
            self._hear(closed)
        return [answer[1:] for answer in answers]

    def _head(self, now: float) -> tuple[Word, ...]:
        return self._packed_rules, repr(now), self.worker

    def _hear(self, closed: Sequence[bytes]) -> None:
        for host, rule in zip(closed[::2], closed[1::2], strict=True):
            self._closed.append((host.decode("utf-8", "replace"), rule.decode()))

    def _give_back(
        self, worker: str, kinds: Sequence[str], *, now: float | None = None, but: Collection[bytes] = ()
    ) -> int:
        """Make pending what a worker has out; `now`: the time until which it may have asked hosts."""
        urls, name = 0, worker.encode()
        for number in self._all:
            key = self._key(number, "owned")
            (members,) = self._steps.ask(("ZRANGEBYLEX", key, b"[" + name + b"\0", b"(" + name + b"\1"))
            left = [member[len(name) + 1 :] for member in members]
            left = [member for member in left if member[:1].decode() in kinds and member[1:] not in but]
            for part in parts(left):
                (more,) = self._run("give_back", number, worker, int(now is not None), *part, now=now)
                urls += more
        return urls

    def _owners(self) -> set[str]:
        """Return all workers that have anything out or not kept."""
        owners: set[str] = set()
        for number in self._all:
            key, after = self._key(number, "owned"), b"-"
            while True:
                (members,) = self._steps.ask(("ZRANGEBYLEX", key, after, b"+", "LIMIT", 0, 1))
                if not members:
                    break
                name = members[0].partition(b"\0")[0]
                owners.add(name.decode("utf-8", "replace"))
                after = b"(" + name + b"\1"
        return owners

    def _owned(self, worker: str, kind: str) -> int:
        low, high = f"[{worker}\0{kind}", f"({worker}\0{chr(ord(kind) + 1)}"
        numbers = self._steps.ask(*(("ZLEXCOUNT", self._key(n, "owned"), low, high) for n in self._all))
        return sum(numbers)

    def _counts(self) -> Counter[str]:
        told = self._told_counts()
        if sum(self._recount(number, found) for number, found in enumerate(told)):
            told = self._told_counts()
        counts: Counter[str] = Counter()
        for found in told:
            counts.update({name.decode(): int(found.get(name, b"0")) for name in COUNTS})
        return counts

    def _recount(self, number: int, found: dict[bytes, bytes]) -> bool:
        """Set the counters right that are no numbers; return whether there were any."""
        malformed = [name for name in COUNTS if not _is_whole(found.get(name, b"0"))]
        if malformed:
            self._run("recount", number, *malformed)
        return bool(malformed)

    def _told_counts(self) -> list[dict[bytes, bytes]]:
        return self._steps.ask(*(("HGETALL", self._key(number, "counts")) for number in self._all))

    def _last_asked(self) -> float:
        """Return when anything was taken last, by anybody; 0 if it never was."""
        moments = [found.get(b"asked", b"") for found in self._told_counts()]
        return max((float(moment) for moment in moments if _is_moment(moment)), default=0.0)

    def _renew(self) -> None:
        """Begin a new run: see which hosts may be asked by the rules that there are now."""
        meta, limits = self._registry.meta, f"{self._rules.host_pages} {self._rules.max_pending}".encode()
        (before,) = self._steps.ask(("HGET", meta, "limits"))
        is_changed = before not in (None, limits)
        for number in self._all:
            if is_changed:
                self._steps.ask(("UNLINK", self._key(number, "worst")))
                names = list(self._scan(self._key(number, "hosts")))
            else:
                (found,) = self._steps.ask(("SMEMBERS", self._key(number, "closed")))
                names = list(found)
            for part in parts(names):
                self._run("renew", number, int(is_changed), *part)
        self._steps.ask(("HSET", meta, "limits", limits))

    def _scan(self, key: bytes) -> Iterator[bytes]:
        """Return the fields of a hash, each once or more often."""
        cursor: Any = None
        while cursor != 0:
            ((cursor, rows),) = self._steps.ask(("HSCAN", key, cursor or 0, "COUNT", 1000))
            yield from rows


def _pack_rules(rules: Rules, partitions: int) -> bytes:
    """Return what the steps have to know. A bound is shared by the partitions."""
    if rules.n_best > 1 or rules.strict_order:
        raise ConfigError(
            "FOCUSED_N_BEST above 1 and FOCUSED_STRICT_ORDER are for a frontier of one process: "
            "leave FOCUSED_FRONTIER empty, or take these out"
        )
    values = (
        rules.delay,
        rules.per_host or 0,
        rules.host_pages,
        -(-rules.max_pending // partitions),
        rules.max_tries,
        rules.retry_delay,
        rules.lease_seconds,
        LONGEST_WAIT,
        MAX_REFUSALS,
    )
    return bytes(msgpack.packb(values))


def _is_whole(text: bytes) -> bool:
    return re.fullmatch(rb"-?[0-9]{1,16}", text) is not None


def _is_moment(text: bytes) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def parts(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[at : at + BATCH] for at in range(0, len(items), BATCH))
