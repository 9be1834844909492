"""What a crawl does with regard to others at work on it: of one process, nothing. Plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.journal import Entry, Journal
from focused_crawler.crawl.measures import HarvestRate, TargetRecall
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.copies import SketchTables
from focused_crawler.crawl.steering.earlier import asked, lowered, met_listings, noted_shares
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.terms import FetchedPage
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Frontier
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import MOST_PAGES, CrawlHistory, Visited
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.surt import surt


class Totals(NamedTuple):
    """What a crawl has come to, over all its runs and workers."""

    rate: HarvestRate
    recall: TargetRecall | None  # None where no target is known
    steering: Steering


class Coordinator:
    """Opens what a crawl works on, and sees to what others at work on it must know, or have done.

    This one is for a crawl of one process, where nobody else asks; `fleet/` has the one of a worker.
    """

    is_shared = False
    """Whether there may be others: what this process records then counts when it is read back."""
    worker: str | None = None
    """Name of this process among them."""
    workers: int | None = None
    """How many of them live, this process too; None: there are no others."""
    claims = 0
    """How often hosts became this process's that others had, or nobody."""
    is_last = True
    """Whether, after `finish`, nobody else is at work, so that the crawl may be written up."""

    def __init__(self, plan: CrawlPlan) -> None:
        self._plan = plan
        self._position = 0  # of the last page that was read back
        self._run_id = 0

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        """Return the crawl's database; raises CrawlError."""
        return open_crawl_database(folder, self._plan.config.database, run)

    def read_back(self, database: CrawlDatabase, store: PageStore) -> Totals:
        """Return what was recorded before."""
        targets = self._plan.targets
        self._store, self._history = store, CrawlHistory(database)
        self._totals = Totals(
            HarvestRate(),
            TargetRecall(targets.urls, key=surt) if targets else None,
            Steering(self._steering_settings(), store.seen_checksum, SketchTables(database), database),
        )
        if (listings := self._totals.steering.listings) is not None:
            listings.earlier = met_listings(database)
        self._catch_up()
        if listings is not None:
            listings.restore()
        if (shares := self._totals.steering.shares) is not None:
            shares.restore(asked(database), lowered(database), noted_shares(database))
        for named in self._history.named_urls():
            self._totals.steering.named_before(named)
        return self._totals

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        """Return the frontier, where it goes on."""
        config = self._plan.config
        rules = config.rules()
        self._frontier: Frontier = (
            MemoryFrontier(rules) if config.frontier == "memory" else SqlFrontier(database, rules)
        )
        return self._frontier

    def open_journal(self, database: CrawlDatabase, steps: Steps, before: Entry, learn: Entry) -> Journal:
        """Return the journal, which decides when to write.

        `before` is called with each commit, `learn` when others may have recorded pages.
        """
        self._journal = Journal(database, steps, before)
        return self._journal

    def expect(self, item: PageItem) -> None:
        """Take note that a page will be stored by the next transaction."""

    def admits(self, item: PageItem) -> bool:
        """Tell, within the transaction, whether a page is still to be stored."""
        return True

    def recorded(self, *, pages: int = 0, failures: int = 0) -> None:
        """Take note of what this process has recorded."""

    def begin_run(self, run: int) -> None:
        """Take note of the number of this process's run."""
        self._run_id = run

    def at_work_since(self, began: float) -> float:
        """Return when the first of those who are at work now began; `began`: when this process did."""
        return began

    def tick(self, in_flight: int) -> None:
        """Write what waits, and take in what others did: called now and then."""

    def finish(self, run: RunInfo) -> None:
        """Commit the last of a run, and let go of the frontier."""
        self._frontier.close()
        self._journal.commit()

    def release(self) -> None:
        """Let go of what others can use, also where the database has failed."""

    def _steering_settings(self) -> SteeringSettings:
        return self._plan.config.steering

    def _catch_up(self) -> None:
        """Read what has been recorded since the last time."""
        are_more = True
        while are_more:
            pages = self._history.pages_after(self._position)
            for page in pages:
                self._take_in(page)
                self._position = page.position
            are_more = len(pages) == MOST_PAGES

    def _take_in(self, page: Visited) -> None:
        rate, recall, steering = self._totals
        is_hit = bool(page.is_target) if self._plan.truth is not None else page.is_relevant
        rate.record(relevant=is_hit)
        if recall is not None and page.is_target:
            recall.record(page.url)
        if page.run != self._run_id:
            steering.seen(FetchedPage.of(page))  # a copy is not relevant there
