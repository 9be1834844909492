"""What a frontier that is shared by hosts costs: adds and takes a second, disk, memory, and taking it up.

    .venv/bin/python benchmarks/partitioned_frontier.py [--urls 1000000] [--hosts 10000] [--json FILE]

One worker has all hosts, on a PostgreSQL server of our own. Links come as a crawl's do
(generated_links.py): 50 a page, all of them new, hosts by Zipf's law. It is filled with the links of 16 pages
a transaction; then, so full, more are added and taken, by 16 (pages, or URLs that are taken and ended, a
transaction) and singly. CPU is that of the worker and of the server together. Disk is that of the tables
`urls` and `hosts` with their indexes; memory that of the worker, beyond what it had before, and of the
server, what its processes share counted once. Taking up is what a worker does that gets all of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import psutil
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import LINKS, GeneratedLinks
from benchmarks.harness import STDERR, Report, main
from benchmarks.meter import Meter
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.crawls.processes import cpu_seconds, family
from tests.postgresql import RestartableServer, restartable_server

PAGES = 16  # a transaction
SIZES = {"by 16": PAGES, "singly": 1}
ADDS, TAKES = 100_000, {"by 16": 4_000, "singly": 1_000}  # that are measured of each size
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

    def add(self, bulks: Iterable[list[Candidate]]) -> None:
        """Add bulks, a transaction each."""
        for bulk in bulks:
            self.frontier.add(bulk)
            self.turn()

    def take(self, times: int, size: int) -> None:
        """Take and end so many URLs, one after the other, so many a transaction."""
        for _ in range(times // size):
            for _ in range(size):
                (lease,) = self.frontier.take(1, time.time())
                self.frontier.done(lease.url)
            self.turn()

    def leave(self) -> None:
        with self.database.locked_transaction():
            self.frontier.leave()
        self.database.close()

    def cpu(self) -> float:
        return cpu_seconds([psutil.Process(), *family(self._server.pid)])

    def server_mb(self) -> float:
        return sum(process.memory_full_info().pss for process in family(self._server.pid)) / 1e6


def measure(*, urls: int = 1_000_000, hosts: int = 10_000) -> Report:
    """Fill it, take from it, and take it up anew."""
    with restartable_server(on_disk=True) as server:
        worker = Worker(server, "first")
        before, links = psutil.Process().memory_info().rss, GeneratedLinks(hosts)
        bulks = track(links.bulks(urls, PAGES * LINKS), "add", urls // PAGES // LINKS, console=STDERR)
        rows = Rows([row_of("fill", "by 16", urls, worker, lambda: worker.add(bulks))])
        ((disk,),) = worker.database.rows(_DISK)
        for size, n in SIZES.items():
            adds, takes = min(ADDS, urls), TAKES[size]
            more = links.bulks(adds, n * LINKS)
            rows.append(row_of("add", size, adds, worker, partial(worker.add, more)))
            rows.append(row_of("take", size, takes, worker, partial(worker.take, takes, n)))
        memory = psutil.Process().memory_info().rss - before
        figures = {"disk_bytes_per_url": float(disk) / urls, "worker_mb": memory / 1e6}
        figures["server_mb"] = worker.server_mb()
        worker.leave()
        began = time.perf_counter()
        worker = Worker(server, "second")
        figures["take_up_seconds"] = time.perf_counter() - began
        worker.leave()
    return Report({"frontier": rows}, {f"partitioned_{name}": figure for name, figure in figures.items()})


def row_of(work: str, size: str, times: int, worker: Worker, do: Callable[[], None]) -> dict[str, object]:
    """Do a work and return what is shown of it."""
    meter = Meter()
    with meter.running(times, worker.cpu):
        do()
    rates = {"rate": meter.wall_per_second, "cpu_rate": meter.per_second}
    return {"work": work, "size": size, "urls": times, **rates}


if __name__ == "__main__":
    main(measure, __doc__)
