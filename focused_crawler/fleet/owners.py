"""What a fleet's database says of its workers and its frontier; forgetting it."""

from __future__ import annotations

import json
import time
from contextlib import closing

from focused_crawler.fleet.crawls import FleetCrawl, drop_crawl, has_begun
from focused_crawler.fleet.status import FrontierView, WorkerRow
from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from focused_crawler.frontier.partitioned.statements import CHANGED
from focused_crawler.frontier.partitioned.supply import Supply
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.schema import State

_WORKERS = """
SELECT name, extract(epoch FROM clock_timestamp())::float8 - heartbeat_at, report, supply FROM workers
ORDER BY name
"""
_HOSTS = "SELECT count(*) FROM hosts"
_OFFERS = "SELECT url FROM offers WHERE kind <> ?"
_PENDING = "SELECT count(*) FROM urls WHERE key {among} AND state IN (1, 2, 3)"


class FleetState:
    """Reads them and is no worker; CrawlError where the database cannot be read."""

    def __init__(self, crawl: FleetCrawl) -> None:
        self._crawl = crawl
        self._database: CrawlDatabase | None = None

    def workers(self) -> tuple[WorkerRow, ...]:
        """Return all workers that have not left, by name."""
        database, now = self._opened(), time.time()
        rows = [] if database is None else database.rows(_WORKERS)
        return tuple(
            WorkerRow.read(name, age, json.loads(report), now=now, dead_after=WORKER_SECONDS)
            for name, age, report, _ in rows
        )

    def frontier(self) -> FrontierView | None:
        """Return the frontier of now; None: nobody has begun it."""
        database = self._opened()
        if database is None:
            return None
        totals = dict(database.rows("SELECT state, urls FROM states"))
        reports = [(json.loads(row[2]), Supply.read(row[3])) for row in database.rows(_WORKERS)]
        out = sum(int(report.get("in_flight", 0)) for report, _ in reports)
        left = totals[State.PENDING] + totals[State.WAITING]
        ((hosts,),) = database.rows(_HOSTS)
        offers = self._on_their_way(database)
        return FrontierView(
            pending=max(0, left - out) + offers,
            leased=min(out, left),
            done=totals[State.DONE],
            failed=totals[State.FAILED],
            dropped=totals[State.DROPPED],
            hosts=hosts,
            waiting_hosts=sum(supply.waiting_hosts for _, supply in reports),
            has_more=left + offers > 0,
            bands=tuple(band.urls for band in CrawlHistory(database).frontier_bands()),
        )

    def _on_their_way(self, database: CrawlDatabase) -> int:
        """Return how many URLs are offered to a worker that has not taken them, and pend nowhere yet."""
        keys = {url_key(url) for (url,) in database.rows(_OFFERS, (CHANGED,))}
        ((pending,),) = database.rows(_PENDING.format(among=database.among), (database.many(keys),))
        return len(keys) - int(pending)

    def close(self) -> None:
        """Let go of the server."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def _opened(self) -> CrawlDatabase | None:
        """Return the crawl's database; None before the first worker came."""
        if self._database is None:
            if not has_begun(self._crawl.database, self._crawl.topic, self._crawl.job):
                return None
            self._database = self._crawl.open_database()
        return self._database


def forget(crawl: FleetCrawl) -> bool:
    """Delete frontier and crawl database; False if there is neither. CrawlError while workers live."""
    with closing(FleetState(crawl)) as state:
        living = [worker.name for worker in state.workers() if not worker.is_dead]
    if living:
        raise CrawlError(
            f"job {crawl.job} of {crawl.topic} goes on, by {', '.join(living[:3])}"
            f"{' and others' if len(living) > 3 else ''}; stop its workers first"
        )
    return drop_crawl(crawl.database, crawl.topic, crawl.job)
