"""Crawls of a web on loopback that are killed on their way and resumed: what they lose or do twice."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from tests.crawls.loopback import Served, WebPlan, serving, write_topic
from tests.crawls.processes import Order, double, left_by, lost, started
from tests.project import ROOT

HOSTS = 20
CONCURRENCY = 16
PATIENCE = 45.0  # seconds until a run counts as stuck
COMMON = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": CONCURRENCY, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}


class Kill(NamedTuple):
    """When to kill a run."""

    moment: str
    share: float  # of the pages that are left: to be asked for before
    delay: float  # seconds after that


class Process(Protocol):
    """What is needed of a process."""

    def poll(self) -> int | None: ...
    def wait(self, timeout: float, /) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...


class Outcome(NamedTuple):
    """What a round came to."""

    kills: int
    recorded: int
    lost: int
    double: int
    refetched: int
    stuck: int


class Contender(ABC):
    """A crawler with a folder of its own, on a web of its own."""

    name: str

    def __init__(self, folder: Path, web: Served) -> None:
        self.folder, self.web, self.home = folder, web, folder

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that begins the crawl, and goes on with it."""

    @abstractmethod
    def results(self) -> tuple[int, int, int]:
        """Return how many pages are in the results, were lost, and are there or counted twice."""

    def run(self, kill: Kill | None = None) -> bool:
        """Start or resume the crawl. Tell whether a kill met it; without one, whether it came to its end."""
        pages, hits = self.web.plan.pages, self.web.hits
        before = len(hits.pages())
        with self.started() as process:
            if kill is None:
                return self._ends(process)
            wanted, end = before + kill.share * (pages - before), time.monotonic() + PATIENCE
            while process.poll() is None and len(hits.pages()) < wanted and time.monotonic() < end:
                time.sleep(0.005)
            if kill.moment == "stop":
                process.send_signal(signal.SIGTERM)
            time.sleep(kill.delay)
            return process.poll() is None

    @contextmanager
    def started(self) -> Iterator[Process]:
        """Start the command; it does not outlive the block."""
        with started([self.command()], self.folder / "log.txt", self.home) as (process,):
            yield process

    def _ends(self, process: Process) -> bool:
        try:
            if process.wait(PATIENCE):
                raise SystemExit((self.folder / "log.txt").read_text("utf-8", "replace"))
        except subprocess.TimeoutExpired:
            return False
        return True


class Ours(Contender):
    name = "ours"

    def __init__(self, folder: Path, web: Served) -> None:
        super().__init__(folder, web)
        self.home = ROOT
        self._order = Order(
            topic=write_topic(folder, web.seed),
            job="crash",
            crawls=folder / "crawls",
            arguments={"strategy": "best_first_content_anchor"},
            settings={"FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8", **COMMON},
        )

    def command(self) -> list[str]:
        return self._order.worker()

    def results(self) -> tuple[int, int, int]:
        left = left_by(self._order)
        return len(left.pages), lost(left, self.web.reachable()), double(left)


def run_round(kind: type[Contender], pages: int, kills: Sequence[Kill], latency: float = 0.005) -> Outcome:
    """Crawl once, with these kills on the way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(WebPlan("SMALL", pages, HOSTS, latency), folder / "hits.txt") as web:
            crawler = kind(folder, web)
            landed = sum(crawler.run(kill) for kill in kills)
            is_stuck = not crawler.run()
            asked = web.hits.pages()
            return Outcome(landed, *crawler.results(), asked.total() - len(asked), int(is_stuck))
