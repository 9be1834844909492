"""What became of a URL in a crawl of several workers."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.report.why.cures import as_typed_here
from focused_crawler.report.why.reading import as_it_is, read_facts
from focused_crawler.report.why.sentences import Conclusion, answer
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, STOPPED, RunInfo
from focused_crawler.store.opening import shared_schema_name
from tests.fleet.recorded import drop, new_job, recording
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import Server

A, B = "http://a.org/", "http://b.org/x"


@pytest.fixture
def crawl(postgresql: Server) -> Iterator[FleetCrawl]:
    crawl = FleetCrawl("stars", new_job(), postgresql.address)
    yield crawl
    drop(postgresql, crawl)


def run_of(crawl: FleetCrawl) -> RunInfo:
    run = RunInfo("stars", "Stars", crawl.job, "lpe", "", None, trained=True, totals={"pages": 12})
    run.frontier, run.database = "postgresql", shown(crawl.database)
    run.settings = {"FOCUSED_FRONTIER": run.frontier, "FOCUSED_DATABASE": run.database}
    return run


def answered(database: CrawlDatabase, url: str, run: RunInfo) -> Conclusion:
    return answer(read_facts(database, url), as_it_is(database, run), time.time())


def test_while_a_worker_lives_and_after(crawl: FleetCrawl) -> None:
    """The crawl goes on while anybody is at work, on any machine; a URL that is out is still pending."""
    schema, run = shared_schema_name("stars", crawl.job), run_of(crawl)
    worker = Worker(crawl.database, schema, "w1", Rules())
    worker.frontier.add([Candidate(A, 0.9), Candidate(B, 0.25, 1, A)])
    assert worker.take() == A
    worker.turn()
    with crawl.open_database() as database:
        now = as_it_is(database, run)
        assert (now.state, now.totals["pages"]) == (RUNNING, 0)
        said = answered(database, B, run)
        assert (said.verdict, said.reason) == (
            "pending",
            "It is pending, or being fetched: 1 URL comes before it.",
        )
        assert said.cure.startswith("wait")
        assert answered(database, A, run).verdict == "pending"
        worker.frontier.done(A)
        worker.turn()
        worker.leave()
        assert as_it_is(database, run).state == STOPPED
        said = answered(database, B, run)
        assert said.reason == "It is pending: 0 URLs come before it."
        assert f"FOCUSED_DATABASE={run.database}" in said.cure
        assert said.cure.endswith("-s FOCUSED_FRONTIER=postgresql")
        told = answer(read_facts(database, B), as_typed_here(run, run.settings), time.time())
        assert told.cure.endswith(f"-a topic=stars -a job={crawl.job}")


def test_a_crawl_of_a_version_with_redis(crawl: FleetCrawl) -> None:
    """Its pages are there; what was queued is in a server that nobody asks any more."""
    run = run_of(crawl)
    run.frontier = run.settings["FOCUSED_FRONTIER"] = "redis://localhost:6379/0"
    with recording(crawl) as worker:
        worker.record("r")
        with worker.database.locked_transaction():
            worker.store.record_links("http://a.example/1", [(B, "b", 0, 0.5)])
    with crawl.open_database() as database:
        assert answered(database, "http://a.example/1", run).verdict == "fetched, relevant"
        said = answered(database, B, run)
        assert said.reason == "It was queued, in a frontier in Redis, which this version does not read."
        assert said.cure == "begin the crawl anew, with scrapy fleet and a new --job"
    assert "in Redis, which this version does not read" in run.obstacle(run_of(crawl))
