"""The steps of the Redis frontier: each is a script that changes one partition as a whole, or not at all.

A script is all files `lua/_*.lua`, in this order, and the file of the step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, NamedTuple

from redis import RedisCluster
from redis.crc import key_slot
from redis.exceptions import NoScriptError

from focused_crawler.frontier.redis_client import Client, answered

PARTS = ("_base", "_records", "_chunks", "_hosts", "_leases", "_offers")
KEYS = (
    "urls", "parents", "hosts", "queue", "ready", "alarms", "waits", "leases", "ends", "held", "owned", "ended",
    "counts", "closed", "quarantine", "worst",
)  # fmt: skip
REGISTRY = ("beats", "workers", "meta")
_SLOTS = 16384

Word = bytes | str | int | float


class Script(NamedTuple):
    """A script and the name that a server knows it by."""

    text: str
    name: str


@cache
def script(step: str) -> Script:
    """Return the script of a step."""
    parts = () if step == "beat" else PARTS
    folder = files("focused_crawler.frontier") / "lua"
    text = "\n".join((folder / f"{part}.lua").read_text("utf-8") for part in (*parts, step))
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def tag(partition: int, partitions: int) -> str:
    """Return the hash tag of a partition: they are spread evenly over the slots, and so over a cluster."""
    share = _SLOTS // partitions
    return next(str(n) for n in range(10**6) if key_slot(str(n).encode()) // share == partition)


def partition_keys(name: str, partition: int, partitions: int) -> list[bytes]:
    """Return the keys of a partition, in the order of `KEYS`."""
    return [f"{name}:{{{tag(partition, partitions)}}}:{key}".encode() for key in KEYS]


def registry_keys(name: str) -> list[bytes]:
    """Return the keys of what is known of workers and of the frontier as a whole."""
    return [f"{name}:{{{tag(0, 1)}}}:{key}".encode() for key in REGISTRY]


class Steps:
    """Runs scripts; a server that does not know one yet is sent it."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    def run(self, step: str, keys: Sequence[bytes], words: Iterable[Word]) -> list[Any]:
        """Run one step."""
        text, name = script(step)
        command = (len(keys), *keys, *words)
        with answered(self._address):
            try:
                return list(self._client.execute_command("EVALSHA", name, *command))
            except NoScriptError:
                return list(self._client.execute_command("EVAL", text, *command))

    def run_all(self, step: str, calls: Sequence[tuple[Sequence[bytes], Iterable[Word]]]) -> list[list[Any]]:
        """Run one step on several partitions."""
        if len(calls) <= 1 or isinstance(self._client, RedisCluster):
            return [self.run(step, keys, words) for keys, words in calls]
        name = script(step).name
        with answered(self._address), self._client.pipeline(transaction=False) as pipeline:
            for keys, words in calls:
                pipeline.execute_command("EVALSHA", name, len(keys), *keys, *words)
            answers = pipeline.execute(raise_on_error=False)
            for answer in answers:
                if isinstance(answer, Exception) and not isinstance(answer, NoScriptError):
                    raise answer
        return [
            self.run(step, *call) if isinstance(answer, Exception) else list(answer)
            for call, answer in zip(calls, answers, strict=True)
        ]

    def ask(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Send plain commands and return what each gave."""
        with answered(self._address):
            if isinstance(self._client, RedisCluster):
                return [self._client.execute_command(*command) for command in commands]
            with self._client.pipeline(transaction=False) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                return pipeline.execute()
