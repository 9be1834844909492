"""A fleet beside one worker: how fast, how good, how safe, how polite, and what its frontier weighs.

    .venv/bin/python benchmarks/fleet.py [--only speed,quality,chaos,churn,disk] [--full] [--json FILE]

PostgreSQL is real, started here on a disk.

speed    A web on loopback with 1,000 hosts and no delay, so that politeness never binds, by 1, 2 and 4
         workers and by a crawl without a fleet, with one budget of pages: pages a second from the last
         worker's first page to the first worker's last, and CPU a page of each part. Bound by this machine's
         CPUs (20 ms a page, 16 in flight) and bound by waiting (1 s a page, 12 in flight). `speedup_2` is
         of the first, `speedup_4` where there are five CPUs or more, else of the second: all is printed.
quality  Target recall after |T| and 2 |T| pages on a recorded web (../shared/webs/openweb.warc.gz, else the
         demo web), 50 ms a page. `recall_ratio_4`: mean over topics and seed sets of 4
         workers' at |T| by 1 worker's, 16 pages in flight in all; with 64, and with 0.5 s a page, it is in
         the table.
chaos    `kills` of workers and PostgreSQL at random, SIGSTOP among them (benchmarks/crash.py); pages `lost`
         and there `double`; and the web's own log of `hits`: no two of a host nearer than its delay, or the
         Retry-After of its 429, less 10 ms, or at a time (`hasty`). What breaks politeness, and a fleet
         that does not end, end the benchmark with code 1.
churn    20 workers come and go for ten minutes (benchmarks/fleet_churn.py): what is lost or double, the
         longest that a host with pending URLs is idle, and after what time hosts of who was hit go on.
disk     What a URL takes of PostgreSQL's disk, and more, of benchmarks/partitioned_frontier.py: a million
         URLs on 100,000 hosts, ten with --full.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.crash import rounds
from benchmarks.fleet_churn import churned
from benchmarks.fleet_quality import LOADS, SEED_SETS, TOPICS, Crawls, subjects, ways_of
from benchmarks.harness import STDERR, Figures, Report, main
from benchmarks.partitioned_frontier import measure as measure_frontier
from benchmarks.tables import Rows
from focused_crawler.link_scoring.registry import DEFAULT
from tests.crawls.kills import Means
from tests.crawls.loopback import Served, WebPlan, serving, write_topic
from tests.crawls.processes import CpuLog, Left, Order, RunningServer, family, left_by, started, wait_for
from tests.postgresql import restartable_server

PARTS = "speed,quality,chaos,churn,disk"
SPARE = 1
"""CPUs that the web and the server of a fleet take, beside one a worker."""

PLAIN = 0
"""Stands for no fleet at all: one process with a file of its own."""


def measure(
    *,
    only: Annotated[str, "parts, with commas between"] = PARTS,
    pages: Annotated[int, "of a crawl whose speed is measured"] = 4000,
    counts: Annotated[str, "of workers, for speed; 0: no fleet"] = "0,1,2,4",
    topics: Annotated[str, "of the recorded web, for quality"] = TOPICS,
    seed_sets: Annotated[str, "the same"] = SEED_SETS,
    ways: Annotated[str, "the same: pages in flight in all, or slow"] = LOADS,
    strategy: Annotated[str, "the same"] = DEFAULT,
    kills: int = 50,
    round_kills: Annotated[int, "of a crawl"] = 10,
    chaos_pages: Annotated[int, "of the web of a crawl with kills"] = 2000,
    workers: Annotated[int, "that come and go"] = 20,
    seconds: Annotated[float, "for so long"] = 600.0,
    churn_pages: Annotated[int, "of their web"] = 6200,
    seed: Annotated[int, "of the kills"] = 0,
    full: Annotated[bool, "ten million URLs on disk"] = False,
    keep: Annotated[Path | None, "a new folder for logs and crawls (default: none is kept)"] = None,
) -> Report:
    """Measure the parts on the same server."""
    rows: dict[str, Rows] = {}
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as temporary, restartable_server(on_disk=True) as server:
        folder = (keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for part in only.split(","):
            STDERR.print(part, "...")
            if part == "speed":
                rows[part], more = speed(server, folder, pages, [int(count) for count in counts.split(",")])
                figures |= more
            elif part == "quality":
                found = subjects(topics, seed_sets, folder / "web")
                crawls = Crawls(server.address, folder / "quality", ways_of(ways), strategy)
                rows[part] = Rows(crawls.measure(found))
            elif part == "chaos":
                means, options = Means(server=server), {"seed": seed, "pages": chaos_pages}
                rows[part] = Rows(rounds(["fleet"], kills, round_kills, folder, means, **options))
                hit = [pair for row in rows[part] for pair in row["what"].items()]
                rows["hit"] = Rows({"what": what, "kills": number} for what, number in hit)
            elif part == "churn":
                rows[part], more = churned(server, folder / part, workers, seconds, churn_pages, seed)
                figures |= more
            elif part == "disk":
                urls = 10_000_000 if full else 1_000_000
                report = measure_frontier(urls=urls, hosts=100_000)
                rows["frontier"], figures = report.rows["frontier"], figures | dict(report.figures)
    bad = [str(row["round"]) for row in rows.get("chaos", ()) if not row["is_good"]]
    complaint = f"lost, counted double, asked too early or not ended: round {', '.join(bad)}" if bad else ""
    return Report(rows, figures, complaint=complaint)


# Speed


def speed(server: RunningServer, folder: Path, pages: int, counts: Sequence[int]) -> tuple[Rows, Figures]:
    """Crawl under both loads, with each number of workers."""
    rows, busy_and_waiting = Rows(), loads(pages)
    for number, load in enumerate(busy_and_waiting):
        for one in speeds_of(load, counts, server, folder / f"speed-{number}"):
            rows.append(one.row())
            STDERR.print(f"{one.load}, {one.workers or 'no'} workers: {rows[-1]['rate']:.0f} pages/s")
    for row in rows:
        if row["workers"].isdecimal() and 1 in counts:
            row["to_one"] = speed_up(rows, row["load"], int(row["workers"]))
    busy, waiting = busy_and_waiting
    has_cpus = len(os.sched_getaffinity(0)) >= 4 + SPARE
    of = {2: busy.name, 4: (busy if has_cpus else waiting).name}
    measured = [workers for workers in of if {1, workers} <= {*counts}]
    return rows, {f"speedup_{workers}": speed_up(rows, of[workers], workers) for workers in measured}


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


def speeds_of(load: Load, counts: Sequence[int], server: RunningServer, folder: Path) -> Iterator[Speed]:
    """Crawl the same web once for each number of workers."""
    folder.mkdir()
    with serving(load.web, folder / "hits.txt") as web:
        topic = write_topic(folder, web.seed)
        for workers in counts:
            yield _crawl(load, workers, server, web, topic, folder)


def _crawl(load: Load, workers: int, server: RunningServer, web: Served, topic: Path, folder: Path) -> Speed:
    order = Order(
        topic=topic,
        job=f"{load.web.latency * 1000:.0f}ms-{workers}",
        crawls=folder / "crawls",
        arguments={"pages": load.pages, "strategy": "best_first_content_anchor"},
        settings=load.settings,
        database=server.address if workers else "",
    )
    log = folder / f"{order.job}.log"
    with started([order.worker()] * max(workers, 1), log) as processes:
        groups = {
            "workers": lambda: [one for process in processes for one in family(process.pid)],
            "postgresql": lambda: family(server.pid),
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


if __name__ == "__main__":
    main(measure, __doc__)
