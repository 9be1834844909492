"""Crawls started from a program: each in a process of its own, watched by its database."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focused_crawler.api.data import CrawlData
from focused_crawler.api.topics import UserTopic
from focused_crawler.crawl.process import CrawlProcess, start_crawl
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RUNNING, STOPPED, run_of
from focused_crawler.store.judges import hits_by
from focused_crawler.store.opening import crawl_at_once

_STATES = "SELECT name, urls FROM states"
_WAITING = ("pending", "waiting", "leased")
_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """How far a crawl has come."""

    pages: int
    relevant: int  # by its judge
    failures: int
    pending: int | None  # URLs in the frontier; None: it is in memory, and nobody else knows
    seconds: float  # since it was started here
    state: str  # running | stopped (or killed) | finished

    @property
    def harvest_rate(self) -> float:
        """Return the share of pages that are relevant, 0 of none."""
        return self.relevant / self.pages if self.pages else 0.0

    def __str__(self) -> str:
        """Return a line for people."""
        left = "" if self.pending is None else f", {plural(self.pending, 'URL')} left"
        return (
            f"{plural(self.pages, 'page')}, {count(self.relevant)} relevant ({percent(self.harvest_rate)})"
            f"{left}, {self.state}"
        )


class RunningCrawl:
    """A crawl under way. To iterate over it yields its `CrawlProgress` until it ends."""

    def __init__(self, process: CrawlProcess, every: float) -> None:
        self.folder = process.folder
        self._process = process
        self._every = every

    def __iter__(self) -> Iterator[CrawlProgress]:
        """Yield progress, at the end once more; Ctrl-C stops the crawl, which then can be gone on with.

        Raises CrawlError in the end where a mistake ended it, such as a strategy's that gives wrong scores.
        """
        try:
            while not self._has_ended(self._every):
                yield self.progress()
        except KeyboardInterrupt:
            self.stop()
            raise
        yield self.progress()
        self._process.check()

    def progress(self) -> CrawlProgress:
        """Return how far it has come."""
        has_ended, run = self.exit_code is not None, run_of(self.folder)
        with crawl_at_once(self.folder) as database:
            totals, states = CrawlHistory(database).counters(), dict(database.rows(_STATES))
        pending = sum(states.get(name, 0) for name in _WAITING)
        return CrawlProgress(
            pages=totals.get("pages", 0),
            relevant=totals.get(hits_by(run.judged_by).counter, 0),
            failures=totals.get("failures", 0),
            pending=pending if run.has_frontier else None,
            seconds=time.time() - self._process.started,
            state=STOPPED if has_ended and run.state == RUNNING else run.state,
        )

    def wait(self) -> CrawlData:
        """Wait for its end and return what it collected; Ctrl-C stops it."""
        for _ in self:
            pass
        return self.data

    def stop(self) -> CrawlData:
        """Let it end what is in flight and write its report; return what it collected."""
        with suppress(ProcessLookupError):
            self._process.process.send_signal(signal.SIGINT)
        self._process.wait()
        return self.data

    @property
    def exit_code(self) -> int | None:
        """Return how it ended, as docs/reference/commands.md has the codes; None while it runs."""
        return self._process.process.poll()

    @property
    def data(self) -> CrawlData:
        """Return what it has collected so far."""
        return CrawlData(self.folder)

    def _has_ended(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self._process.process.poll() is None:
            if time.monotonic() >= end:
                return False
            time.sleep(min(_LOOK_SECONDS, seconds))
        return True

    def __repr__(self) -> str:
        """Return where it is."""
        return f"<crawl in {self.folder}>"


def crawl(
    topic: UserTopic | str | Path,
    *,
    pages: int | None = None,
    relevant: int | None = None,
    minutes: float | None = None,
    strategy: str | None = None,
    profile: str | None = None,
    seed_set: str | None = None,
    job: str | None = None,
    web: str | Path | None = None,
    crawls: str | Path = "crawls",
    settings: Mapping[str, Any] | None = None,
    every: float = 1.0,
) -> RunningCrawl:
    """Start a crawl of a topic and return it under way; `job`: go on with the one of that name.

    `pages`, `relevant`, `minutes`: it ends after so many. `web`: a recorded web in the place of the live one.
    `settings`: as after -s. `every`: seconds between two looks at its progress. Raises FocusedCrawlerError
    for whatever keeps it from beginning.
    """
    name = str(topic.folder if isinstance(topic, UserTopic) else topic)
    arguments = {
        "pages": pages, "relevant": relevant, "minutes": minutes, "strategy": strategy, "profile": profile,
        "seed_set": seed_set, "job": job,
    }  # fmt: skip
    given = {key: value for key, value in arguments.items() if value is not None}
    also = {"FOCUSED_WEB": str(Path(web).absolute())} if web is not None else {}
    process = start_crawl(name, Path(crawls), given, {**also, **(settings or {})})
    process.wait_until_begun()
    if process.process.poll() and run_of(process.folder).state == RUNNING:
        raise CrawlError(f"the crawl ended at once; {process.log} says why")
    return RunningCrawl(process, every)
