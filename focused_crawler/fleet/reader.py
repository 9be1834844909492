"""Reads the state of a fleet from its database; where it cannot be read, a remark names the reason."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from focused_crawler.crawl.measures import WINDOWS, HarvestRate
from focused_crawler.fleet.crawls import FleetCrawl, has_begun, judge_of_totals
from focused_crawler.fleet.owners import FleetState
from focused_crawler.fleet.status import FleetStatus, FleetTotals, FrontierView, WorkerRow, why_ended
from focused_crawler.report.live import Speed
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import orders
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RunInfo, ordered_by
from focused_crawler.store.judges import GROUND_TRUTH, hits_by
from focused_crawler.store.rows import FETCHES

SLOW_SECONDS = 10.0
"""What costs more with every page is asked for so often."""

_LAST = "SELECT is_relevant, is_target, title FROM pages ORDER BY position DESC LIMIT ?"
_BYTES = """
SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) FROM pg_class
JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = current_schema() AND relkind = 'r'
"""


class TotalsReader:
    """Reads the totals again and again; CrawlError where the database cannot be read."""

    def __init__(self, database: CrawlDatabase, run: Callable[[], RunInfo | None]) -> None:
        """`run`: what this machine knows of the crawl: what judges its pages, how many targets it has."""
        self.database, self._history = database, CrawlHistory(database)
        self._run = run
        self._slow_at = float("-inf")
        self._bytes, self._errors = 0, dict[str, int]()
        self._known: RunInfo | None = None

    def strategy(self) -> str:
        """Return the strategy of the last worker that came, for people; empty before the first."""
        runs, settings = self._history.runs(), self._settings()
        named = str(settings.get("FOCUSED_STRATEGY") or settings.get("FOCUSED_DEFAULT_STRATEGY") or "")
        return ordered_by(named, runs[-1].acts_as or "") if runs else ""

    def last_reason(self) -> str | None:
        """Return why the last run ended; None: there was none, or its worker was killed."""
        last = max(self._history.runs(), key=lambda run: run.ended or run.started, default=None)
        return None if last is None else last.reason

    def last_began(self) -> float:
        """Return when the last worker to come began its run (epoch)."""
        return max((run.started for run in self._history.runs()), default=0.0)

    def read(self) -> FleetTotals:
        """Return the totals of now."""
        self._known = run = self._known or self._run()
        settings, counters = self._settings(), self._history.counters()
        last = self.database.rows(_LAST, (max(WINDOWS),))
        has_targets = bool(last) and last[0][1] is not None
        judge = run.judged_by if run else judge_of_totals(settings, has_targets=has_targets)
        known = run.targets if run else None
        self._read_slow()
        column = int(judge == GROUND_TRUTH)
        rate = HarvestRate.from_outcomes(bool(row[column]) for row in reversed(last))
        pages = counters.get("pages", 0)
        hits, targets = counters.get(hits_by(judge).counter, 0), counters.get("targets", 0)
        return FleetTotals(
            pages=pages,
            revisits=counters.get("revisits", 0),
            fetches=sum(counters.get(name, 0) for name in FETCHES),
            relevant=hits,
            targets=targets,
            failures=counters.get("failures", 0),
            harvest_rate=hits / pages if pages else 0.0,
            harvest_rate_100=rate.over_last(100),
            harvest_rate_1000=rate.over_last(1000),
            target_recall=targets / known if known else None,
            page_budget=int(settings.get("FOCUSED_PAGES") or 0),
            relevant_budget=int(settings.get("FOCUSED_RELEVANT") or 0),
            database_bytes=self._bytes,
            last_title=next((str(row[2]) for row in last if row[column]), ""),
            errors=self._errors,
        )

    def _settings(self) -> dict[str, Any]:
        runs = self._history.runs()
        return runs[-1].settings if runs else {}

    def _read_slow(self) -> None:
        if time.monotonic() < self._slow_at + SLOW_SECONDS:
            return
        self._errors = self._history.failures_by_class()
        self._bytes = int(self.database.rows(_BYTES)[0][0])
        self._slow_at = time.monotonic()


SPEED_SECONDS = 60.0
_Read = TypeVar("_Read")


class FleetReader(Closing):
    """Holds connections to the server, and makes new ones after a failure."""

    def __init__(self, crawl: FleetCrawl, crawls: Path, since: float | None = None) -> None:
        """`crawls`: the folder where crawls of this machine are. `since`: when its part began (epoch)."""
        self._crawl, self._crawls, self._since = crawl, crawls, since
        self._frontier: FleetState | None = None
        self._database: CrawlDatabase | None = None
        self._totals: TotalsReader | None = None
        self._strategy = ""
        self._speeds: dict[str, Speed] = {}
        self._remarks: list[str] = []
        self._is_whole = True

    def read(self) -> FleetStatus:
        """Return the state of now; takes as long as the server lets it wait."""
        self._remarks, self._is_whole = [], True
        workers = self._try(self._read_workers, self._lose_frontier)
        frontier = self._try(self._read_frontier, self._lose_frontier) if workers is not None else None
        totals = self._try(self._read_totals, self._lose_database)
        living = [worker for worker in workers or () if not worker.is_dead]
        oldest = max((worker.age for worker in living), default=0.0)
        status = FleetStatus(
            at=time.time(),
            topic=self._crawl.topic,
            job=self._crawl.job,
            strategy=self._strategy,
            database_address=shown(self._crawl.database),
            workers=workers,
            totals=totals,
            frontier=frontier,
            speed=sum((worker.speed for worker in living), 0.0),
            elapsed=oldest if self._since is None else time.time() - self._since,
            remarks=tuple(self._remarks),
            is_whole=self._is_whole,
        )
        is_at_rest = self._since is None and workers is not None and not living and totals is not None
        if not is_at_rest:
            return status
        last = self._try(lambda: self._recorded().last_reason(), self._lose_database)
        return replace(status, ended=why_ended(status, last))

    def is_joined(self) -> bool:
        """Tell whether any worker has begun since this machine's part did; False if nobody knows."""
        began = self._try(lambda: self._recorded().last_began(), self._lose_database)
        return began is not None and began >= (self._since or 0.0)

    def was_stopped(self) -> bool:
        """Tell whether the crawl was told to stop since this machine's part began; False if nobody knows."""
        since = self._since or 0.0
        return bool(
            self._try(
                lambda: orders.was_given(self._recorded().database, orders.STOP, since), self._lose_database
            )
        )

    def close(self) -> None:
        """Let go of the server."""
        self._lose_frontier()
        self._lose_database()

    def _try(self, read: Callable[[], _Read], lose: Callable[[], None]) -> _Read | None:
        try:
            return read()
        except CrawlError as error:
            self._remarks.append(str(error))
            self._is_whole = False
            lose()
            return None

    def _read_workers(self) -> tuple[WorkerRow, ...]:
        now, before = time.monotonic(), self._speeds
        workers = self._state().workers()
        self._speeds = {worker.name: before.get(worker.name) or Speed(SPEED_SECONDS) for worker in workers}
        for worker in workers:
            self._speeds[worker.name].record(now, worker.pages)
        return tuple(
            replace(worker, speed=self._speeds[worker.name].value) if worker.name in before else worker
            for worker in workers
        )

    def _read_frontier(self) -> FrontierView | None:
        return self._state().frontier()

    def _read_totals(self) -> FleetTotals | None:
        if self._totals is None and not has_begun(self._crawl.database, self._crawl.topic, self._crawl.job):
            return None
        totals = self._recorded().read()
        self._strategy = self._strategy or self._recorded().strategy()
        return totals

    def _recorded(self) -> TotalsReader:
        if self._totals is None:
            self._database = self._crawl.open_database()
            self._totals = TotalsReader(self._database, partial(self._crawl.run, self._crawls))
        return self._totals

    def _state(self) -> FleetState:
        if self._frontier is None:
            self._frontier = FleetState(self._crawl)
        return self._frontier

    def _lose_frontier(self) -> None:
        if self._frontier is not None:
            with suppress(CrawlError):
                self._frontier.close()
        self._frontier = None

    def _lose_database(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = self._totals = None
