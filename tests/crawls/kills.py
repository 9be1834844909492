"""Crawls of a web on loopback that are hit on their way and gone on with: what they lose or do twice.

A kind of crawl says what may hit it: those of one process (killed_crawl.py), and a fleet (killed_fleet.py).
"""

from __future__ import annotations

import shutil
import signal
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol, Self

from tests.crawls.loopback import Served, WebPlan, serving
from tests.crawls.processes import (
    Left,
    RunningServer,
    disagreements,
    double,
    lost,
)
from tests.project import Scrapy

HOSTS = 20
CONCURRENCY = 16
_LOOK = 0.01  # seconds between two looks at how far a crawl has come
COMMON = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": CONCURRENCY, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}


class Kill(NamedTuple):
    """What is to happen to a run, and when."""

    what: str
    share: float  # of the pages that are left: to be asked for before
    delay: float  # seconds after that
    seconds: float = 0.0  # that it lasts, or by which a clock jumps


class Process(Protocol):
    """What is needed of a process."""

    pid: int

    def poll(self) -> int | None: ...
    def send_signal(self, sig: int, /) -> None: ...


class Found(NamedTuple):
    """What is in the results of a crawl."""

    recorded: int
    lost: int
    double: int
    disagreements: int  # between feed, database and run.json

    @classmethod
    def of(cls, left: Left, wanted: set[str]) -> Self:
        return cls(len(left.pages), lost(left, wanted), double(left), disagreements(left))


class Outcome(NamedTuple):
    """What a round came to."""

    kills: Counter[str]
    found: Found
    refetched: int  # requests for pages that were asked for before
    hasty: int  # requests that came too early for their host, where it asks for a delay
    failed: int  # runs that ended as they should not
    stuck: int  # runs that came to no end
    hits: int = 0  # requests in all, by the log of a web that asks for a delay
    refused: int = 0  # of them answered by a 429
    forgotten: int = 0  # of these not obeyed, as they died with who got them

    @property
    def is_good(self) -> bool:
        return not any((*self.found[1:], self.hasty, self.failed, self.stuck))

    def row(self) -> dict[str, object]:
        """Return what is shown and kept."""
        kills = {"kills": self.kills.total(), "what": dict(self.kills), "is_good": self.is_good}
        return kills | self.found._asdict() | dict(zip(self._fields[2:], self[2:], strict=True))


class Means(NamedTuple):
    """What crawls are made with."""

    scrapy: Scrapy | None = None
    server: RunningServer | None = None  # of a fleet
    keep: bool = False  # what bad rounds left


class Contender(ABC):
    """A crawler with a folder of its own, on a web of its own."""

    name: ClassVar[str]
    WHATS: ClassVar[Sequence[str]] = ("SIGKILL",) * 3 + ("SIGTERM", "SIGTERM, SIGKILL")  # each as likely
    PLAN: ClassVar = WebPlan("SMALL", 300, HOSTS, 0.005)

    PATIENCE: ClassVar = 120.0  # seconds until a run counts as stuck

    def __init__(self, folder: Path, web: Served, means: Means) -> None:
        self.folder, self.web, self.means = folder, web, means
        self.landed: Counter[str] = Counter()
        self.failed = self.stuck = 0

    @abstractmethod
    def start(self) -> Process:
        """Begin the crawl, or go on with it."""

    @abstractmethod
    def results(self) -> Found:
        """Return what is in the results."""

    def strike(self, kill: Kill, process: Process) -> bool:
        """Let it happen to a process that lives. Tell whether that ends it."""
        self.landed[kill.what] += 1
        if kill.what != "SIGKILL":
            process.send_signal(signal.SIGTERM)
        if kill.what == "SIGTERM, SIGKILL":
            time.sleep(kill.seconds)
        if kill.what != "SIGTERM" and process.poll() is None:
            process.send_signal(signal.SIGKILL)
        ended_well = {0, 130, None, -signal.SIGKILL, -signal.SIGTERM}  # the last: it had not begun yet
        self.failed += self.end_of(process) not in ended_well
        return True

    def manners(self) -> dict[str, int]:
        """Return what the web's log says of politeness, by the names of an outcome."""
        return {"hasty": 0}

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """Have what a round needs."""
        yield

    def live_through(self, kills: Sequence[Kill]) -> None:
        """Crawl to the end, hit on the way; who is ended is started again, by the same command."""
        process, is_over = self.start(), False
        try:
            for kill in kills:
                if is_over:
                    process = self.start()
                self.wait_for(kill, process)
                if process.poll() is not None:
                    break
                is_over = self.strike(kill, process)
            if is_over:
                process = self.start()
            self.failed += self.end_of(process) not in {0, None}
        finally:
            if process.poll() is None:
                self.abandon(process)

    def abandon(self, process: Process) -> None:
        """End a process, and what it started."""
        process.send_signal(signal.SIGKILL)

    def wait_for(self, kill: Kill, process: Process) -> None:
        """Wait for the moment of a kill, or the end of the process."""
        pages, asked, end = self.web.plan.pages, len(self.web.hits.pages()), time.monotonic() + self.PATIENCE
        wanted = asked + kill.share * (pages - asked)
        while process.poll() is None and len(self.web.hits.pages()) < wanted and time.monotonic() < end:
            time.sleep(_LOOK)
        time.sleep(kill.delay)

    def end_of(self, process: Process) -> int | None:
        """Wait for the end of a process and return its exit code; one that comes to none is ended."""
        end = time.monotonic() + self.PATIENCE
        while (code := process.poll()) is None and time.monotonic() < end:
            time.sleep(_LOOK)
        if code is None:
            self.stuck += 1
            self.abandon(process)
        return code


def run_round(
    kind: type[Contender], plan: WebPlan, kills: Sequence[Kill], folder: Path, means: Means
) -> Outcome:
    """Crawl once in a new folder, with these kills on the way."""
    shutil.rmtree(folder, ignore_errors=True)  # of a round that was broken off
    folder.mkdir()
    with serving(plan, folder / "hits.txt") as web:
        crawler = kind(folder, web, means)
        with crawler.at_hand():
            crawler.live_through(kills)
            asked = web.hits.pages()
            refetched, found = asked.total() - len(asked), crawler.results()
            ends = {"failed": crawler.failed, "stuck": crawler.stuck}
            outcome = Outcome(crawler.landed, found, refetched, **ends, **crawler.manners())
            if means.keep and not outcome.is_good:
                shutil.copytree(folder, folder.with_name(f"{folder.name}-bad"))
    shutil.rmtree(folder)
    return outcome
