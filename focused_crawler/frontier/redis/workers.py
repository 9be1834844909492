"""Which worker has what out of a frontier in Redis, and how that becomes pending again.

Owned is what is out (L), or out as a guest of the host that a redirect led to (G), or has ended and is not
acknowledged (E).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from struct import unpack
from typing import Any, NamedTuple

import msgpack

from focused_crawler.frontier.redis.steps import StepRunner, parts, registry_keys

WORKER_SECONDS = 6.0
"""A worker without a heartbeat for so long is dead: others are given what it has out."""

SILENCE = WORKER_SECONDS / 2
"""After so long without any heartbeat the server was away: all have `WORKER_SECONDS` to come back."""


class Worker(NamedTuple):
    """A worker that has not left."""

    name: str
    age: float  # seconds since its last heartbeat
    leases: int  # URLs that it has out
    info: dict[str, str | int | float]  # its report

    @property
    def is_alive(self) -> bool:
        """Tell whether it still counts as one: `WORKER_SECONDS` are not over."""
        return self.age < WORKER_SECONDS


class Heartbeat(NamedTuple):
    """The server's answer to a heartbeat. Times are the server's."""

    now: float
    awake_since: float  # since when there was no long silence of all
    workers: int  # that live, this one among them


class Registry:
    """All workers of a frontier."""

    def __init__(self, steps: StepRunner, name: str) -> None:
        self._steps = steps
        self._keys = registry_keys(name)
        self._heartbeats, self._infos, self.meta = self._keys
        self._dropped: list[bytes] = []

    def heartbeat(self, worker: str, info: Mapping[str, str | int | float] | None = None) -> Heartbeat:
        """Send a heartbeat; the last report stays where `info` is None."""
        packed = b"" if info is None else msgpack.packb(dict(info))
        words = (worker, packed, SILENCE, WORKER_SECONDS)
        now, since, workers, dropped = self._steps.run("heartbeat", self._keys, words)
        self._dropped += dropped
        return Heartbeat(unpack(">d", now)[0], unpack(">d", since)[0], workers)

    def dropped(self) -> list[bytes]:
        """Return the names that were dropped since the last call, as their heartbeats were of the future."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def time(self) -> float:
        """Return the server's time."""
        return self._steps.time(self.meta)

    def ages(self, now: float) -> dict[str, float]:
        """Return the seconds since each worker's last heartbeat."""
        (rows,) = self._steps.ask(("ZRANGE", self._heartbeats, 0, -1, "WITHSCORES"))
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return {_text(worker): max(0.0, now - float(last)) for worker, last in pairs}

    def infos(self) -> dict[str, dict[str, str | int | float]]:
        """Return the reports of the workers."""
        (rows,) = self._steps.ask(("HGETALL", self._infos))
        return {_text(worker): _info(packed) for worker, packed in rows.items()}

    def leave(self, *workers: str) -> None:
        """Forget workers."""
        if workers:
            names = [_raw(worker) for worker in workers]
            self._steps.ask(("ZREM", self._heartbeats, *names), ("HDEL", self._infos, *names))


def _text(name: Any) -> str:
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else str(name)


def _raw(name: str) -> bytes:
    """Return a name as the server has it, who may have written it."""
    return name.encode("utf-8", "surrogateescape")


def _info(packed: bytes) -> dict[str, str | int | float]:
    """Return a worker's report; what is malformed is left out."""
    try:
        info = msgpack.unpackb(packed, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException):  # a TypeError: a key that cannot be one
        return {}
    if not isinstance(info, dict):
        return {}
    return {str(name): value for name, value in info.items() if isinstance(value, str | int | float)}


ALL, OUT, UNACKED = ("L", "G", "E"), ("L", "G"), "E"


class Ownership:
    """What each worker has out, over all partitions."""

    def __init__(
        self,
        registry: Registry,
        worker: str,
        steps: StepRunner,
        keys: Sequence[bytes],
        run: Callable[..., list[Any]],
    ) -> None:
        """`worker`: who asks; `keys`: of what is owned in each partition; `run`: runs a step on one."""
        self._registry, self._worker = registry, worker
        self._steps, self._keys, self._run = steps, keys, run
        self._check_at = 0.0  # by the server's clock: when owners are looked for, though all live

    def workers(self) -> list[Worker]:
        """Return the workers that have not left, by name; one that is older than `WORKER_SECONDS` is dead."""
        ages, infos = self._registry.ages(self._registry.time()), self._registry.infos()
        return [
            Worker(name, age, self.owned(name, "L"), infos.get(name, {}))
            for name, age in sorted(ages.items())
        ]

    def owned(self, worker: str, kind: str) -> int:
        """Return how many URLs of a kind a worker has."""
        name = _raw(worker)
        low, high = b"[%s\0%s" % (name, kind.encode()), b"(%s\0%c" % (name, ord(kind) + 1)
        return sum(self._steps.ask(*(("ZLEXCOUNT", key, low, high) for key in self._keys)))

    def give_back(
        self, worker: str, kinds: Sequence[str], *, now: float | None = None, but: Collection[bytes] = ()
    ) -> int:
        """Make pending what a worker has out; `now`: the time until which it may have asked hosts."""
        urls, name = 0, _raw(worker)
        for number, key in enumerate(self._keys):
            (members,) = self._steps.ask(("ZRANGEBYLEX", key, b"[" + name + b"\0", b"(" + name + b"\1"))
            left = [member[len(name) + 1 :] for member in members]
            left = [
                member for member in left if member[:1].decode("latin-1") in kinds and member[1:] not in but
            ]
            for part in parts(left):
                (more,) = self._run("give_back", number, name, int(now is not None), *part, now=now)
                urls += more
        return urls

    def held(self, kinds: Iterable[str]) -> int:
        """Return how many URLs living workers have, of these kinds."""
        alive, _ = self._living(self._registry.time())
        return sum(self.owned(worker, kind) for worker in alive for kind in kinds)

    def reclaim(self) -> int:
        """Send a heartbeat, and make pending what dead workers own; return how many URLs that were."""
        now, since, _ = self._registry.heartbeat(self._worker)
        if now - since < WORKER_SECONDS:
            return 0
        if now < self._check_at and not self._living(now)[1]:
            return 0
        self._check_at = now + WORKER_SECONDS
        owners = self._owners()  # first: who joins and takes in between is no owner here
        alive, dead = self._living(now)
        urls = sum(self.give_back(worker, ALL, now=now) for worker in owners - alive)
        self._registry.leave(*dead)
        return urls

    def is_alone(self) -> bool:
        """Tell whether no other worker lives."""
        return self._living(self._registry.time())[0] == {self._worker}

    def _living(self, now: float) -> tuple[set[str], set[str]]:
        """Return the workers that live, and those that are dead and have not left."""
        ages = self._registry.ages(now)
        alive = {self._worker, *(worker for worker, age in ages.items() if age < WORKER_SECONDS)}
        return alive, ages.keys() - alive

    def _owners(self) -> set[str]:
        """Return all workers that have anything out or not acknowledged."""
        owners: set[str] = set()
        for key in self._keys:
            after = b"-"
            while True:
                (members,) = self._steps.ask(("ZRANGEBYLEX", key, after, b"+", "LIMIT", 0, 1))
                if not members:
                    break
                name = members[0].partition(b"\0")[0]
                owners.add(_text(name))
                after = b"(" + name + b"\1"
        return owners
