"""Crawls by one worker or several, as processes of their own, and what they left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from focused_crawler.store.opening import read_crawl, remember_address

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600.0  # seconds until a crawl counts as stuck


class Addresses(NamedTuple):
    """Where a fleet's frontier and its database are."""

    redis: str
    postgresql: str

    @property
    def settings(self) -> dict[str, object]:
        return {"FOCUSED_FRONTIER": self.redis, "FOCUSED_DATABASE": self.postgresql}


@dataclass(frozen=True)
class Order:
    """A crawl to be made. Without addresses it is one process with a file of its own."""

    topic: Path
    job: str
    crawls: Path
    arguments: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    addresses: Addresses | None = None

    @property
    def folder(self) -> Path:
        """Return where it leaves its results."""
        return self.crawls / self.topic.name / self.job

    def worker(self) -> list[str]:
        """Return the command of one worker."""
        words = [*scrapy(), "crawl", "topic", "-a", f"topic={self.topic}", "-a", f"job={self.job}"]
        return words + self._options()

    def fleet(self, workers: int) -> list[str]:
        """Return the command of a supervisor with so many workers."""
        words = [*scrapy(), "fleet", str(self.topic), "--job", self.job, "--workers", str(workers)]
        return words + self._options()

    def training(self) -> list[str]:
        """Return the command that trains the topic."""
        return [*scrapy(), "train", str(self.topic), *self._options()]

    def _options(self) -> list[str]:
        own = self.addresses.settings if self.addresses is not None else {}
        common = {"FOCUSED_CRAWLS": self.crawls, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False}
        settings = {**common, **self.settings, **own}
        arguments = [word for name, value in self.arguments.items() for word in ("-a", f"{name}={value}")]
        return arguments + [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]


def scrapy() -> list[str]:
    return [sys.executable, "-m", "scrapy"]


@contextmanager
def started(commands: Sequence[Sequence[str]], log: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start some processes; none outlives the block."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # processes share the cores
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with log.open("ab") as file:
            for command in commands:
                process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=file)
                processes.append(process)
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
    if order.addresses is not None:
        remember_address(order.addresses.postgresql)
    with closing(read_crawl(order.folder)) as database:
        rows = database.rows("SELECT url, fetched_at, is_target, run, position FROM pages ORDER BY position")
        counted = database.rows("SELECT value FROM counters WHERE name = 'pages'")
    pages = [RecordedPage(url, at, bool(target), run or 0) for url, at, target, run, _ in rows]
    feed = order.folder / "pages.jsonl"
    lines = feed.read_text("utf-8").splitlines() if feed.exists() else []
    totals = json.loads((order.folder / "run.json").read_text("utf-8"))["totals"]
    return Left(
        pages,
        int(counted[0][0]) if counted else 0,
        [json.loads(line)["url"] for line in lines],
        rows[-1][-1] if rows else 0,
        int(totals.get("pages") or 0),
    )
