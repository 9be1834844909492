"""How much faster several workers are than one, on a web that answers after a while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.tables import Rows
from tests.crawls.loopback import Served, WebPlan, serving, write_topic
from tests.crawls.processes import CpuLog, Left, Order, Servers, family, left_by, started, wait_for

PLAIN = 0
"""Stands for no fleet at all: one process with a file of its own."""


@dataclass(frozen=True)
class Load:
    """A web, and how it is asked."""

    name: str
    web: WebPlan
    in_flight: int  # pages a worker waits for at a time
    pages: int  # budget of a crawl

    @property
    def settings(self) -> dict[str, object]:
        return {
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS": self.in_flight,
            "CONCURRENT_REQUESTS_PER_DOMAIN": self.in_flight,
            "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
            "ROBOTSTXT_OBEY": False,  # a request a host and worker, which a longer crawl would not feel
        }


class Speed(NamedTuple):
    """A crawl while all its workers were at work."""

    load: str
    workers: int
    pages: int
    seconds: float
    cpu: dict[str, float]  # seconds, by whose it is

    def row(self) -> dict[str, object]:
        """Return what is shown; of CPU milliseconds a page, and how many cores were busy in the mean."""
        who = str(self.workers) if self.workers else "no fleet"
        times = {f"{whose}_ms": 1000 * cpu / self.pages for whose, cpu in self.cpu.items()}
        row = {"load": self.load, "workers": who, "pages": self.pages, "rate": self.pages / self.seconds}
        return {**row, **times, "cores": sum(self.cpu.values()) / self.seconds}


def loads(pages: int) -> list[Load]:
    """Return what is measured: bound by this machine's CPUs, and bound by waiting."""
    return [
        Load("20 ms a page", WebPlan("LARGE", 3 * pages, 1000, 0.02), 16, pages),
        Load("1 s a page", WebPlan("LARGE", 3 * pages, 1000, 1.0), 12, pages // 2),
    ]


def measure(load: Load, counts: Sequence[int], servers: Servers, folder: Path) -> Iterator[Speed]:
    """Crawl the same web once for each number of workers."""
    folder.mkdir()
    with serving(load.web, folder / "hits.txt") as web:
        topic = write_topic(folder, web.seed)
        for workers in counts:
            yield _crawl(load, workers, servers, web, topic, folder)


def _crawl(load: Load, workers: int, servers: Servers, web: Served, topic: Path, folder: Path) -> Speed:
    order = Order(
        topic=topic,
        job=f"{load.web.latency * 1000:.0f}ms-{workers}",
        crawls=folder / "crawls",
        arguments={"pages": load.pages, "strategy": "best_first_content_anchor"},
        settings=load.settings,
        addresses=servers.addresses if workers else None,
    )
    log = folder / f"{order.job}.log"
    with started([order.worker()] * max(workers, 1), log) as processes:
        groups = {
            "workers": lambda: [one for process in processes for one in family(process.pid)],
            "redis": lambda: family(servers.redis.pid),
            "postgresql": lambda: family(servers.postgresql.pid),
            "web": lambda: family(web.pid),
        }
        cpu = CpuLog(groups)
        with cpu.running():
            wait_for(processes, log)
    return steady(load.name, workers, left_by(order), cpu)


def steady(name: str, workers: int, left: Left, cpu: CpuLog) -> Speed:
    """Return what was done from the last worker's first page to the first worker's last one."""
    times: dict[int, list[float]] = {}
    for page in left.pages:
        times.setdefault(page.run, []).append(page.fetched_at)
    if len(times) < workers:
        raise SystemExit(f"{name}: only {len(times)} of {workers} workers recorded pages; crawl more")
    begin, end = max(map(min, times.values())), min(map(max, times.values()))
    pages = sum(begin < page.fetched_at <= end for page in left.pages)
    if pages < len(left.pages) / 3:
        raise SystemExit(f"{name}: all {workers} workers were there for {pages} pages only; crawl more")
    return Speed(name, workers, pages, end - begin, cpu.between(begin, end))


def speed_up(rows: Rows, load: str, workers: int) -> float:
    """Return pages a second of so many workers, as a multiple of one worker's."""
    many, one = (rows.where(load=load, workers=str(number)).value("rate") for number in (workers, 1))
    return many / one
