"""What a frontier that is shared by hosts costs: adds and takes a second, disk, memory, and taking it up.

    .venv/bin/python benchmarks/partitioned_frontier.py [--urls 1000000] [--hosts 10000] [--json FILE]

One worker has all hosts, on a PostgreSQL server of our own. Links come as a crawl's do
(generated_links.py): 50 a page, all of them new, hosts by Zipf's law. A transaction has 16 pages' links, or
the takes and ends of 16 URLs. CPU is that of the worker and of the server together. Disk is that of the
tables `urls` and `hosts` with their indexes; memory that of the worker, beyond what it had before. Taking
up is what a worker does that gets all of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import LINKS, GeneratedLinks
from benchmarks.harness import STDERR, Figures, Report, main
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.crawls.processes import cpu_seconds, family
from tests.postgresql import RestartableServer, restartable_server

PAGES = 16  # a transaction
TAKES = 4_000
_DISK = "SELECT pg_total_relation_size('urls') + pg_total_relation_size('hosts')"


class Worker:
    """The only worker."""

    def __init__(self, server: RestartableServer, name: str) -> None:
        location = PostgresqlSchema(server.address, "benchmark", shared=True)
        self._server, self.database = server, CrawlDatabase(location)
        self.frontier = PartitionedFrontier(self.database, Rules(), worker=name)
        with self.database.locked_transaction():
            self.frontier.join({})
        self.frontier.end_turn()

    def turn(self) -> None:
        with self.database.locked_transaction():
            self.frontier.begin_turn()
            self.database.rows("SELECT 1")  # a crawl has more to ask
            self.frontier.check_turn()
        self.frontier.end_turn()

    def leave(self) -> None:
        with self.database.locked_transaction():
            self.frontier.leave()
        self.database.close()

    def cpu(self) -> float:
        return cpu_seconds([psutil.Process(), *family(self._server.pid)])


def measure(*, urls: int = 1_000_000, hosts: int = 10_000) -> Report:
    """Fill it, take from it, and take it up anew."""
    with restartable_server(on_disk=True) as server:
        worker = Worker(server, "first")
        before = psutil.Process().memory_info().rss
        bulks = track(
            GeneratedLinks(hosts).bulks(urls, PAGES * LINKS), "add", urls // PAGES // LINKS, console=STDERR
        )

        def add() -> None:
            for bulk in bulks:
                worker.frontier.add(bulk)
                worker.turn()

        def take() -> None:
            for _ in range(TAKES // PAGES):
                for _ in range(PAGES):
                    (lease,) = worker.frontier.take(1, time.time())
                    worker.frontier.done(lease.url)
                worker.turn()

        figures = rates("adds", add, worker, urls) | rates("takes", take, worker, TAKES)
        ((disk,),) = worker.database.rows(_DISK)
        memory = psutil.Process().memory_info().rss - before
        figures |= {"disk_bytes_per_url": float(disk) / urls, "worker_mb": memory / 1e6}
        worker.leave()
        began = time.perf_counter()
        worker = Worker(server, "second")
        figures["take_up_seconds"] = time.perf_counter() - began
        worker.leave()
    return Report({}, {f"partitioned_{name}": figure for name, figure in figures.items()})


def rates(name: str, work: Callable[[], None], worker: Worker, times: int) -> Figures:
    """Return how many a second, by the clock and by CPU."""
    cpu, began = worker.cpu(), time.perf_counter()
    work()
    return {
        f"{name}_a_second": times / (time.perf_counter() - began),
        f"{name}_a_cpu_second": times / (worker.cpu() - cpu),
    }


if __name__ == "__main__":
    main(measure, __doc__)
