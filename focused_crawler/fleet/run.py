"""One machine's part of a fleet, from its first worker to the report."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, Self

from focused_crawler.crawl.endings import goes_on
from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.reader import FleetReader
from focused_crawler.fleet.screen import Screen, Watch
from focused_crawler.fleet.status import FleetStatus, is_over, this_machine, why_ended
from focused_crawler.fleet.supervisor import Supervisor
from focused_crawler.report.page import write_report
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, correct_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import FINISHED, RUNNING, STOPPED, RunInfo, read_run, write_run
from focused_crawler.store.opening import read_crawl


def write_outputs(folder: Path, status: FleetStatus, since: float) -> tuple[Path, str]:
    """Write them; return the path of the report, and why the crawl ended. Raises CrawlError.

    `since`: when this fleet began (epoch): why earlier runs ended does not matter. While workers of
    other machines go on, what is written is how far the crawl has come.
    """
    run = read_run(folder)
    if run is None:
        raise CrawlError(f"no worker came so far as to write {folder / 'run.json'}; their logs there say why")
    with read_crawl(folder) as database:
        _bring_up_to_date(run, status, why_ended(status, _last_reason(database, since)))
        write_run(folder, run)
        correct_feed(folder / FEED, CrawlHistory(database).pages())
    return write_report(folder), run.reason


def _bring_up_to_date(run: RunInfo, status: FleetStatus, reason: str) -> None:
    run.reason = reason
    if status.living:
        run.state = RUNNING
    elif goes_on(run.reason):
        run.state = STOPPED
    else:
        run.state = FINISHED
    run.ended = time.time()
    run.left = list(status.frontier.bands) if status.frontier is not None else []
    if status.totals is not None:
        names = ("pages", "revisits", "relevant", "harvest_rate", "target_recall")
        run.totals = {name: getattr(status.totals, name) for name in names}
        run.totals["pending"] = sum(run.left)


def _last_reason(database: CrawlDatabase, since: float) -> str | None:
    """Return what the last run to end wrote; who was killed wrote nothing."""
    began = [run for run in CrawlHistory(database).runs() if run.started >= since and run.reason is not None]
    last = max(began, key=lambda run: run.ended or 0.0, default=None)
    return last.reason if last else None


TICK_SECONDS = 0.2
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Wishes(AbstractContextManager["Wishes"]):
    """Counts how often somebody wished for an end, by Ctrl-C or by a signal."""

    def __init__(self) -> None:
        self.number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.number += 1


class LocalFleet:
    """Workers of a crawl on this machine, supervised until all have ended."""

    def __init__(self, crawl: FleetCrawl, crawls: Path, screen: Screen) -> None:
        self._crawl, self._crawls, self._screen = crawl, crawls, screen
        self.began = time.time()

    def read(self, gone: Collection[int] = ()) -> FleetStatus:
        """Return the state of now, as the server has it, without workers of ours that are gone."""
        with self._reader() as reader:
            status = reader.read()
        here = this_machine()
        left = [one for one in status.workers or () if one.machine != here or one.pid not in gone]
        return replace(status, workers=None if status.workers is None else tuple(left))

    def run(self, command: Sequence[str], environment: Mapping[str, str], logs: Sequence[Path]) -> Supervisor:
        """Run a worker a log to their ends, and return their supervisor.

        The first wish for an end stops them gracefully, the second kills them.
        """
        watch = Watch(self._reader())
        supervisor = Supervisor(
            command,
            logs,
            environment=environment,
            brought_page=watch.brought_page,
            is_over=self._is_over,
            tell=self._screen.say,
        )
        with Wishes() as wishes, watch:
            try:
                self._supervise(supervisor, watch, wishes)
            except BaseException:  # something of ours broke: nobody would start anew what dies
                _end(supervisor, wishes)
                raise
        return supervisor

    def _is_over(self) -> bool:
        """Tell whether nothing is left to do, or all were told to stop.

        A budget is what the last worker to begin was given: before one has, it is that of an earlier fleet.
        """
        with self._reader() as reader:
            return (reader.is_joined() and is_over(reader.read())) or reader.was_stopped()

    def _reader(self) -> FleetReader:
        return FleetReader(self._crawl, self._crawls, self.began)

    def _supervise(self, supervisor: Supervisor, watch: Watch, wishes: Wishes) -> None:
        heeded, shown = 0, None
        while True:
            if wishes.number > heeded:
                self._heed(wishes.number, supervisor)
                heeded = wishes.number
            supervisor.check(time.monotonic())
            latest = watch.latest
            if latest is not None and latest is not shown:
                self._screen.show(latest)
                shown = latest
            if supervisor.is_done:
                return
            time.sleep(TICK_SECONDS)

    def _heed(self, wishes: int, supervisor: Supervisor) -> None:
        if wishes == 1:
            self._screen.say("Stopping: workers end the pages they have; once more kills them.")
            supervisor.stop()
        else:
            self._screen.say("Killing the workers: what they were fetching is fetched again by the next.")
            supervisor.kill()


def _end(supervisor: Supervisor, wishes: Wishes) -> None:
    """Stop all workers and wait for them; a wish for an end kills them."""
    supervisor.stop()
    while not supervisor.is_done:
        if wishes.number:
            supervisor.kill()
        supervisor.check(time.monotonic())
        time.sleep(TICK_SECONDS)
