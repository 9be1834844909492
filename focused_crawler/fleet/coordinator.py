"""A worker of a fleet: what it does with regard to the others at work on its crawl."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.journal import Entry, Journal, SharedJournal
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.copies import mark_copy
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.crawl.steps import Steps
from focused_crawler.fleet.crawls import check_shared_job
from focused_crawler.fleet.status import WorkerReport, worker_name
from focused_crawler.frontier.base import Candidate, Frontier
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.frontier.partitioned.pulse import Pulse, wall_lead
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.postgresql.database import PostgresqlSchema
from focused_crawler.store.rows import FETCHES

_FIRST = "SELECT min(started) FROM runs WHERE ended IS NULL AND worker IN (SELECT name FROM workers)"


class FleetCoordinator(Coordinator):
    """Coordinates this process with the other workers of its crawl, through the crawl's database.

    Each worker has the hosts of its partitions; their frontier is in the database.
    """

    is_shared = True

    def __init__(self, plan: CrawlPlan) -> None:
        super().__init__(plan)
        self.worker: str = worker_name()
        self._report = WorkerReport()
        self._coming: list[PageItem] = []  # to be stored by the next transaction
        self._pulse: Pulse | None = None

    @property
    def workers(self) -> int:  # type: ignore[override]
        return self._frontier.workers

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        address = self._plan.config.database
        check_shared_job(folder, run, address)
        run.settings["FOCUSED_JOB"] = run.job  # by which others can find it
        return open_crawl_database(folder, address, run, shared=True)

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        assert isinstance(database.location, PostgresqlSchema)
        self._database = database
        self._frontier: PartitionedFrontier = PartitionedFrontier(
            database, self._plan.config.rules(), worker=self.worker, lead=wall_lead(database)
        )
        with database.locked_transaction():
            self._frontier.join(self._report.values())
        self._pulse = Pulse(database.location, self.worker, self._report.values)
        self._end_turn()
        return self._frontier

    def open_journal(self, database: CrawlDatabase, steps: Steps, before: Entry, learn: Entry) -> Journal:
        assert self._pulse is not None
        self._learn = learn
        self._journal = SharedJournal(
            database,
            steps,
            before,
            opened=self._begin_transaction,
            after=self._after_transaction,
            wants=lambda: self._frontier.wants_turn,
        )
        self._frontier.begin(self._pulse, self._journal.commit)
        return self._journal

    def expect(self, item: PageItem) -> None:
        self._coming.append(item)

    def admits(self, item: PageItem) -> bool:
        """Tell whether the budget has room for a page; one with the text of another worker's is a copy."""
        fetches = sum(self._store.counters[name] for name in FETCHES)
        if self._plan.budget.spent(fetches, 0, 0.0) is not None:
            urls = dict.fromkeys((item.requested_url, item.url))  # a larger budget may bring it back
            self._frontier.again(Candidate(url, item.relevance, item.depth, item.parent) for url in urls)
            return False
        steering = self._totals.steering
        copy = steering.same_text(item.url, item.checksum or "") if item.duplicate_of is None else None
        if copy is not None:  # recorded since the page was compared
            mark_copy(item, copy)
        return True

    def recorded(self, *, pages: int = 0, failures: int = 0) -> None:
        self._report.pages += pages
        self._report.failures += failures

    def at_work_since(self, began: float) -> float:
        ((first,),) = self._database.rows(_FIRST)
        return began if first is None else min(began, float(first))

    def tick(self, in_flight: int) -> None:
        self._report.in_flight = in_flight
        self._journal.commit()
        self._count_anew()
        self._learn()

    def _count_anew(self) -> None:
        """Take in how many pages are relevant by now: others may have found another text at some."""
        self._store.refresh()
        self._catch_up()
        counted = "relevant" if self._plan.truth is None else "targets"
        self._totals.rate.relevant = self._store.counters[counted]

    def _steering_settings(self) -> SteeringSettings:
        return replace(super()._steering_settings(), distill_pages=0)  # `scrapy distill` does, when asked

    def _begin_transaction(self) -> None:
        """Write the frontier, and read what others have recorded that concerns this transaction's pages."""
        self._frontier.begin_turn()
        self._store.refresh()
        urls = [item.url for item in self._coming]
        self._store.prefetch(urls, [item.checksum or "" for item in self._coming])
        self._coming.clear()
        self._frontier.check_turn()

    def _after_transaction(self) -> None:
        """Take up hosts that have become ours, and read what the others have recorded."""
        self._end_turn()
        self._catch_up()
        self._learn()

    def _end_turn(self) -> None:
        """Take up hosts; what the owner before was to tell the frontier of them may have died with it."""
        if self._frontier.end_turn():
            self.claims += 1
            self._plan.analyst.order.doubt()

    def finish(self, run: RunInfo) -> None:
        self._frontier.close()  # leases are given back
        self._journal.commit()
        self._count_anew()
        run.left = [band.urls for band in CrawlHistory(self._database).frontier_bands()]
        with self._database.locked_transaction():
            self.is_last = self._frontier.leave()
        self._end_pulse(departs=False)

    def release(self) -> None:
        self._end_pulse(departs=True)

    def _end_pulse(self, *, departs: bool) -> None:
        pulse, self._pulse = self._pulse, None
        if pulse is not None:
            pulse.close(departs=departs)
