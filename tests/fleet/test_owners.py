"""What is said of a fleet's workers and frontier, by the crawl's database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.owners import FleetState, forget
from focused_crawler.fleet.reader import FleetReader
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from focused_crawler.report.alarms import standing_alarms
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.opening import shared_schema_name
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.fleet.recorded import new_job
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import Server

LINKS = [Candidate(f"http://h{number}.example/", number / 10) for number in range(10)]


@pytest.fixture
def crawl(postgresql: Server) -> Iterator[FleetCrawl]:
    job = new_job()
    yield FleetCrawl("owned", job, postgresql.address)
    postgresql.drop(shared_schema_name("owned", job))


@pytest.fixture
def worker(crawl: FleetCrawl) -> Iterator[Worker]:
    one = Worker(crawl.database, shared_schema_name("owned", crawl.job), "w1", Rules())
    yield one
    one.stop()


def test_workers_and_frontier(worker: Worker, crawl: FleetCrawl) -> None:
    """As of the last transaction, when what is out is still pending; a worker without a heartbeat is dead."""
    worker.frontier.add(LINKS)
    url = worker.take()
    assert url is not None
    worker.frontier.done(url)
    worker.turn()
    with closing(FleetState(crawl)) as state:
        view = state.frontier()
        assert view is not None
        assert (view.pending, view.done, view.hosts, view.has_more) == (9, 1, 10, True)
        assert sum(view.bands) == 9
        assert [(row.name, row.is_dead) for row in state.workers()] == [("w1", False)]
        assert worker.pulse is not None
        worker.pulse.close(departs=False)
        location = worker.database.location
        location.write_beside("UPDATE workers SET heartbeat_at = heartbeat_at - ?", (WORKER_SECONDS,))
        assert [row.is_dead for row in state.workers()] == [True]


def test_links_on_their_way_are_pending(worker: Worker, crawl: FleetCrawl) -> None:
    """Nothing is over while somebody is still to take them."""
    with closing(FleetState(crawl)) as state:
        view = state.frontier()
        assert view is not None
        assert (view.pending, view.has_more) == (0, False)
        sql = (
            "INSERT INTO offers (part, kind, url, priority, depth) VALUES (?, 0, 'http://a.example/', 0.5, 1)"
        )
        worker.database.location.write_beside(sql, (300,))  # nobody's, so that nobody takes it
        view = state.frontier()
        assert view is not None
        assert (view.pending, view.has_more) == (1, True)
        worker.frontier.add([Candidate("http://a.example/", 0.4)])
        worker.turn()
        view = state.frontier()
        assert view is not None
        assert (view.pending, sum(view.bands)) == (1, 1)  # it is one URL, which pends already


def test_before_the_first_worker(crawl: FleetCrawl) -> None:
    """There is nothing, and nothing is made by asking."""
    with closing(FleetState(crawl)) as state:
        assert (state.workers(), state.frontier()) == ((), None)
    assert forget(crawl) is False


def test_who_works_is_not_forgotten(worker: Worker, crawl: FleetCrawl, tmp_path) -> None:
    """Who has left is; the whole status needs the one server."""
    with FleetReader(crawl, tmp_path) as reader:
        status = reader.read()
    assert (status.is_whole, status.living, status.remarks) == (True, 1, ())
    with pytest.raises(CrawlError, match=f"job {crawl.job} of owned goes on, by w1"):
        forget(crawl)
    assert worker.leave() is True
    assert forget(crawl) is True


def test_an_alarm_stands_while_anybody_works_who_was_there(crawl: FleetCrawl) -> None:
    """Whatever became of who raised it, and whoever comes; it is over when others go on with the crawl."""
    schema = shared_schema_name("owned", crawl.job)
    runs: dict[str, int] = {}

    def come(name: str) -> Worker:
        worker = Worker(crawl.database, schema, name, Rules())
        with worker.database.locked_transaction():
            runs[name] = PageStore(worker.database).begin_run({}, {}, name)
        return worker

    def die(worker: Worker) -> None:
        worker.stop()
        silent = "UPDATE workers SET heartbeat_at = heartbeat_at - ? WHERE name = ?"
        PostgresqlSchema(crawl.database, schema).write_beside(silent, (WORKER_SECONDS + 1, worker.name))

    def alarms() -> int:
        with crawl.open_database() as database:
            return len(standing_alarms(database))

    first, second = come("w1"), come("w2")
    with first.database.locked_transaction():
        PageStore(first.database).record_decision("alarm", "stagnation", run=runs["w1"])
    die(first)
    third = come("w3")
    assert alarms() == 1
    die(second)
    die(third)
    fourth = come("w4")
    assert alarms() == 0
    fourth.stop()
