from __future__ import annotations

from collections.abc import Iterator

import pytest

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.reader import TotalsReader
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.store.opening import shared_schema_name
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.fleet.recorded import drop, new_job, recording
from tests.postgresql import Server


@pytest.fixture
def crawl(postgresql: Server) -> Iterator[FleetCrawl]:
    crawl = FleetCrawl("asthma", new_job(), postgresql.address)
    yield crawl
    drop(postgresql, crawl)


@pytest.fixture
def database(crawl: FleetCrawl) -> Iterator[CrawlDatabase]:
    """As the status reads it, beside workers."""
    with recording(crawl):
        pass
    place = PostgresqlSchema(crawl.database, shared_schema_name(crawl.topic, crawl.job))
    with CrawlDatabase(place, read_only=True) as database:
        yield database


def run_info(judged_by: str, targets: int | None) -> RunInfo:
    return RunInfo("asthma", "", "1", "lpe", "", None, trained=True, judged_by=judged_by, targets=targets)


def test_totals_are_those_of_all_workers(crawl: FleetCrawl, database: CrawlDatabase) -> None:
    """Whatever each of them recorded, in the order of recording."""
    reader = TotalsReader(database, lambda: None)
    assert reader.read().pages == 0
    with recording(crawl, FOCUSED_PAGES=500) as one, recording(crawl, FOCUSED_PAGES=500) as other:
        one.record("r" * 100, title="first")
        other.record("r" * 50 + "-" * 50, title="later")
        other.fail("http://a.example/gone", "http_404")
    totals = reader.read()
    assert (totals.pages, totals.relevant, totals.failures) == (200, 150, 1)
    assert (totals.harvest_rate, totals.harvest_rate_100, totals.harvest_rate_1000) == (0.75, 0.5, 0.75)
    assert totals.last_title == "later"
    assert totals.page_budget == 500
    assert totals.target_recall is None
    assert reader.strategy() == "lpe"


def test_a_strategy_that_nothing_was_trained_for(crawl: FleetCrawl, database: CrawlDatabase) -> None:
    """Is named with the one that it was, on every machine."""
    with recording(crawl, acts_as="best_first_content_anchor", FOCUSED_STRATEGY="link_classifier"):
        name = TotalsReader(database, lambda: None).strategy()
    assert name == "link_classifier (untrained: best_first_content_anchor)"


def test_the_database_is_measured(database: CrawlDatabase) -> None:
    """Tables and indexes."""
    assert TotalsReader(database, lambda: None).read().database_bytes > 100_000


@pytest.mark.parametrize(("judge", "relevant"), [("ground truth", 1), ("the crawler's own classifier", 2)])
def test_relevant_by_what_judges_the_crawl(
    crawl: FleetCrawl, database: CrawlDatabase, judge: str, relevant: int
) -> None:
    """Where all relevant pages are known, those that were found count, and are the target recall."""
    with recording(crawl) as worker:
        worker.record("Tr-")
    totals = TotalsReader(database, lambda: run_info(judge, 4)).read()
    assert (totals.relevant, totals.targets, totals.target_recall) == (relevant, 1, 0.25)
    assert totals.harvest_rate == totals.harvest_rate_1000 == pytest.approx(relevant / 3)
