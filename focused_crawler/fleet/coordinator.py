"""A worker's part of a crawl that several processes share: how it works with the others.

Its pages are written in short transactions under the crawl's lock; after each it reads what
others have recorded. So harvest rate, target recall, budget and traps are of the whole crawl, a moment late.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.journal import Entry, Journal, SharedJournal
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.crawl.steps import Steps
from focused_crawler.crawl.visit import mark_copy
from focused_crawler.fleet.crawls import check_shared_job
from focused_crawler.fleet.status import WorkerReport, frontier_name, worker_name
from focused_crawler.frontier.base import Candidate, Frontier
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from focused_crawler.safety.errors import FrontierUnreachable
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.opening import open_crawl_database

MOST_PREFETCHED = 4
"""URLs leased at a time: more of them cost fewer calls, and are chosen without what the first ones bring."""


class FleetCoordinator(Coordinator):
    """Coordinates this process with the other workers of its crawl, through Redis and PostgreSQL."""

    is_shared = True

    def __init__(self, plan: CrawlPlan) -> None:
        super().__init__(plan)
        self.worker = worker_name()
        self._report = WorkerReport()
        self._coming: list[PageItem] = []  # to be stored by the next transaction
        self._too_late: list[Candidate] = []  # came when the budget was spent: a larger one may bring it back

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        address = self._plan.config.database
        check_shared_job(folder, run, address)
        run.settings["FOCUSED_JOB"] = run.job  # by which others can find it
        self._name = frontier_name(run.topic, run.job)
        return open_crawl_database(folder, address, run, shared=True)

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        config = self._plan.config
        self._redis = PipelinedRedis(config.frontier, self._name, config.rules(), worker=self.worker or "")
        self._frontier = PrefetchFrontier(
            self._redis,
            prefetch=MOST_PREFETCHED,
            most_out=config.concurrency,
            lease_seconds=config.lease_seconds,
            info=self._report.values,
        )
        return self._frontier

    def open_journal(self, database: CrawlDatabase, steps: Steps, before: Entry) -> Journal:
        opened, after = self._begin_transaction, self._after_transaction
        self._journal = SharedJournal(database, steps, self._frontier, before, opened=opened, after=after)
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

    def finish(self, run: RunInfo) -> None:
        self._journal.commit()
        self._frontier.close()
        with suppress(FrontierUnreachable):  # then nobody knows who else is at work
            self.is_last = not any(other.is_alive for other in self._redis.workers())
            run.left = self._redis.bands()

    def release(self) -> None:
        self._frontier.close()  # others can do what is left here

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
        if self._too_late:
            self._frontier.again(self._too_late)
            self._too_late.clear()
        self._catch_up()
