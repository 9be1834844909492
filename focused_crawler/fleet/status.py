"""A fleet at one moment, as plain data: what its workers report, and what its status shows."""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from focused_crawler.crawl.plan import Budget
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.whole_file import unfinished

LONGEST_NAME = 80


def this_machine() -> str:
    """Return the name of this machine as rows of workers have it."""
    return tidy(platform.node(), LONGEST_NAME)


def worker_name() -> str:
    """Return a name for this process that no other worker has: machine, process id, four random digits."""
    machine = re.sub("[^A-Za-z0-9.]+", "-", platform.node()).strip("-")[:60] or "unknown"
    return f"{machine}-{os.getpid()}-{secrets.token_hex(2)}"


class WorkerReport:
    """A worker's report; the thread that sends heartbeats calls `values`.

    Written by the crawl: `pages` (recorded by this worker), `in_flight` (being fetched now) and `failures`.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.in_flight = 0
        self.failures = 0
        self._about: dict[str, str | int | float] = {
            "machine": platform.node()[:100],
            "pid": os.getpid(),
            "started": time.time(),
        }

    def values(self) -> dict[str, str | int | float]:
        """Return the report as it is stored with each heartbeat."""
        return {
            **self._about,
            "pages": self.pages,
            "in_flight": self.in_flight,
            "failures": self.failures,
        }


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker by its last report."""

    name: str
    machine: str
    pid: int
    age: float  # seconds since its start
    beat: float  # seconds since its last heartbeat
    is_dead: bool  # without a heartbeat for so long that others take over its hosts
    in_flight: int  # URLs out in its name
    pages: int  # recorded by it
    failures: int
    speed: float  # pages a second

    @classmethod
    def read(cls, name: str, beat: float, info: Mapping[str, Any], *, now: float, dead_after: float) -> Self:
        """Read a worker's report; what is missing or no number is 0. Its speed is its mean."""
        pages, age = int(_number(info, "pages")), now - _number(info, "started", now)
        return cls(
            name=tidy(name, LONGEST_NAME),
            machine=tidy(str(info.get("machine", "")), LONGEST_NAME),
            pid=int(_number(info, "pid")),
            age=max(age, 0.0),
            beat=beat,
            is_dead=beat > dead_after,
            in_flight=int(_number(info, "in_flight")),
            pages=pages,
            failures=int(_number(info, "failures")),
            speed=pages / max(age, 1.0),
        )


@dataclass(frozen=True, slots=True)
class FleetTotals:
    """What the whole fleet has recorded. Rates are in [0, 1]."""

    pages: int = 0
    revisits: int = 0
    fetches: int = 0  # of both, of sitemaps and feeds, and of a spider's own pages: what a budget is spent on
    relevant: int = 0
    targets: int = 0
    failures: int = 0
    harvest_rate: float = 0.0
    harvest_rate_100: float = 0.0
    harvest_rate_1000: float = 0.0
    target_recall: float | None = None  # None: nobody knows how many targets there are
    page_budget: int = 0  # 0: none
    relevant_budget: int = 0
    database_bytes: int = 0
    last_title: str = ""  # of the last relevant page: from the web, hostile
    errors: dict[str, int] = field(default_factory=dict)  # URLs without a page, by class

    def spent(self) -> str | None:
        """Return the reason to stop, None while there is something left to spend."""
        budget = Budget(self.page_budget, self.relevant_budget)
        return budget.spent(self.fetches, self.relevant, 0.0)


@dataclass(frozen=True, slots=True)
class FrontierView:
    """The frontier of all workers."""

    pending: int
    leased: int
    done: int
    failed: int
    dropped: int
    hosts: int
    waiting_hosts: int
    has_more: bool
    bands: tuple[int, ...]  # pending URLs by equal bands of priority, the lowest first


@dataclass(frozen=True, slots=True)
class FleetStatus:
    """The whole fleet; what could not be read is None, and `remarks` has the reasons."""

    at: float  # seconds since the epoch
    topic: str
    job: str
    strategy: str
    database_address: str  # without password
    workers: tuple[WorkerRow, ...] | None = None
    totals: FleetTotals | None = None
    frontier: FrontierView | None = None
    speed: float = 0.0  # pages a second of all living workers
    elapsed: float = 0.0  # seconds since the first of them came, or since this machine's part began
    remarks: tuple[str, ...] = ()
    is_whole: bool = True  # False: the server could not be read
    ended: str | None = None  # why, as Scrapy gives it; None: it goes on, has not begun, or nobody knows

    @property
    def is_begun(self) -> bool:
        """Tell whether the server holds something of it."""
        return self.frontier is not None or self.totals is not None

    @property
    def lacks_totals(self) -> bool:
        """Tell whether what was recorded could not be read: it need not be nothing."""
        return not self.is_whole and self.totals is None

    @property
    def lacks_frontier(self) -> bool:
        """Tell whether the frontier, or who works on it, could not be read."""
        return not self.is_whole and (self.frontier is None or self.workers is None)

    @property
    def living(self) -> int:
        """Number of workers with a heartbeat."""
        return sum(not worker.is_dead for worker in self.workers or ())


def save_status(status: FleetStatus, path: str | None) -> None:
    """Write a status as JSON, in one step; None: nowhere. Raises ConfigError."""
    if path is None:
        return
    try:
        with unfinished(Path(path)) as file:
            file.write_text(json.dumps(asdict(status), indent=2) + "\n", "utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"--json {path} cannot be written ({error}); name another file") from None


def _number(info: Mapping[str, Any], name: str, otherwise: float = 0.0) -> float:
    value = info.get(name, otherwise)
    is_number = isinstance(value, int | float) and abs(value) < 1e15  # NaN is not
    return float(value) if is_number else otherwise


_BUDGETS = frozenset({"pages_budget", "relevant_budget"})


def is_over(status: FleetStatus) -> bool:
    """Tell whether the fleet has nothing left to do; False where that cannot be known now.

    An empty frontier from which nothing ever came is one whose seeds are still to be put in.
    """
    if status.totals is not None and status.totals.spent():
        return True
    return status.frontier is not None and not status.frontier.has_more and _has_brought(status)


def why_ended(status: FleetStatus, last: str | None) -> str:
    """Return the reason; `last`: that of the run which ended last, None where none wrote one.

    A run may have ended before others put more into the frontier, or by a smaller budget than that of now.
    """
    spent = status.totals.spent() if status.totals is not None else None
    if spent or is_over(status):
        return spent or "finished"
    is_left = status.frontier is not None and status.frontier.has_more
    if last in _BUDGETS or (last == "finished" and is_left):
        return "shutdown"
    return last or "shutdown"


def _has_brought(status: FleetStatus) -> bool:
    frontier, totals = status.frontier, status.totals
    if frontier is not None and frontier.done + frontier.failed + frontier.dropped > 0:
        return True
    return totals is not None and totals.pages + totals.failures > 0
