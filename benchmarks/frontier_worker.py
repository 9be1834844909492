"""A frontier, or its floor, in a process of its own: does what standard input says, a line of JSON each.

    python benchmarks/frontier_worker.py KIND FOLDER HOSTS

KIND: sqlite, memory, floor, floor_indexed, or a queue of scrapy.squeues under Scrapy's own priority queue.

Every answer is a line of JSON with the CPU and wall seconds that the frontier took: making up the links, and
all of the worker's own doing, is not in them. `run` never ends: it is meant to be killed. Garbage is
collected as in a crawl: by Python's own thresholds it is chance which window pays for a long walk.
"""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks, url_of
from benchmarks.meter import Meter, peak_mib
from focused_crawler.frontier.base import Candidate, Frontier, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.order import TieBreaker
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import url_key
from focused_crawler.safety.process import settle
from focused_crawler.store.database import CrawlDatabase

PAGES_A_SECOND = 1000  # of the made-up time in which hosts are asked
OPEN_FILES = 1024
POPS = 2000
RULES = Rules(delay=1.0, per_host=8)
_PRAGMAS = ("journal_mode", "synchronous", "journal_size_limit", "cache_size", "wal_autocheckpoint")
_COLUMNS = """url TEXT NOT NULL, host INTEGER, state INTEGER NOT NULL, tries INTEGER NOT NULL,
priority REAL NOT NULL, tie INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER, retry_at REAL"""
_FLOORS = {
    "floor": f"CREATE TABLE floor (key INTEGER PRIMARY KEY, {_COLUMNS})",
    "floor_indexed": f"CREATE TABLE floor (id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, {_COLUMNS})",
}
_INSERT = """INSERT INTO floor (key, url, host, state, tries, priority, tie, depth, parent, retry_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class Worker(ABC):
    """What floor and frontiers have in common: links are added, page by page."""

    def __init__(self, hosts: int) -> None:
        self.links = GeneratedLinks(hosts)

    def prepared(self, links: list[Candidate]) -> Sequence[Any]:
        return links

    @abstractmethod
    def keep(self, rows: Sequence[Any]) -> None:
        """Add links and commit."""

    def write_back(self) -> None:  # noqa: B027 - in memory there is none
        """Empty the write-ahead log into the file."""

    def settle(self) -> dict[str, float]:
        """Write back what was put off: what that cost belongs to all the work since the last time."""
        meter = Meter()
        with meter.running(0):
            self.write_back()
        return vars(meter)

    def add(self, urls: int) -> dict[str, float]:
        """Add and commit page by page."""
        meter = Meter()
        for links in self.links.pages(urls):
            rows = self.prepared(links)
            with meter.running(len(rows)):
                self.keep(rows)
        return vars(meter)

    def peak(self) -> dict[str, float]:
        """Return the most memory that the process ever had, in MiB."""
        return {"mib": peak_mib()}


class FloorWorker(Worker):
    """A bare executemany: rows ready made, and the pragmas and commits of the frontier."""

    def __init__(self, kind: str, folder: Path, hosts: int) -> None:
        super().__init__(hosts)
        self._database = sqlite3.connect(folder / "floor.db", isolation_level="IMMEDIATE")
        self._database.execute(_FLOORS[kind])
        self._tie = TieBreaker(0)

    def use(self, pragmas: dict[str, Any]) -> None:
        """Take over the pragmas of a frontier, which sets some of them by its size."""
        for name, value in pragmas.items():
            self._database.execute(f"PRAGMA {name} = {value}")

    def pragmas(self) -> dict[str, Any]:
        return {name: self._database.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS}

    def prepared(self, links: list[Candidate]) -> Sequence[Any]:
        return [
            (key, url, key % 100_000, 1, 0, priority, self._tie(key), depth, len(parent or ""), None)
            for url, priority, depth, parent, _ in links
            for key in [url_key(url)]
        ]

    def write_back(self) -> None:
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def keep(self, rows: Sequence[Any]) -> None:
        self._database.executemany(_INSERT, rows)
        self._database.commit()


class FrontierWorker(Worker):
    """A frontier as a crawl uses it."""

    def __init__(self, kind: str, folder: Path, hosts: int) -> None:
        super().__init__(hosts)
        self._database = CrawlDatabase(folder / "crawl.db") if kind == "sqlite" else None
        self._file = folder / "crawl.db"
        self.frontier: Frontier = (
            MemoryFrontier(RULES) if self._database is None else SqlFrontier(self._database, RULES)
        )
        self._now = time.time()
        self.links.skip(self.frontier.stats().known)

    def keep(self, rows: Sequence[Any]) -> None:
        self.frontier.add(rows)
        self._commit()

    def write_back(self) -> None:
        if self._database is not None:
            self._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def pragmas(self) -> dict[str, Any]:
        if self._database is None:
            return {}
        return {name: self._database.rows(f"PRAGMA {name}")[0][0] for name in _PRAGMAS}

    def take(self, n: int, urls: int) -> dict[str, Any]:
        """Take `n` URLs at a time, end each with `done`, and commit, until there were `urls`."""
        take, done, commit = Meter(), Meter(), Meter()
        while take.urls < urls:
            self._now += n / PAGES_A_SECOND
            with take.running(0):
                leases = self.frontier.take(n, self._now)
            if not leases:
                self._now += 1.0
                assert self.frontier.stats().pending, "nothing is left to take"
            take.urls += len(leases)
            with done.running(len(leases)):
                for lease in leases:
                    self.frontier.done(lease.url)
            with commit.running(len(leases)):
                self._commit()
        return {"take": vars(take), "done": vars(done), "commit": vars(commit)}

    def size(self) -> dict[str, float]:
        """Return known URLs and, when all of the log is written back, the bytes on disk."""
        self.write_back()
        stored = self._file.stat().st_size if self._file.exists() else 0
        return {"known": self.frontier.stats().known, "bytes": stored}

    def run(self) -> None:
        """Crawl on without an end, and say after every commit what is in it."""
        for links in self.links.pages(10**12):
            self.frontier.add(links)
            self._now += 1.0
            for lease in self.frontier.take(8, self._now)[:4]:
                self.frontier.done(lease.url)
            self._commit()
            say(self.counts())

    def counts(self) -> dict[str, int]:
        stats = self.frontier.stats()
        return {"known": stats.known, "done": stats.done}

    def _commit(self) -> None:
        if self._database is not None:
            self._database.commit()


class QueueWorker:
    """Scrapy's own priority queue over one of its queues; 1,024 files may be open, as usual."""

    def __init__(self, kind: str, folder: Path, hosts: int) -> None:
        from scrapy import Request, Spider, squeues  # noqa: PLC0415  (the others are measured without)
        from scrapy.pqueues import ScrapyPriorityQueue  # noqa: PLC0415
        from scrapy.utils.test import get_crawler  # noqa: PLC0415

        self._request, crawler = Request, get_crawler(Spider)
        crawler.spider = Spider.from_crawler(crawler, "benchmark")
        self._queue = ScrapyPriorityQueue.from_crawler(crawler, getattr(squeues, kind), str(folder))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, hard), hard))

    def queue(self, levels: int, requests: int) -> dict[str, Any]:
        """Push all, made beforehand, and pop some; where it breaks, say after how many and with what."""
        push, pop = Meter(), Meter()
        made = [self._request(url_of(n, n % 1000), priority=n % levels) for n in range(requests)]
        random.Random(0).shuffle(made)
        with push.running(requests):
            for number, request in enumerate(made):
                try:
                    self._queue.push(request)
                except Exception as error:  # whatever it is: that is what is shown
                    return {"broken": f"{type(error).__name__} after {number:,} pushes"}
        pops = min(POPS, requests)
        with pop.running(pops):
            for _ in range(pops):
                self._queue.pop()
        return {"push": push.us, "pop": pop.us}


def reopen(folder: Path, hosts: int) -> tuple[FrontierWorker, dict[str, Any]]:
    """Open what another process left; say how long it took until the first URL was out."""
    meter = Meter()
    with meter.running(1):
        worker = FrontierWorker("sqlite", folder, hosts)
        first = worker.frontier.take(1, time.time())
    for lease in first:
        worker.frontier.release(lease.url)
    return worker, {**vars(meter), **worker.counts(), "first": len(first)}


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def main() -> None:
    kind, folder, hosts = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    settle()
    if kind == "reopen":
        worker, found = reopen(folder, hosts)
    else:
        other = QueueWorker if kind.endswith("Queue") else FrontierWorker
        worker, found = (FloorWorker if kind in _FLOORS else other)(kind, folder, hosts), {}
    say(found)
    for line in sys.stdin:
        order = json.loads(line)
        say(getattr(worker, order.pop("do"))(**order) or {})


if __name__ == "__main__":
    main()
