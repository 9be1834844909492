"""The partitions of a frontier in Redis: steps on them, and their contents, for workers and for readers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgpack
from redis import RedisCluster, RedisError

from focused_crawler.frontier.base import LONGEST_WAIT, MAX_REFUSALS, FrontierStats, Rules
from focused_crawler.frontier.host import Clock
from focused_crawler.frontier.redis.address import shown_address
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.counters import Counters, pending_by_band
from focused_crawler.frontier.redis.records import UrlIds, holder_of, partition_of
from focused_crawler.frontier.redis.steps import (
    KEYS,
    REGISTRY_TYPES,
    TYPES,
    StepRunner,
    Word,
    forget,
    partition_keys,
    parts,
    registry_keys,
)
from focused_crawler.frontier.redis.workers import UNACKED, Ownership, Registry, Worker
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.printable import printable
from focused_crawler.store.values import storable

PARTITIONS = 16
"""Of a frontier on a cluster, over which they are spread. On one server there is one."""

FORMAT = "1"
_MOST_PARTITIONS = 1024
_MOST_LINES = 20  # of one step
_HELD_IN = {"queue": "ZCARD", "waits": "ZCARD", "leases": "HLEN", "ended": "HLEN"}
"""Where URLs are that are pending, out or not acknowledged -> the command that counts what is there."""

logger = logging.getLogger(__name__)


class RedisPartitions:
    """A frontier by name, in as many partitions as it was begun with.

    A reader is no worker: nobody waits for it, and it begins no new run.
    """

    def __init__(
        self, address: str, name: str, rules: Rules, worker: str, partitions: int | None = None
    ) -> None:
        self._name = name.replace("{", "%7B").replace("}", "%7D")
        self._address, self._rules, self.worker = address, rules, worker
        self._client = open_client(address)
        self._steps = StepRunner(self._client, address)
        self._registry = Registry(self._steps, self._name)
        if partitions is None:
            partitions = PARTITIONS if isinstance(self._client, RedisCluster) else 1
        try:
            seed, partitions = self._agreed(partitions)
        except CrawlError:
            RedisPartitions.close(self)
            raise
        self._ids = UrlIds(seed)
        self._keys = [partition_keys(self._name, number, partitions) for number in range(partitions)]
        self._packed_rules = _pack_rules(rules, partitions)
        self._counters = Counters(self._steps, self._keys_of("counts"), self._run)
        self._ownership = Ownership(self._registry, worker, self._steps, self._keys_of("owned"), self._run)
        self._clock = Clock()
        self._closed: list[tuple[str, str]] = []
        self._counted_for: list[int] = []  # sizes of what there was when the counters were counted anew last

    def _agreed(self, partitions: int) -> tuple[int, int]:
        """Return seed and number of partitions as the first worker had them."""
        meta = self._registry.meta
        if self.worker:  # a reader leaves no trace
            words = (("format", FORMAT), ("seed", self._rules.seed), ("partitions", partitions))
            self._steps.ask(*(("HSETNX", meta, *pair) for pair in words))
        (found,) = self._steps.ask(("HGETALL", meta))
        cut = how_cut(found)
        if cut is None:
            raise CrawlError(
                f"{self._name} in Redis at {shown_address(self._address)} is no frontier that this version "
                "can read; go on with the version that began it, or take another job (-a job=NAME)"
            )
        return cut

    @property
    def _all(self) -> range:
        return range(len(self._keys))

    def _partition(self, host: str) -> int:
        return partition_of(host, len(self._keys))

    def _key(self, number: int, key: str) -> bytes:
        return self._keys[number][KEYS.index(key)]

    def _keys_of(self, key: str) -> list[bytes]:
        return [self._key(number, key) for number in self._all]

    def _run(self, step: str, number: int, *words: Word, now: float | None = None) -> list[Any]:
        """Run a step on a partition and return what it gives, beside the hosts that it closed."""
        head = self._head(self._clock.latest if now is None else now)
        closed, *answer = self._steps.run(step, self._keys[number], (*head, *words))
        self._add_closed(closed)
        return answer

    def _run_all(self, step: str, *words: Word) -> list[list[Any]]:
        head = self._head(self._clock.latest)
        answers = self._steps.run_all([(step, keys, (*head, *words)) for keys in self._keys])
        for closed, *_ in answers:
            self._add_closed(closed)
        return [answer[1:] for answer in answers]

    def _head(self, now: float) -> tuple[Word, ...]:
        return self._packed_rules, repr(now), self.worker

    def _add_closed(self, closed: Sequence[bytes]) -> None:
        pairs = list(zip(closed[::2], closed[1::2], strict=True))
        self._closed += [(host.decode("utf-8", "replace"), rule.decode()) for host, rule in pairs if host]
        _report_malformed([what for host, what in pairs if not host])

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed."""
        record = self._record("urls", url)
        return record is not None and record[:1] in (b"L", b"d", b"f", b"D", b"F")

    def holds(self, url: str) -> bool:
        """Tell whether `url` is out at this worker."""
        packed = self._record("leases", url)
        return packed is not None and holder_of(packed) == self.worker.encode()

    def _record(self, key: str, url: str) -> bytes | None:
        url = storable(url)
        key_there = self._key(self._partition(host_of(url)), key)
        found: list[bytes | None] = self._steps.ask(("HGET", key_there, self._ids.of(url)))
        return found[0]

    def has_more(self) -> bool:
        """Tell whether anything is pending or out, or has an end that another worker has not acknowledged.

        Counters alone end no crawl, as anybody may have set them: where there still is something they are
        counted anew, once for what there is.
        """
        if self._count_left():
            self._counted_for = []
            return True
        sizes = self._steps.ask(
            *((size, key) for name, size in _HELD_IN.items() for key in self._keys_of(name))
        )
        if not any(sizes) or sizes == self._counted_for:
            return False
        self._counted_for = sizes
        for number in self._all:
            self._run("mend", number, "counts")
        return self._count_left()

    def _count_left(self) -> bool:
        counts = self._counters.read()
        if counts["pending"] + counts["waiting"] + counts["leased"] + counts["lost"] > 0:
            return True
        return counts["unkept"] > 0 and counts["unkept"] > self._ownership.owned(self.worker, UNACKED)

    def stats(self) -> FrontierStats:
        """Count URLs by state; done and failed ones acknowledged or not."""
        counts = self._counters.read()
        pending = counts["pending"] + counts["waiting"]
        leased, done, failed, dropped = (counts[name] for name in ("leased", "done", "failed", "dropped"))
        return FrontierStats(
            pending=pending,
            leased=leased,
            done=done,
            failed=failed,
            hosts=counts["hosts"],
            waiting_hosts=counts["waiting_hosts"],
            known=pending + leased + done + failed + dropped,
            dropped=dropped,
            malformed=counts["quarantined"],
        )

    def __len__(self) -> int:
        return self.stats().pending

    def server_time(self) -> float:
        """Return the time by the server's clock, in seconds since the epoch."""
        return self._registry.time()

    def workers(self) -> list[Worker]:
        """Return the workers that have not left, by name; one that is older than `WORKER_SECONDS` is dead."""
        return self._ownership.workers()

    def bands(self, bands: int = 10) -> list[int]:
        """Return how many URLs are pending by equal bands of priority, the lowest first.

        Exact up to some 4,000 URLs a partition; beyond it their shares are estimated from a random sample.
        """
        found = [0.0] * bands
        self._counters.read()  # sets right what is malformed of them
        for number in self._all:
            for band, urls in enumerate(pending_by_band(self._steps, self._keys[number], bands)):
                found[band] += urls
        return [round(urls) for urls in found]

    def foreign_keys(self) -> list[str]:
        """Return the keys that hold something else than a frontier has there: no step can use them."""
        wanted = dict(zip(registry_keys(self._name), REGISTRY_TYPES.values(), strict=True))
        for keys in self._keys:
            wanted |= zip(keys, TYPES.values(), strict=True)
        types = self._steps.ask(*(("TYPE", key) for key in wanted))
        pairs = zip(wanted.items(), types, strict=True)
        return [key.decode() for (key, kind), found in pairs if found not in (b"none", kind)]

    def forget(self) -> None:
        """Delete all of this frontier, whoever works on it."""
        forget(self._client, self._name)

    def close(self) -> None:
        """Let go of the servers."""
        with suppress(RedisError):
            self._client.close()

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


def _report_malformed(entries: Sequence[bytes]) -> None:
    """Log what a step has put aside; the server counts it."""
    for entry in entries[:_MOST_LINES]:
        text = printable(entry.decode("utf-8", "backslashreplace"))
        logger.warning("Put aside what makes no sense in Redis: %s", text)
    if len(entries) > _MOST_LINES:
        logger.warning("Put aside %d more of that kind", len(entries) - _MOST_LINES)


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


def how_cut(meta: Mapping[bytes, bytes]) -> tuple[int, int] | None:
    """Return seed and number of partitions of a frontier; None: it is none that this version can read."""
    try:
        seed, partitions = int(meta[b"seed"]), int(meta[b"partitions"])
    except (KeyError, ValueError):
        return None
    is_ours = meta.get(b"format") == FORMAT.encode() and 0 < partitions <= _MOST_PARTITIONS
    return (seed, partitions) if is_ours else None
