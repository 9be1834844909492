"""Reads the state of a fleet from its two servers; where one cannot be read, a remark says why."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from focused_crawler.errors import CrawlError
from focused_crawler.fleet.crawls import FleetCrawl, has_begun
from focused_crawler.fleet.reason import why_ended
from focused_crawler.fleet.redis_state import RedisState
from focused_crawler.fleet.status import FleetStatus, FrontierView, Totals, WorkerRow
from focused_crawler.fleet.totals import TotalsReader
from focused_crawler.frontier.redis_client import shown_address
from focused_crawler.report.live import Speed
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import shared_schema_name

SPEED_SECONDS = 60.0
_Read = TypeVar("_Read")


class FleetReader:
    """Holds a connection to each server, and makes a new one after a failure."""

    def __init__(self, crawl: FleetCrawl, crawls: Path, since: float | None = None) -> None:
        """`crawls`: the folder where crawls of this machine are. `since`: when its part began (epoch)."""
        self._crawl, self._crawls, self._since = crawl, crawls, since
        self._redis: RedisState | None = None
        self._database: CrawlDatabase | None = None
        self._totals: TotalsReader | None = None
        self._strategy = ""
        self._speeds: dict[str, Speed] = {}
        self._remarks: list[str] = []
        self._is_whole = True

    def read(self) -> FleetStatus:
        """Return the state of now; takes as long as the servers let it wait."""
        self._remarks, self._is_whole = [], True
        workers = self._try(self._read_workers, self._lose_redis)
        frontier = self._try(self._read_frontier, self._lose_redis) if workers is not None else None
        totals = self._try(self._read_totals, self._lose_database)
        living = [worker for worker in workers or () if not worker.is_dead]
        oldest = max((worker.age for worker in living), default=0.0)
        status = FleetStatus(
            at=time.time(),
            topic=self._crawl.topic,
            job=self._crawl.job,
            strategy=self._strategy,
            frontier_address=shown_address(self._crawl.frontier),
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
        return replace(status, ended=self._why_ended(status)) if is_at_rest else status

    def reason_of(self, worker: str) -> str | None:
        """Return why a worker's run ended; None where that is not known, or cannot be read now."""
        return self._try(lambda: self._recorded().reason_of(worker), self._lose_database)

    def close(self) -> None:
        """Let go of both servers."""
        self._lose_redis()
        self._lose_database()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        view = self._state().frontier()
        if view is not None:
            self._remarks += self._state().remarks()
        return view

    def _read_totals(self) -> Totals | None:
        if self._totals is None and not has_begun(self._crawl.database, self._crawl.topic, self._crawl.job):
            return None
        totals = self._recorded().read()
        self._strategy = self._strategy or self._recorded().strategy()
        return totals

    def _why_ended(self, status: FleetStatus) -> str:
        return why_ended(status, self._try(self._recorded().last_reason, self._lose_database))

    def _recorded(self) -> TotalsReader:
        if self._totals is None:
            self._totals = TotalsReader(self._opened(), partial(self._crawl.run, self._crawls))
        return self._totals

    def _state(self) -> RedisState:
        if self._redis is None:
            self._redis = RedisState(self._crawl.frontier, self._crawl.topic, self._crawl.job)
        return self._redis

    def _opened(self) -> CrawlDatabase:
        from focused_crawler.store.postgresql import PostgresqlSchema  # noqa: PLC0415 - loads slowly

        schema = shared_schema_name(self._crawl.topic, self._crawl.job)
        place = PostgresqlSchema(self._crawl.database, schema)
        self._database = CrawlDatabase(place, read_only=True)
        return self._database

    def _lose_redis(self) -> None:
        if self._redis is not None:
            with suppress(CrawlError):
                self._redis.close()
        self._redis = None

    def _lose_database(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = self._totals = None
