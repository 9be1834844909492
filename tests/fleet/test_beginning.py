"""Workers that begin a crawl at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.lists.counts import identity_of
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.fleet.coordinator import FleetCoordinator
from focused_crawler.frontier.base import Frontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from tests.crawls.site import write_topic
from tests.fleet.recorded import new_job
from tests.postgresql import Server


class Overtaken(FleetCoordinator):
    """While it opens the crawl, another worker opens it, begins and ends."""

    other: RunInfo

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        other = Crawl(self._plan, FleetCoordinator(self._plan))
        other.end("shutdown")
        self.other = other.run
        return super().open_frontier(database)


@pytest.fixture
def plan(tmp_path: Path, postgresql: Server) -> CrawlPlan:
    settings = {
        "TOPIC": str(write_topic(tmp_path, "bees", "http://a.example/")),
        "CRAWLS": str(tmp_path / "crawls"),
        "FRONTIER": "postgresql",
        "DATABASE": postgresql.address,
        "JOB": new_job(),
        "STRATEGY": "lpe",
    }
    named = Settings({f"FOCUSED_{name}": value for name, value in settings.items()})
    return CrawlPlan.make(CrawlConfig.from_settings(named))


def test_they_are_one_crawl(plan: CrawlPlan) -> None:
    """Neither has found the other's run.json; lists of sites know a crawl by when it began."""
    coordinator = Overtaken(plan)
    crawl = Crawl(plan, coordinator)
    crawl.end("shutdown")
    assert identity_of(run_of(crawl.folder)) == identity_of(coordinator.other)


def test_so_is_who_comes_from_another_machine(plan: CrawlPlan, tmp_path: Path) -> None:
    """Its folder has a run.json of its own."""
    first = Crawl(plan, FleetCoordinator(plan))
    first.end("shutdown")
    (first.folder / "run.json").unlink()
    second = Crawl(plan, FleetCoordinator(plan))
    second.end("shutdown")
    assert identity_of(second.run) == identity_of(first.run)
