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
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Report, main, temporary_folder
from benchmarks.meter import Meter
from benchmarks.tables import Rows

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
PHASES = (("add", 1, 2 * LEAST), ("take_1", 50, LEAST), ("take_100", 10, LEAST))
"""Kinds of work, the share of the window that measures each, the least of a turn: what is taken was added."""
FLOORS = ("floor", "floor_indexed")


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

    def work(self, kind: str, urls: int) -> None:
        """Add links, or take and end URLs so many at a time, and count what that cost; a floor gives none."""
        do, _, n = kind.partition("_")
        if do == "add":
            self.costs[do].count(**self.ask(do, urls=urls))
        elif not self.kind.startswith("floor"):
            for part, cost in self.ask(do, n=int(n), urls=urls).items():
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
        self.workers: dict[str, Worker] = {}
        self.sizes: dict[str, dict[str, float]] = {}

    def measure(self) -> None:
        """Make all frontiers, each in its process, and let them work in turns."""
        small = min(SMALL, self.urls // 2)
        plan = [
            ("small", "sqlite", small),
            ("sqlite", "sqlite", self.urls),
            ("floor", "floor", self.urls),
            ("floor_indexed", "floor_indexed", self.urls),
            ("memory", "memory", min(self.urls, IN_MEMORY)),
        ]
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
        for done in track(range(0, urls, STEP), f"fill {name}", console=STDERR):
            self.workers[name].ask("add", urls=min(STEP, urls - done))

    def _share_pragmas(self) -> None:
        """Give each floor the pragmas that the frontier of its size has now, and see that it has them.

        They are those of the full size from its first row on.
        """
        for floor in FLOORS:
            if floor in self.workers:
                wanted = self.workers["sqlite"].ask("pragmas")
                self.workers[floor].ask("use", pragmas=wanted)
                if self.workers[floor].ask("pragmas") != wanted:
                    raise SystemExit(f"{floor} does not have the pragmas {wanted}")

    def _take_turns(self) -> None:
        """Measure one kind of work after the other; each pays for writing back all that it wrote."""
        for cost, share, least in PHASES:
            for worker in self.workers.values():
                worker.ask("settle")
            for _ in track(range(TURNS), cost, console=STDERR):
                self._share_pragmas()
                for name, worker in self.workers.items():
                    worker.work(cost, max(least, self._window(name) // share // TURNS))
            for worker in self.workers.values():
                worker.settle(cost)

    def _window(self, name: str) -> int:
        """Return how many URLs measure an add: enough for many write-backs, few against the size."""
        return self.window if name in LARGE else min(self.window, SMALL)

    def _kill_and_reopen(self) -> None:
        """Kill the large frontier while it writes; the file must hold its last commit, or one more."""
        kept = self.workers["sqlite"].kill(SECONDS_TO_KILL)
        worker = self.workers["reopened"] = Worker("reopen", self._folder / "sqlite", self.hosts)
        found = worker.opened
        if found["known"] < kept["known"] or found["done"] < kept["done"] or not found["first"]:
            raise SystemExit(f"after SIGKILL {found} is left of {kept}")
        part = min(SMALL, self.window) // 20
        worker.work("take_1", part // 5)
        worker.work("take_100", part)
        self.sizes["reopened"] = worker.ask("peak")

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what each kind of work costs in each frontier, in microseconds a URL."""
        for name, worker in self.workers.items():
            size = self.sizes[name]
            of_url = size["bytes"] / size["known"] if size.get("bytes") else None
            about = {"frontier": name, "mib": size["mib"], "bytes": of_url}
            for work, cost in worker.costs.items():
                rates = {"rate": cost.per_second, "wall_rate": cost.wall_per_second}
                yield {**about, "work": work, "cpu": cost.us, "wall": cost.wall_us, **rates}


def scrapy_queues(urls: int, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what Scrapy's own queues cost, and where they break."""
    for queue, levels in product(SCRAPY_QUEUES, LEVELS):
        worker = Worker(queue, folder / f"{queue}-{levels}", 0)
        cost = worker.ask("queue", levels=levels, requests=min(20_000, urls // 5))
        worker.close()
        yield {"queue": queue, "priorities": f"{levels:,}", **cost}


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
    with temporary_folder() as folder:
        run = Run(urls, hosts, window or urls // 10, folder)
        run.measure()
        queues = Rows() if without_scrapy else Rows(scrapy_queues(urls, folder))
    ours, reopened = run.workers["sqlite"].costs, run.workers["reopened"].opened
    figures = {"take_done_per_s": 1e6 / (ours["take_100"].us + ours["done_100"].us)}
    figures |= {"reopen_s": reopened["wall"], "reopen_cpu_s": reopened["cpu"]}
    return Report({"costs": Rows(run.rows()), "queues": queues}, figures)


if __name__ == "__main__":
    main(measure, __doc__)
