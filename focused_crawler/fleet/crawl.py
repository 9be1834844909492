"""A worker's part of a crawl that several processes share. Plain Python."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.crawl_parts import known_targets
from focused_crawler.crawl.journal import Journal, SharedJournal
from focused_crawler.crawl.measures import HarvestRate
from focused_crawler.crawl.page_recorder import PageRecorder
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.copies import SketchTables
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.traps import Visit
from focused_crawler.fleet.crawls import check_shared_job
from focused_crawler.fleet.page_recorder import SharedPageRecorder
from focused_crawler.fleet.worker import WorkerNotes, frontier_name, worker_name
from focused_crawler.frontier.base import Frontier
from focused_crawler.frontier.prefetch.frontier import AheadFrontier
from focused_crawler.frontier.redis.pipelined import RedisTogether
from focused_crawler.frontier.redis.workers import WORKER_SECONDS
from focused_crawler.safety.errors import FrontierUnreachable
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import rewrite_feed
from focused_crawler.store.history import MOST_PAGES, CrawlHistory, Visited
from focused_crawler.store.item import PageItem
from focused_crawler.store.opening import open_crawl_database

MOST_AHEAD = 4
"""URLs leased at a time: more of them cost fewer calls, and are chosen without what the first ones bring."""


class SharedCrawl(Crawl):
    """What it gathers is written in turns; what others have recorded is taken in after each.

    So harvest rate, target recall, budget and traps are those of the whole crawl, a moment late.
    """

    def _open_database(self) -> CrawlDatabase:
        address = self.plan.config.database
        check_shared_job(self.folder, self.run, address)
        self.run.settings["FOCUSED_JOB"] = self.run.job  # by which others can find it
        return open_crawl_database(self.folder, address, self.run, shared=True)

    def _open_frontier(self) -> tuple[Frontier, Journal, PageRecorder]:
        config, name = self.plan.config, worker_name()
        self._notes = WorkerNotes()
        self._others = RedisTogether(
            config.frontier, frontier_name(self.run.topic, self.run.job), config.rules(), worker=name
        )
        frontier = AheadFrontier(
            self._others,
            ahead=MOST_AHEAD,
            most_out=config.concurrency,
            lease_seconds=config.lease_seconds,
            info=self._notes.told,
        )
        recorder = SharedPageRecorder(self, self._notes)
        journal = SharedJournal(
            self.database,
            self.steps,
            frontier,
            self._keep_memory,
            opened=recorder.open_turn,
            after=partial(self._after_turn, recorder),
        )
        self.worker, self._has_company = name, False
        return frontier, journal, recorder

    def _read_back(self) -> None:
        plan = self.plan
        self.rate, self.recall = HarvestRate(), known_targets(plan, self.store)
        settings = replace(plan.config.steering, distill_pages=0)  # `scrapy distill` does, when asked
        self.steering = Steering(
            settings, self.store.seen_checksum, SketchTables(self.database), self.database
        )
        self._position, self.run_id = 0, 0
        self.catch_up()

    def catch_up(self) -> None:
        """Take in what all workers have recorded since the last time."""
        history = CrawlHistory(self.database)
        are_more = True
        while are_more:
            pages = history.pages_after(self._position)
            for page in pages:
                self._take_in(page)
                self._position = page.position
            are_more = len(pages) == MOST_PAGES

    def tick(self) -> None:
        self._notes.in_flight = len(self._in_flight)
        self.journal.commit()
        self.catch_up()

    def _begin_feed(self) -> None:
        """Do nothing: who ends last writes it."""

    def _check_budget(self) -> None:
        """Do nothing: who comes when the others have spent it ends at once."""

    def meets_target(self, item: PageItem) -> bool | None:
        return None if self.recall is None else self.recall.is_missing(item.url)

    def count(self, item: PageItem) -> None:
        """Do nothing: a page counts when it is read back with those of the others."""

    def end(self, reason: str) -> None:
        try:
            super().end(reason)
        finally:
            self.frontier.close()  # also when the database has failed: others can do what is left here

    @property
    def is_last(self) -> bool:
        return not self._has_company

    def _take_in(self, page: Visited) -> None:
        is_hit = bool(page.is_target) if self.plan.truth is not None else page.is_relevant
        self.rate.record(relevant=is_hit)
        if self.recall is not None:
            self.recall.record(page.url)
        if page.run != self.run_id:
            asked = page.requested_url if page.requested_url != page.url else None
            self.steering.seen(Visit(page.url, page.parent, page.is_relevant, page.duplicate_of, asked))

    def _after_turn(self, recorder: SharedPageRecorder) -> None:
        recorder.after_turn()
        self.catch_up()

    def _end_run(self, reason: str) -> None:
        self.journal.write(partial(self.store.end_run, self.run_id, reason))
        self.journal.write(partial(self._memory.save, self.rate.pages))
        self.journal.commit()
        self.frontier.close()
        with suppress(FrontierUnreachable):  # then nobody can say who else is at work
            self._has_company = any(other.age < WORKER_SECONDS for other in self._others.workers())
            self.run.left = self._others.bands()
        if not self._has_company:
            rewrite_feed(self.feed, CrawlHistory(self.database).pages())


def open_crawl(plan: CrawlPlan) -> Crawl:
    """Open or go on with a crawl, alone or as one worker of several; raises CrawlError."""
    if not plan.config.is_shared:
        return Crawl(plan)
    pass

    return SharedCrawl(plan)
