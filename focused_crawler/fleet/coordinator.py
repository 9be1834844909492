"""A worker's part of a crawl that several processes share: how it works with the others.

Its pages are written in short transactions under the crawl's lock; after each it reads what
others have recorded. So harvest rate, target recall, budget and traps are of the whole crawl, a moment late.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.journal import Entry, Journal, OwnersJournal, SharedJournal
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.crawl.steps import Steps
from focused_crawler.crawl.visit import mark_copy
from focused_crawler.fleet.crawls import check_shared_job
from focused_crawler.fleet.status import WorkerReport, frontier_name, worker_name
from focused_crawler.frontier.base import Candidate, Frontier
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.frontier.partitioned.pulse import Pulse, wall_lead
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from focused_crawler.safety.errors import FrontierUnreachable
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import SHARED, RunInfo
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.postgresql.database import PostgresqlSchema

MOST_PREFETCHED = 4
"""URLs leased at a time: more of them cost fewer calls, and are chosen without what the first ones bring."""


def coordinator_of(plan: CrawlPlan) -> FleetCoordinator:
    """Return what coordinates a worker with the others of its crawl."""
    return OwnersCoordinator(plan) if plan.config.frontier == SHARED else RedisCoordinator(plan)


class FleetCoordinator(Coordinator):
    """Coordinates this process with the other workers of its crawl, through PostgreSQL and their frontier."""

    is_shared = True
    _journal_kind = SharedJournal

    def __init__(self, plan: CrawlPlan) -> None:
        super().__init__(plan)
        self.worker: str = worker_name()
        self._report = WorkerReport()
        self._coming: list[PageItem] = []  # to be stored by the next transaction
        self._too_late: list[Candidate] = []  # came when the budget was spent: a larger one may bring it back

    @abstractmethod
    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        """Return this worker's way to the frontier that all share."""

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        address = self._plan.config.database
        check_shared_job(folder, run, address)
        run.settings["FOCUSED_JOB"] = run.job  # by which others can find it
        self._name = frontier_name(run.topic, run.job)
        return open_crawl_database(folder, address, run, shared=True)

    def open_journal(self, database: CrawlDatabase, steps: Steps, before: Entry) -> Journal:
        opened, after = self._begin_transaction, self._after_transaction
        kind = self._journal_kind
        self._journal = kind(database, steps, self._frontier, before, opened=opened, after=after)
        return self._journal

    def expect(self, item: PageItem) -> None:
        self._coming.append(item)

    def admits(self, item: PageItem) -> bool:
        """Tell whether the budget has room for a page; one with the text of another worker's is a copy."""
        counters = self._store.counters
        fetches = sum(counters[name] for name in ("pages", "listings", "own_pages"))
        if self._plan.budget.spent(fetches, 0, 0.0) is not None:
            for url in dict.fromkeys((item.requested_url, item.url)):
                self._too_late.append(Candidate(url, item.relevance, item.depth, item.parent))
            return False
        steering = self._totals.steering
        copy = steering.same_text(item.url, item.checksum or "") if item.duplicate_of is None else None
        if copy is not None:  # recorded since the page was compared
            mark_copy(item, copy)
        return True

    def recorded(self, *, pages: int = 0, failures: int = 0) -> None:
        self._report.pages += pages
        self._report.failures += failures

    def tick(self, in_flight: int) -> None:
        self._report.in_flight = in_flight
        self._journal.commit()
        self._catch_up()

    def _steering_settings(self) -> SteeringSettings:
        return replace(super()._steering_settings(), distill_pages=0)  # `scrapy distill` does, when asked

    def _begin_transaction(self) -> None:
        """Read what the others have recorded, as far as the pages of this transaction are concerned."""
        self._store.refresh()
        urls = [item.url for item in self._coming]
        self._store.prefetch(urls, [item.checksum or "" for item in self._coming])
        self._coming.clear()

    def _after_transaction(self) -> None:
        """Queue once more what came too late, and read what the others have recorded."""
        self._queue_late()
        self._catch_up()

    def _queue_late(self) -> None:
        if self._too_late:
            self._frontier.again(self._too_late)
            self._too_late.clear()


class RedisCoordinator(FleetCoordinator):
    """The frontier is in Redis."""

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        config = self._plan.config
        self._redis = PipelinedRedis(config.frontier, self._name, config.rules(), worker=self.worker)
        self._frontier = PrefetchFrontier(
            self._redis,
            prefetch=MOST_PREFETCHED,
            most_out=config.concurrency,
            lease_seconds=config.lease_seconds,
            info=self._report.values,
        )
        return self._frontier

    def finish(self, run: RunInfo) -> None:
        self._journal.commit()
        self._frontier.close()
        with suppress(FrontierUnreachable):  # then nobody knows who else is at work
            self.is_last = not any(other.is_alive for other in self._redis.workers())
            run.left = self._redis.bands()

    def release(self) -> None:
        self._frontier.close()  # others can do what is left here


class OwnersCoordinator(FleetCoordinator):
    """The frontier is in the crawl's database: each worker has the hosts of its partitions."""

    _journal_kind = OwnersJournal

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        assert isinstance(database.location, PostgresqlSchema)
        config, self._database = self._plan.config, database
        self._owned = PartitionedFrontier(
            database, config.rules(), worker=self.worker, lead=wall_lead(database)
        )
        with database.locked_transaction():
            self._owned.join(self._report.values())
        self._pulse: Pulse | None = Pulse(database.location, self.worker, self._report.values)
        self._owned.end_turn()
        self._frontier = self._owned
        return self._frontier

    def open_journal(self, database: CrawlDatabase, steps: Steps, before: Entry) -> Journal:
        journal = super().open_journal(database, steps, before)
        assert self._pulse is not None
        assert isinstance(journal, OwnersJournal)
        journal.wants = lambda: self._owned.wants_turn
        self._owned.begin(self._pulse, self._plan.config.concurrency, journal.commit)
        return journal

    def finish(self, run: RunInfo) -> None:
        self._owned.close()  # leases are given back
        self._journal.commit()
        run.left = self._owned.bands()
        with self._database.locked_transaction():
            self.is_last = self._owned.leave()
        self._end_pulse(departs=False)

    def release(self) -> None:
        self._end_pulse(departs=True)

    def _end_pulse(self, *, departs: bool) -> None:
        pulse, self._pulse = self._pulse, None
        if pulse is not None:
            pulse.close(departs=departs)

    def admits(self, item: PageItem) -> bool:
        is_admitted = super().admits(item)
        self._queue_late()  # in the transaction that would have ended its lease
        return is_admitted

    def _begin_transaction(self) -> None:
        self._owned.begin_turn()
        super()._begin_transaction()
        self._owned.check_turn()

    def _after_transaction(self) -> None:
        self._owned.end_turn()
        super()._after_transaction()
