"""What heartbeats of many workers cost: each sends four a second, and reads what all others publish.

    .venv/bin/python benchmarks/fleet_heartbeats.py [--workers 10,25,50,100] [--json FILE]

PostgreSQL and heartbeats are real, the workers live in one process and do nothing else. Each publishes how
much it has, and the standing of its best. CPU is a second's, of the server and of one worker.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.fleet_simulation import CONNECTIONS
from benchmarks.harness import STDERR, Report, main
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.partitioned.pulse import PERIOD
from focused_crawler.frontier.partitioned.supply import Supply
from tests.crawls.processes import cpu_seconds, family
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import RestartableServer, restartable_server

SECONDS = 10.0


def measure(*, workers: Annotated[str, "how many, with commas between"] = "10,25,50,100") -> Report:
    """Let workers of each number live for a while."""
    counts, rows = [int(count) for count in workers.split(",")], Rows()
    with restartable_server() as server:
        server.admit(CONNECTIONS * max(counts) + 100)
        for count in counts:
            rows.append(idle(server, count))
            STDERR.print(f"{count} workers")
    return Report({"heartbeats": rows})


def idle(server: RestartableServer, count: int) -> dict[str, object]:
    """Let so many workers do nothing, and return what that costs a second."""
    supply = Supply(1000, 100, [100] * 10, (0, -0.9))
    with ExitStack() as stack:
        for number in range(count):
            worker = Worker(server.address, f"heartbeats_{count}", f"machine-{number}-beef", Rules())
            stack.callback(worker.stop)
            assert worker.pulse is not None
            worker.pulse.exchange.supply = supply
        time.sleep(4 * PERIOD)
        own, others, began = (
            cpu_seconds([psutil.Process()]),
            cpu_seconds(family(server.pid)),
            time.monotonic(),
        )
        time.sleep(SECONDS)
        seconds = time.monotonic() - began
        own, others = cpu_seconds([psutil.Process()]) - own, cpu_seconds(family(server.pid)) - others
    server_ms, worker_ms = 1000 * others / seconds, 1000 * own / seconds / count
    return {"workers": str(count), "server_ms": server_ms, "worker_ms": worker_ms}


if __name__ == "__main__":
    main(measure, __doc__)
