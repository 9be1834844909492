"""The workers of a frontier in Redis: who lives, by the server's clock."""

from __future__ import annotations

from collections.abc import Mapping
from struct import unpack
from typing import Any, NamedTuple

import msgpack

from focused_crawler.frontier.redis_steps import Steps, registry_keys

WORKER_SECONDS = 6.0
"""A worker that has not beaten for so long is dead: others are given what it has out."""

SILENCE = WORKER_SECONDS / 2
"""After so long without a beat of anybody the server was away: all have `WORKER_SECONDS` to come back."""


class Worker(NamedTuple):
    """A worker that has not left."""

    name: str
    age: float  # seconds since its last beat
    leases: int  # URLs that it has out
    info: dict[str, str | int | float]  # what it says of itself


class Beat(NamedTuple):
    """What a worker hears when it says that it lives. Times are the server's."""

    now: float
    awake_since: float  # since when there was no long silence of all
    workers: int  # that live, this one among them


class Registry:
    """All workers of a frontier."""

    def __init__(self, steps: Steps, name: str) -> None:
        self._steps = steps
        self._keys = registry_keys(name)
        self._beats, self._infos, self.meta = self._keys

    def beat(self, worker: str, info: Mapping[str, str | int | float] | None = None) -> Beat:
        """Say that a worker lives; what it said of itself before stays where `info` is None."""
        packed = b"" if info is None else msgpack.packb(dict(info))
        words = (worker, packed, SILENCE, WORKER_SECONDS)
        now, since, workers = self._steps.run("beat", self._keys, words)
        return Beat(unpack(">d", now)[0], unpack(">d", since)[0], workers)

    def time(self) -> float:
        """Return the server's time."""
        return self._steps.time(self.meta)

    def ages(self, now: float) -> dict[str, float]:
        """Return the seconds since each worker's last beat."""
        (rows,) = self._steps.ask(("ZRANGE", self._beats, 0, -1, "WITHSCORES"))
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return {_text(worker): max(0.0, now - float(beat)) for worker, beat in pairs}

    def infos(self) -> dict[str, dict[str, str | int | float]]:
        """Return what the workers say of themselves."""
        (rows,) = self._steps.ask(("HGETALL", self._infos))
        return {_text(worker): _info(packed) for worker, packed in rows.items()}

    def leave(self, *workers: str) -> None:
        """Forget workers."""
        if workers:
            self._steps.ask(("ZREM", self._beats, *workers), ("HDEL", self._infos, *workers))

    def forget(self) -> None:
        """Forget all of it."""
        self._steps.ask(*(("UNLINK", key) for key in self._keys))


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _info(packed: bytes) -> dict[str, str | int | float]:
    """Return what a worker said; what is no such thing is left out."""
    try:
        info = msgpack.unpackb(packed, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException):  # a TypeError: a key that cannot be one
        return {}
    if not isinstance(info, dict):
        return {}
    return {str(name): value for name, value in info.items() if isinstance(value, str | int | float)}
