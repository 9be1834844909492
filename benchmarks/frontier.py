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

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Figures, Meter, Report, main
from benchmarks.tables import Grid, Rows

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


class Worker:
    """A frontier or a floor in another process, with what it cost so far by kind of work."""

    def __init__(self, kind: str, folder: Path, hosts: int) -> None:
        self.kind, self.hosts = kind, hosts
        self.costs: defaultdict[str, Meter] = defaultdict(Meter)
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

    def __init__(self, urls: int, hosts: int, window: int, folder: Path) -> None:
        self.urls, self.hosts, self.window, self._folder = urls, hosts, window, folder
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=STDERR)
        self.workers: dict[str, Worker] = {}
        self.sizes: dict[str, dict[str, float]] = {}

    def measure(self) -> None:
        """Make all frontiers, each in its process, and let them work in turns."""
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
                size = worker.ask("size") if worker.kind in {"sqlite", "memory"} else {}
                self.sizes[name] = worker.ask("peak") | size
            self._kill_and_reopen()
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

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what each kind of work costs in each frontier, in microseconds a URL."""
        for name, label in LABELS.items():
            size = self.sizes.get(name, {})
            of_url = size["bytes"] / size["known"] if size.get("bytes") else None
            about = {"name": name, "frontier": label, "mib": size.get("mib"), "bytes": of_url}
            for work, cost in self.workers[name].costs.items():
                yield {**about, "work": work, "cpu": cost.us, "wall": cost.wall_us}


def try_scrapy(urls: int, folder: Path) -> Grid:
    """Return what Scrapy's own queues cost, and where they break."""
    grid = Grid("Scrapy's queues, us CPU a request", ["queue", "priorities", "push", "pop", "breaks"])
    for queue in SCRAPY_QUEUES:
        for levels in LEVELS:
            values = (queue, str(levels), str(min(20_000, urls // 5)), str(folder / f"{queue}-{levels}"))
            command = [sys.executable, str(BENCHMARKS / "scrapy_queue.py"), *values]
            done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
            cost = json.loads(done.stdout)
            times = [f"{1e6 * cost[part]:.1f}" if part in cost else "" for part in ("push", "pop")]
            grid.add(queue, f"{levels:,}", *times, cost.get("broken", ""))
    return grid


def figures_of(run: Run) -> Figures:
    """Return the figures by name: rates are URLs a second of CPU time, of one process."""
    small, floor, indexed = (run.workers[name].costs for name in ("small", "floor", "floor_indexed"))
    ours, reopened = run.workers["sqlite"].costs, run.workers["reopened"]
    size = run.sizes["sqlite"]
    return {
        "add_per_s": ours["add"].per_second,
        "floor_add_per_s": floor["add"].per_second,
        "add_to_floor": floor["add"].us / ours["add"].us,
        "add_to_floor_indexed": indexed["add"].us / ours["add"].us,
        "add_wall_to_floor": floor["add"].wall_us / ours["add"].wall_us,
        "add_bulk_per_s": ours["add_bulk"].per_second,
        "add_bulk_to_floor": floor["add_bulk"].us / ours["add_bulk"].us,
        "add_known_per_s": ours["add_known"].per_second,
        "take_per_s": ours["take_100"].per_second,
        "take_wall_per_s": 1e6 / ours["take_100"].wall_us,
        "take_done_per_s": 1e6 / (ours["take_100"].us + ours["done_100"].us),
        "take_1_per_s": ours["take_1"].per_second,
        "take_reopened_per_s": reopened.costs["take_100"].per_second,
        "add_large_to_small": ours["add"].us / small["add"].us,
        "take_large_to_small": ours["take_100"].us / small["take_100"].us,
        "take_1_large_to_small": ours["take_1"].us / small["take_1"].us,
        "peak_rss_mib": max(size["mib"], run.sizes["reopened"]["mib"]),
        "memory_peak_rss_mib": run.sizes["memory"]["mib"],
        "reopen_s": reopened.opened["wall"],
        "reopen_cpu_s": reopened.opened["cpu"],
        "bytes_per_url": size["bytes"] / size["known"],
    }


LABELS = {
    "small": "ours, SQLite, small",
    "sqlite": "ours, SQLite",
    "reopened": "the same, killed and reopened",
    "floor_small": "floor, small",
    "floor": "floor: bare executemany",
    "floor_indexed": "floor, key in an index",
    "memory": "ours, memory",
}


def measure(
    *,
    urls: Annotated[int, "size of the large frontier"] = 10_000_000,
    hosts: int = 100_000,
    window: Annotated[int, "URLs added to measure (default: a tenth of --urls)"] = 0,
    without_scrapy: Annotated[bool, "leave out Scrapy's queues"] = False,
) -> Report:
    """Fill, take turns, kill and reopen; then Scrapy's queues."""
    if urls < 2_000 or hosts < 1:
        raise SystemExit("use --urls 2000 or more, and --hosts 1 or more")
    with tempfile.TemporaryDirectory() as name:
        run = Run(urls, hosts, window or urls // 10, Path(name))
        run.measure()
        grids = [] if without_scrapy else [try_scrapy(urls, Path(name))]
    return Report({"costs": Rows(run.rows())}, figures_of(run), grids)


if __name__ == "__main__":
    main(measure, __doc__)
