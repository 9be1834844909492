"""The steps of the Redis frontier: each is a script that changes one partition as a whole, or not at all.

A script is all files `lua/_*.lua`, in this order, and the file of the step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, NamedTuple

from redis import Redis, RedisCluster
from redis.cluster import ClusterNode
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    ConnectionError,
    MovedError,
    NoScriptError,
    RedisError,
    ResponseError,
    TimeoutError,
    TryAgainError,
)

from focused_crawler.frontier.redis.client import Client, answered

PARTS = ("_base", "_records", "_chunks", "_hosts", "_leases", "_counts", "_links", "_end")
TYPES = {
    "urls": b"hash",
    "parents": b"hash",
    "hosts": b"hash",
    "queue": b"zset",
    "ready": b"zset",
    "alarms": b"zset",
    "waits": b"zset",
    "leases": b"hash",
    "ends": b"zset",
    "held": b"zset",
    "owned": b"zset",
    "ended": b"hash",
    "counts": b"hash",
    "closed": b"set",
    "quarantine": b"list",
    "worst": b"zset",
}
KEYS = tuple(TYPES)
"""Of a partition, as `lua/_base.lua` has them."""

BATCH = 250
"""Links or URLs of a step: a server answers nobody else meanwhile."""

REGISTRY_TYPES = {"beats": b"zset", "workers": b"hash", "meta": b"hash"}
REGISTRY = tuple(REGISTRY_TYPES)
_SLOTS = 16384
_NODE_GONE = (ConnectionError, TimeoutError, ClusterDownError)

Word = bytes | str | int | float


class Script(NamedTuple):
    """A script and the name that a server knows it by."""

    text: str
    name: str


@cache
def script(step: str) -> Script:
    """Return the script of a step."""
    parts = () if step == "heartbeat" else PARTS
    folder = files("focused_crawler.frontier.redis") / "lua"
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


def forget(client: Client, name: str) -> bool:
    """Delete all keys of a frontier, whatever they hold and whoever works on it; False if there are none."""
    pattern = re.sub(r"([*?\[\]\\^-])", r"\\\1", name) + ":{*}:*"
    keys = list(client.scan_iter(match=pattern, count=1000))
    for key in keys:
        client.unlink(key)
    return bool(keys)


def parts(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut the arguments of a step into what one call may have."""
    return (items[at : at + BATCH] for at in range(0, len(items), BATCH))


class StepRunner:
    """Runs scripts; a server that does not know one yet is sent it."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    def run(self, step: str, keys: Sequence[bytes], words: Sequence[Word]) -> list[Any]:
        """Run one step."""
        return self.run_all([(step, keys, words)])[0]

    def run_all(self, calls: Sequence[tuple[str, Sequence[bytes], Sequence[Word]]]) -> list[list[Any]]:
        """Run steps, each on a partition, all sent at once.

        From the first on that its server does not know they are sent again, one after the other.
        """
        commands: list[tuple[Any, ...]] = [
            ("EVALSHA", script(step).name, len(keys), *keys, *words) for step, keys, words in calls
        ]
        with answered(self._address):
            answers = self._send([(command[3], command) for command in commands])
            unknown = [at for at, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
            known = answers[: unknown[0]] if unknown else answers
            _whole([answer for answer in answers if not isinstance(answer, NoScriptError)])
            if unknown and len(calls) == 1:
                text = script(calls[0][0]).text
                return [list(_sent_alone(self._client, ("EVAL", text, *commands[0][2:])))]
        return [*map(list, known), *(self.run(*call) for call in calls[len(known) :])]

    def ask(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Send plain commands, each with its key as the second word, and return what each gave."""
        with answered(self._address):
            return _whole(self._send([(command[1], command) for command in commands]))

    def time(self, key: bytes) -> float:
        """Return the time by the server that has a key, in seconds since the epoch."""
        with answered(self._address):
            server = self._client
            if isinstance(server, RedisCluster):
                node = server.get_node_from_key(key)  # type: ignore[no-untyped-call]
                server = server.get_redis_connection(node)
            seconds, micros = server.time()
        return float(seconds) + float(micros) / 1e6

    def _send(self, commands: Sequence[tuple[bytes, tuple[Any, ...]]]) -> list[Any]:
        """Send commands, each by its key to the node that has it; return what they gave, errors as well."""
        if not isinstance(self._client, RedisCluster):
            return _sent(self._client, [command for _, command in commands])
        answers: dict[int, Any] = {}
        try:
            for node, numbers in self._by_node(commands).items():
                found = _sent(self._client.get_redis_connection(node), [commands[at][1] for at in numbers])
                answers.update(zip(numbers, found, strict=True))
        except _NODE_GONE:
            with suppress(RedisError):
                self._client.nodes_manager.initialize()  # another may have replaced it
            raise
        for at, answer in answers.items():
            if isinstance(answer, MovedError | AskError | TryAgainError):
                answers[at] = _sent_alone(self._client, commands[at][1])
        return [answers[at] for at in range(len(commands))]

    def _by_node(self, commands: Sequence[tuple[bytes, Any]]) -> dict[ClusterNode, list[int]]:
        assert isinstance(self._client, RedisCluster)
        nodes: dict[ClusterNode, list[int]] = {}
        for at, (key, _) in enumerate(commands):
            node = self._client.get_node_from_key(key)  # type: ignore[no-untyped-call]
            if node is None:
                raise ClusterDownError("CLUSTERDOWN no node has the slot of a key")
            nodes.setdefault(node, []).append(at)
        return nodes


def _sent_alone(client: Client, command: tuple[Any, ...]) -> Any:
    return client.execute_command(*command)  # type: ignore[no-untyped-call]


def _sent(client: Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    if len(commands) == 1:
        try:
            return [_sent_alone(client, commands[0])]
        except ResponseError as error:
            return [error]
    with client.pipeline(transaction=False) as pipeline:
        for command in commands:
            _sent_alone(pipeline, command)
        return list(pipeline.execute(raise_on_error=False))


def _whole(answers: list[Any]) -> list[Any]:
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers
