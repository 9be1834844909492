"""What the frontier costs a URL, small and large, beside a bare insert and beside Scrapy's own queues.

    .venv/bin/python benchmarks/frontier.py [--urls 10000000] [--hosts 100000] [--json FILE]

Links come as a crawl's do: 50 a page, 34 of them to its own host, hosts by Zipf's law, all of them new; every
page is one add and one commit. Each frontier, and each floor, lives in a process of its own
(frontier_worker.py). The costs are those of the next `--window` URLs at a size, in ten turns, so that what
else the machine does hits all alike. Each kind of work begins with an empty write-ahead log and pays for
writing back all that it wrote: else it is chance whose turn pays. The floor is an executemany of the same
rows, made beforehand, with the same pragmas and commits, into a table with the key as PRIMARY KEY; the
"indexed" floor appends and keeps the key in a UNIQUE index, as our own table does. After a take of 100 come
100 done() and a commit; after a take of 1, one of each. Ten million URLs need 5 GB on disk and some 20
minutes; --urls 100000 runs in seconds.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

BENCHMARKS = Path(__file__).resolve().parent
SMALL = 100_000
IN_MEMORY = 1_000_000
TURNS = 10
SCRAPY_QUEUES = ("LifoMemoryQueue", "PickleLifoDiskQueue", "PickleLifoSQLiteQueue")
LEVELS = (1_000, 10_000)
SECONDS_TO_KILL = 3.0
STEP = 50_000
LEAST = 1_000
LARGE = ("sqlite", "floor", "floor_indexed")
PHASES = (("add", 1), ("add_bulk", 2), ("add_known", 10), ("take_1", 50), ("take_100", 10))
"""Kinds of work, and the share of the window that measures each."""
FLOORS = {"floor_small": "small", "floor": "sqlite", "floor_indexed": "sqlite"}
"""Each floor, and the frontier whose pragmas it has: those of the full size from its first row on."""


@dataclass(slots=True)
class Cost:
    """Seconds, summed over URLs."""

    cpu: float = 0.0
    wall: float = 0.0
    urls: float = 0.0

    def count(self, cpu: float, wall: float, urls: float) -> None:
        self.cpu, self.wall, self.urls = self.cpu + cpu, self.wall + wall, self.urls + urls

    @property
    def each(self) -> float:
        """Return microseconds of CPU a URL."""
        return 1e6 * self.cpu / self.urls

    @property
    def per_second(self) -> float:
        return self.urls / self.cpu

    @property
    def wall_each(self) -> float:
        return 1e6 * self.wall / self.urls


class Worker:
    """A frontier or a floor in another process, with what it cost so far by kind of work."""

    def __init__(self, kind: str, folder: Path, hosts: int) -> None:
        self.kind, self.hosts = kind, hosts
        self.costs: defaultdict[str, Cost] = defaultdict(Cost)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(BENCHMARKS / "frontier_worker.py"), kind, str(folder), str(hosts)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.opened = self.answer()

    def order(self, do: str, **values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the {self.kind} worker ended; its error stands above")
        return json.loads(line)  # type: ignore[no-any-return]

    def ask(self, do: str, **values: Any) -> dict[str, Any]:
        self.order(do, **values)
        return self.answer()

    def add(self, urls: int, do: str = "add", **values: Any) -> None:
        """Add links and count what they cost."""
        self.costs[do].count(**self.ask(do, urls=urls, **values))

    def take(self, n: int, urls: int) -> None:
        """Take and end URLs and count what that cost."""
        for part, cost in self.ask("take", n=n, urls=urls).items():
            self.costs[f"{part}_{n}"].count(**cost)

    def settle(self, work: str) -> None:
        """Charge a kind of work with writing back what it wrote: takes pay for it with their commits."""
        spent = self.ask("settle")
        name = work.replace("take", "commit")
        if name in self.costs:
            self.costs[name].count(**spent)

    def kill(self, seconds: float) -> dict[str, Any]:
        """Let it crawl on so long, SIGKILL it in the middle, and return its last commit."""
        self.order("run")
        end, last = time.monotonic() + seconds, self.answer()
        while time.monotonic() < end:
            last = self.answer()
        self.process.send_signal(signal.SIGKILL)
        for line in self.process.communicate()[0].splitlines(keepends=True):
            last = json.loads(line) if line.endswith("\n") else last
        return last

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.communicate()


class Run:
    """The whole measurement: fill, take turns, kill, reopen."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.urls, self.hosts, self.window = options.urls, options.hosts, options.window
        self._folder, self._with_scrapy = folder, not options.without_scrapy
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self.workers: dict[str, Worker] = {}
        self.sizes: dict[str, dict[str, float]] = {}
        self.scrapy: dict[tuple[str, int], dict[str, Any]] = {}

    def measure(self) -> None:
        small = min(SMALL, self.urls // 2)
        plan = [
            ("small", "sqlite", small),
            ("floor_small", "floor", small),
            ("sqlite", "sqlite", self.urls),
            ("floor", "floor", self.urls),
            ("floor_indexed", "floor_indexed", self.urls),
            ("memory", "memory", min(self.urls, IN_MEMORY)),
        ]
        with self._progress:
            for name, kind, urls in plan:
                self.workers[name] = Worker(kind, self._folder / name, self.hosts)
                self._share_pragmas()
                self._fill(name, urls)
            self._take_turns()
            for name, worker in self.workers.items():
                self.sizes[name] = worker.ask("peak") | self._size(worker)
            self._kill_and_reopen()
            if self._with_scrapy:
                self._try_scrapy()
        for worker in self.workers.values():
            worker.close()

    def _fill(self, name: str, urls: int) -> None:
        task = self._progress.add_task(f"fill {name}", total=urls)
        for done in range(0, urls, STEP):
            self.workers[name].ask("add", urls=min(STEP, urls - done))
            self._progress.update(task, completed=min(done + STEP, urls))

    def _share_pragmas(self) -> None:
        """Give each floor the pragmas that the frontier of its size has now, and see that it has them."""
        for floor, ours in FLOORS.items():
            if floor in self.workers:
                wanted = self.workers[ours].ask("pragmas")
                self.workers[floor].ask("use", pragmas=wanted)
                if self.workers[floor].ask("pragmas") != wanted:
                    raise SystemExit(f"{floor} does not have the pragmas {wanted}")

    def _take_turns(self) -> None:
        """Measure one kind of work after the other; each pays for writing back all that it wrote."""
        task = self._progress.add_task("take turns", total=len(PHASES) * TURNS * len(self.workers))
        for cost, share in PHASES:
            for worker in self.workers.values():
                worker.ask("settle")
            for _ in range(TURNS):
                self._share_pragmas()
                for name, worker in self.workers.items():
                    self._work(worker, cost, max(LEAST, self._window(name) // share // TURNS))
                    self._progress.advance(task)
            for worker in self.workers.values():
                worker.settle(cost)

    def _window(self, name: str) -> int:
        """Return how many URLs measure an add: enough for many write-backs, few against the size."""
        return self.window if name in LARGE else min(self.window, SMALL)

    def _work(self, worker: Worker, cost: str, urls: int) -> None:
        if cost in {"add", "add_bulk"}:
            worker.add(urls, cost)
        elif worker.kind.startswith("floor"):
            return
        elif cost == "add_known":
            worker.add(urls, cost, hosts=self.hosts)
        else:
            worker.take(int(cost.removeprefix("take_")), urls)

    def _size(self, worker: Worker) -> dict[str, float]:
        return worker.ask("size") if worker.kind in {"sqlite", "memory"} else {}

    def _kill_and_reopen(self) -> None:
        """Kill the large frontier while it writes; the file must hold its last commit, or one more."""
        kept = self.workers["sqlite"].kill(SECONDS_TO_KILL)
        worker = self.workers["reopened"] = Worker("reopen", self._folder / "sqlite", self.hosts)
        found = worker.opened
        if found["known"] < kept["known"] or found["done"] < kept["done"] or not found["first"]:
            raise SystemExit(f"after SIGKILL {found} is left of {kept}")
        part = min(SMALL, self.window) // 20
        worker.take(1, part // 5)
        worker.take(100, part)
        self.sizes["reopened"] = worker.ask("peak")

    def _try_scrapy(self) -> None:
        requests = min(20_000, self.urls // 5)
        task = self._progress.add_task("Scrapy's queues", total=len(SCRAPY_QUEUES) * len(LEVELS))
        for queue in SCRAPY_QUEUES:
            for levels in LEVELS:
                values = (queue, str(levels), str(requests), str(self._folder / f"{queue}-{levels}"))
                command = [sys.executable, str(BENCHMARKS / "scrapy_queue.py"), *values]
                done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=self._folder)
                self.scrapy[queue, levels] = json.loads(done.stdout)
                self._progress.advance(task)


def figures(run: Run) -> dict[str, float]:
    """Return the figures by name: rates are URLs a second of CPU time, of one process."""
    small, floor, indexed = (run.workers[name].costs for name in ("small", "floor", "floor_indexed"))
    ours, reopened = run.workers["sqlite"].costs, run.workers["reopened"]
    size = run.sizes["sqlite"]
    found = {
        "add_per_s": ours["add"].per_second,
        "floor_add_per_s": floor["add"].per_second,
        "add_to_floor": floor["add"].each / ours["add"].each,
        "add_to_floor_indexed": indexed["add"].each / ours["add"].each,
        "add_wall_to_floor": floor["add"].wall_each / ours["add"].wall_each,
        "add_bulk_per_s": ours["add_bulk"].per_second,
        "add_bulk_to_floor": floor["add_bulk"].each / ours["add_bulk"].each,
        "add_known_per_s": ours["add_known"].per_second,
        "take_per_s": ours["take_100"].per_second,
        "take_wall_per_s": 1e6 / ours["take_100"].wall_each,
        "take_done_per_s": 1e6 / (ours["take_100"].each + ours["done_100"].each),
        "take_1_per_s": ours["take_1"].per_second,
        "take_reopened_per_s": reopened.costs["take_100"].per_second,
        "add_large_to_small": ours["add"].each / small["add"].each,
        "take_large_to_small": ours["take_100"].each / small["take_100"].each,
        "take_1_large_to_small": ours["take_1"].each / small["take_1"].each,
        "peak_rss_mib": max(size["mib"], run.sizes["reopened"]["mib"]),
        "memory_peak_rss_mib": run.sizes["memory"]["mib"],
        "reopen_s": reopened.opened["wall"],
        "reopen_cpu_s": reopened.opened["cpu"],
        "bytes_per_url": size["bytes"] / size["known"],
    }
    return {name: round(value, 3) for name, value in found.items()}


ROWS = (
    ("small", "ours, SQLite, small"),
    ("sqlite", "ours, SQLite"),
    ("reopened", "the same, killed and reopened"),
    ("floor_small", "floor, small"),
    ("floor", "floor: bare executemany"),
    ("floor_indexed", "floor, key in an index"),
    ("memory", "ours, memory"),
)
COLUMNS = (
    ("add", "add"),
    ("add_bulk", "in bulk"),
    ("add_known", "known"),
    ("take_100", "take of 100"),
    ("done_100", "done"),
    ("commit_100", "commit"),
    ("take_1", "take of 1"),
    ("done_1", "done"),
    ("commit_1", "commit"),
)


def table(run: Run) -> Table:
    """Return all costs in microseconds of CPU, with wall time in brackets."""
    made = Table(title=f"us CPU a URL, {run.urls:,} URLs, {run.hosts:,} hosts", title_justify="left")
    made.add_column("frontier", no_wrap=True)
    for heading in (
        *(heading for _, heading in COLUMNS),
        "add, wall",
        "take of 100, wall",
        "peak MiB",
        "bytes a URL",
    ):
        made.add_column(heading, justify="right")
    for name, label in ROWS:
        costs, size = run.workers[name].costs, run.sizes.get(name, {})
        cells = [f"{costs[work].each:.1f}" if work in costs else "" for work, _ in COLUMNS]
        cells += [f"{costs[work].wall_each:.1f}" if work in costs else "" for work in ("add", "take_100")]
        stored = f"{size['bytes'] / size['known']:.0f}" if size.get("bytes") else ""
        made.add_row(label, *cells, f"{size['mib']:.0f}" if size else "", stored)
    for (queue, levels), cost in run.scrapy.items():
        made.add_row(f"Scrapy {queue.removesuffix('Queue')}, {levels:,} levels", *_scrapy_cells(cost))
    return made


def _scrapy_cells(cost: dict[str, Any]) -> Sequence[str]:
    if "broken" in cost:
        return ("breaks",)
    return (f"{1e6 * cost['push']:.1f}", *[""] * 5, f"{1e6 * cost['pop']:.1f}")


def breaks(run: Run) -> list[str]:
    """Return where Scrapy's queues broke, and how."""
    return [
        f"Scrapy {queue} breaks at {levels:,} priorities: {cost['broken']}"
        for (queue, levels), cost in run.scrapy.items()
        if "broken" in cost
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=10_000_000, help="size of the large frontier")
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--window", type=int, help="URLs added to measure (default: a tenth of --urls)")
    parser.add_argument("--without-scrapy", action="store_true", help="leave out Scrapy's queues")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.urls < 2_000 or options.hosts < 1:
        parser.error("use --urls 2000 or more, and --hosts 1 or more")
    options.window = options.window or options.urls // 10
    with tempfile.TemporaryDirectory() as name:
        run = Run(options, Path(name))
        run.measure()
    console = Console(width=170)
    console.print(table(run), *breaks(run), sep="\n")
    found = figures(run)
    console.print("   ".join(f"{name} {value:g}" for name, value in found.items()))
    if options.json:
        options.json.write_text(json.dumps({"figures": found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
