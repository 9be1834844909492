"""Name of a worker, and its report to the fleet with every heartbeat."""

from __future__ import annotations

import os
import platform
import re
import secrets
import time


def frontier_name(topic: str, job: str) -> str:
    """Return the name of a fleet crawl's frontier: what all its keys in Redis begin with."""
    return f"focused:{topic}:{job}"


def worker_name() -> str:
    """Return a name for this process that no other worker has: machine, process id, four random digits."""
    machine = re.sub("[^A-Za-z0-9.]+", "-", platform.node()).strip("-")[:60] or "unknown"
    return f"{machine}-{os.getpid()}-{secrets.token_hex(2)}"


class WorkerReport:
    """A worker's report; the thread that sends heartbeats calls `values`.

    Written by the crawl: `pages` (recorded by this worker), `in_flight` (being fetched now) and `failures`.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.in_flight = 0
        self.failures = 0
        self._about: dict[str, str | int | float] = {
            "machine": platform.node()[:100],
            "pid": os.getpid(),
            "started": time.time(),
        }

    def values(self) -> dict[str, str | int | float]:
        """Return the report as `RedisFrontier.heartbeat` takes it."""
        return {
            **self._about,
            "pages": self.pages,
            "in_flight": self.in_flight,
            "failures": self.failures,
        }
