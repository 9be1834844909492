"""The servers of a fleet, started here and killed here: Redis and PostgreSQL, which both keep what they say.

They are those of the tests (`tests/redis_server.py`, `tests/postgresql.py`): Redis with an append-only file
that is synced before each answer, PostgreSQL with fsync.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import redis

from benchmarks.fleet_crawls import Addresses
from tests.postgresql import restartable_server
from tests.redis_server import RedisServer, redis_server


class RunningServer(Protocol):
    """A server that may be killed, and comes back at the same address with what it had written down."""

    @property
    def address(self) -> str: ...

    @property
    def pid(self) -> int: ...

    def kill(self) -> None:
        """End all its processes at once."""

    def restart(self) -> None:
        """Start it again; return when it answers."""


class Servers(NamedTuple):
    """Both."""

    redis: RunningServer
    postgresql: RunningServer

    @property
    def addresses(self) -> Addresses:
        return Addresses(self.redis.address, self.postgresql.address)


class DurableRedis:
    """A Redis server that is started again on its append-only file."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self.address = server.address
        self.pid = self._find()

    def kill(self) -> None:
        self._server.kill()

    def restart(self) -> None:
        self._server.start()
        self.pid = self._find()

    def _find(self) -> int:
        with redis.Redis.from_url(self.address) as client:
            return int(client.info("server")["process_id"])


@contextmanager
def both() -> Iterator[Servers]:
    """Run both servers."""
    with redis_server(is_durable=True) as first, restartable_server(on_disk=True) as second:
        yield Servers(DurableRedis(first), second)
