"""Crawls by one worker or several, as processes of their own: what they take, and what they left behind.

The server of a fleet is that of the tests (`tests/postgresql.py`), with fsync.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import psutil

from focused_crawler.store.opening import read_crawl, remember_address
from tests.project import ROOT

PATIENCE = 600.0  # seconds until a crawl counts as stuck
SCRAPY = (sys.executable, "-m", "scrapy")


@dataclass(frozen=True)
class Order:
    """A crawl to be made. Without a database it is one process with a file of its own."""

    topic: Path
    job: str
    crawls: Path
    arguments: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    database: str = ""  # address of a fleet's

    @property
    def folder(self) -> Path:
        """Return where it leaves its results."""
        return self.crawls / self.topic.name / self.job

    def worker(self) -> list[str]:
        """Return the command of one worker."""
        words = [*SCRAPY, "crawl", "topic", "-a", f"topic={self.topic}", "-a", f"job={self.job}"]
        return words + self._options()

    def fleet(self, workers: int) -> list[str]:
        """Return the command of a supervisor with so many workers."""
        words = [*SCRAPY, "fleet", str(self.topic), "--job", self.job, "--workers", str(workers)]
        return words + self._options()

    def _options(self) -> list[str]:
        own = {"FOCUSED_FRONTIER": "postgresql", "FOCUSED_DATABASE": self.database} if self.database else {}
        common = {"FOCUSED_CRAWLS": self.crawls, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False}
        pairs = [("-a", self.arguments), ("-s", {**common, **self.settings, **own})]
        return [
            word for flag, values in pairs for name in values for word in (flag, f"{name}={values[name]}")
        ]


def begin(command: Sequence[str], log: Path, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
    """Start a process."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # processes share the cores
    with log.open("ab") as file:
        return subprocess.Popen(command, cwd=cwd, env=environment, stdout=file, stderr=file)


@contextmanager
def started(
    commands: Sequence[Sequence[str]], log: Path, cwd: Path = ROOT
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start some processes; none outlives the block."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        processes.extend(begin(command, log, cwd) for command in commands)
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_for(processes: Sequence[subprocess.Popen[bytes]], log: Path) -> None:
    """Wait until all have come to a regular end; their own words if one does not."""
    for process in processes:
        if process.wait(PATIENCE):
            raise SystemExit(f"a worker ended with {process.returncode}\n{log.read_text('utf-8', 'replace')}")


class RecordedPage(NamedTuple):
    """A page as the database has it."""

    url: str
    fetched_at: float
    is_target: bool
    run: int  # which start of a worker recorded it


class Left(NamedTuple):
    """What a crawl left behind."""

    pages: list[RecordedPage]  # in order of recording
    counted: int  # by the database's own counter
    fed: list[str]  # URLs of the feed
    last: int  # the highest position
    total: int  # of run.json


def left_by(order: Order) -> Left:
    """Read a crawl's database and its files."""
    if order.database:
        remember_address(order.database)
    with closing(read_crawl(order.folder)) as database:
        rows = database.rows("SELECT url, fetched_at, is_target, run, position FROM pages ORDER BY position")
        counted = database.rows("SELECT value FROM counters WHERE name = 'pages'")
    pages = [RecordedPage(url, at, bool(target), run or 0) for url, at, target, run, _ in rows]
    totals = json.loads((order.folder / "run.json").read_text("utf-8"))["totals"]
    return Left(
        pages,
        int(counted[0][0]) if counted else 0,
        fed_urls(order.folder / "pages.jsonl"),
        rows[-1][-1] if rows else 0,
        int(totals.get("pages") or 0),
    )


def fed_urls(feed: Path) -> list[str]:
    """Return the URLs of a feed, without the lines that a kill has torn."""
    urls = []
    for line in feed.read_text("utf-8", "replace").splitlines() if feed.exists() else ():
        with contextlib.suppress(ValueError, TypeError):
            urls.append(json.loads(line)["url"])
    return urls


def lost(left: Left, wanted: set[str]) -> int:
    """Return how many pages are not in the database, or not in the feed."""
    return len(wanted - ({page.url for page in left.pages} & set(left.fed)))


def double(left: Left) -> int:
    """Return how many pages are there twice, in the database or in the feed."""
    return len(left.pages) - len({page.url for page in left.pages}) + len(left.fed) - len(set(left.fed))


def disagreements(left: Left) -> int:
    """Return in how many pages feed, database, its counter and run.json differ; positions have no gap."""
    rows, either = len(left.pages), {page.url for page in left.pages} ^ set(left.fed)
    return len(either) + sum(abs(number - rows) for number in (left.counted, left.total, left.last))


_OFTEN = 0.5  # seconds between two looks


def family(pid: int) -> list[psutil.Process]:
    """Return a process and all below it, parents first; nothing if it is no more."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the CPU time of some processes, with that of their children which have ended."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def workers_of(supervisor: int) -> list[psutil.Process]:
    """Return the crawls that a supervisor has started and that live."""
    found = []
    for process in family(supervisor)[1:]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.ppid() == supervisor and "crawl" in process.cmdline():
                found.append(process)
    return found


def kill_all(processes: Iterable[psutil.Process]) -> int:
    """End processes at once, and return how many there were to end."""
    ended = 0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
            ended += 1
    return ended


Groups = Mapping[str, Callable[[], Iterable[psutil.Process]]]


class CpuLog:
    """The CPU time of groups of processes, noted twice a second."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._times: list[float] = []
        self._seen: dict[str, list[float]] = {name: [] for name in groups}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Take notes until the block ends."""
        over = threading.Event()
        thread = threading.Thread(target=self._run, args=(over,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _run(self, over: threading.Event) -> None:
        while not over.wait(_OFTEN):
            when = time.time()
            for name, processes in self._groups.items():
                before = self._seen[name][-1] if self._seen[name] else 0.0
                self._seen[name].append(max(before, cpu_seconds(processes())))  # one may have ended
            self._times.append(when)

    def between(self, begin: float, end: float) -> dict[str, float]:
        """Return the CPU seconds of each group in a span of time.time()."""
        return {name: self._at(seen, end) - self._at(seen, begin) for name, seen in self._seen.items()}

    def _at(self, seen: list[float], when: float) -> float:
        times = tuple(self._times)  # more may be noted meanwhile
        if not times:
            return 0.0
        place = bisect_left(times, when)
        if place in (0, len(times)):
            return seen[min(place, len(times) - 1)]
        first, second = times[place - 1 : place + 1]
        share = (when - first) / (second - first)
        return seen[place - 1] + share * (seen[place] - seen[place - 1])


class RunningServer(Protocol):
    """A server that may be killed, and comes back at the same address with what it had written down."""

    @property
    def address(self) -> str: ...

    @property
    def pid(self) -> int: ...

    def kill(self) -> None:
        """End all its processes at once."""

    def restart(self) -> None:
        """Start it again; return when it answers."""
