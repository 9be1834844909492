"""What a crawl does with regard to others at work on it: of one process, nothing. Plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.measures import HarvestRate, TargetRecall
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.copies import SketchTables
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.traps import FetchedPage
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Frontier
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
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


class Coordinator(Protocol):
    """Opens what a crawl works on, and sees to what others at work on it must know, or have done."""

    is_shared: bool
    """Whether there may be others: what this process records then counts when it is read back."""
    worker: str | None
    """Name of this process among them."""

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        """Return the crawl's database; raises CrawlError."""

    def read_back(self, database: CrawlDatabase, store: PageStore) -> Totals:
        """Return what was recorded before."""

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        """Return the frontier, where it goes on."""

    def open_journal(
        self, database: CrawlDatabase, steps: Steps, frontier: Frontier, before: Callable[[], object]
    ) -> Journal:
        """Return the journal, which decides when to write; `before` is called with each commit."""

    def expect(self, item: PageItem) -> None:
        """Take note that a page will be stored by the next transaction."""

    def admits(self, item: PageItem) -> bool:
        """Tell, within the transaction, whether a page is still to be stored."""

    def recorded(self, *, pages: int = 0, failures: int = 0) -> None:
        """Take note of what this process has recorded."""

    def begin_run(self, run: int) -> None:
        """Take note of the number of this process's run."""

    def tick(self, in_flight: int) -> None:
        """Write what waits, and take in what others did: called now and then."""

    def finish(self, run: RunInfo) -> None:
        """Commit the last of a run, and let go of the frontier."""

    def release(self) -> None:
        """Let go of what others can use, also where the database has failed."""

    @property
    def is_last(self) -> bool:
        """Tell, after `finish`, whether nobody else is at work, so that the crawl may be written up."""


class Alone:
    """For a crawl of one process."""

    is_shared = False
    worker: str | None = None
    is_last = True

    def __init__(self, plan: CrawlPlan) -> None:
        self._plan = plan

    def open_database(self, folder: Path, run: RunInfo) -> CrawlDatabase:
        return open_crawl_database(folder, self._plan.config.database, run)

    def read_back(self, database: CrawlDatabase, store: PageStore) -> Totals:
        plan = self._plan
        rate = HarvestRate.from_outcomes(store.outcomes(by_target=plan.truth is not None))
        steering = steer(plan.config.steering, database, store)
        return Totals(rate, known_targets(plan, store), steering)

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        config = self._plan.config
        rules = config.rules()
        self._frontier: Frontier = (
            MemoryFrontier(rules) if config.frontier == "memory" else SqlFrontier(database, rules)
        )
        return self._frontier

    def open_journal(
        self, database: CrawlDatabase, steps: Steps, frontier: Frontier, before: Callable[[], object]
    ) -> Journal:
        self._journal = Journal(database, steps, before)
        return self._journal

    def expect(self, item: PageItem) -> None:
        """Do nothing: nobody else can record it."""

    def admits(self, item: PageItem) -> bool:
        return True

    def recorded(self, *, pages: int = 0, failures: int = 0) -> None:
        """Do nothing: nobody asks."""

    def begin_run(self, run: int) -> None:
        """Do nothing: there is no other."""

    def tick(self, in_flight: int) -> None:
        """Do nothing: all is written as it comes."""

    def finish(self, run: RunInfo) -> None:
        self._frontier.close()
        self._journal.commit()

    def release(self) -> None:
        """Do nothing: nobody waits for it."""


def known_targets(plan: CrawlPlan, store: PageStore) -> TargetRecall | None:
    """Return target recall as the runs before left it, None where no target is known."""
    if not plan.targets:
        return None
    recall = TargetRecall(plan.targets.urls, key=surt)
    for url in store.targets():
        recall.record(url)
    return recall


def steer(settings: SteeringSettings, database: CrawlDatabase, store: PageStore) -> Steering:
    """Return steering as the runs before left it."""
    steering = Steering(settings, store.seen_checksum, SketchTables(database), database)
    for page in CrawlHistory(database).visits():
        steering.seen(FetchedPage(*page))  # a copy is not relevant there
    return steering
