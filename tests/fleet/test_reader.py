from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from focused_crawler.fleet.crawls import FleetCrawl, has_begun
from focused_crawler.fleet.owners import forget
from focused_crawler.fleet.reader import FleetReader
from focused_crawler.fleet.run import write_outputs
from focused_crawler.fleet.status import FleetStatus, WorkerReport, is_over
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import orders
from focused_crawler.store.address import shown
from focused_crawler.store.job import FINISHED, RUNNING, STOPPED, RunInfo, read_run, run_of, write_run
from focused_crawler.store.judges import GROUND_TRUTH
from focused_crawler.store.opening import shared_schema_name
from tests.fleet.recorded import drop, new_job, recording
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import Server, restartable_server

LINKS = [Candidate(f"http://{host}.example/{n}", n / 10) for host in "ab" for n in range(10)]


@pytest.fixture
def crawl(postgresql: Server) -> Iterator[FleetCrawl]:
    """One that nobody has begun."""
    crawl = FleetCrawl("asthma", new_job(), postgresql.address)
    yield crawl
    drop(postgresql, crawl)


@contextmanager
def working(crawl: FleetCrawl, report: WorkerReport | None = None) -> Iterator[Worker]:
    """Be a worker of a crawl at its frontier."""
    schema, told = shared_schema_name(crawl.topic, crawl.job), report or WorkerReport()
    worker = Worker(crawl.database, schema, "w1", Rules(), report=told.values())
    try:
        yield worker
    finally:
        worker.stop()


def fill(crawl: FleetCrawl, links: list[Candidate]) -> None:
    """Queue links, and leave."""
    with working(crawl) as worker:
        worker.frontier.add(links)
        worker.turn()
        worker.leave()


def look(crawl: FleetCrawl, crawls: Path) -> FleetStatus:
    with FleetReader(crawl, crawls) as reader:
        return reader.read()


def with_folder(crawl: FleetCrawl, crawls: Path) -> Path:
    """Make the folder that a worker of this machine would have made."""
    folder = crawls / crawl.topic / crawl.job
    folder.mkdir(parents=True)
    run = RunInfo(crawl.topic, "Asthma", crawl.job, "lpe", "", None, trained=True, targets=8)
    run.frontier, run.database = "postgresql", shown(crawl.database)
    run.schema = shared_schema_name(crawl.topic, crawl.job)
    write_run(folder, run)
    return folder


def test_a_fleet_is_seen_as_a_whole(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Workers by their heartbeats, the frontier, the rest by what is recorded; it fits into JSON."""
    with_folder(crawl, tmp_path)
    report = WorkerReport()
    report.pages, report.in_flight = 4, 1
    with recording(crawl) as recorder, working(crawl, report) as worker:
        worker.frontier.add(LINKS)
        worker.frontier.done(worker.take() or "")
        worker.frontier.failed(worker.take() or "", None)
        assert worker.take() is not None
        worker.turn()
        recorder.record("TT--")
        recorder.fail("http://a.example/x", "http_404")
        status = look(crawl, tmp_path)
    assert status.remarks == ()
    assert status.workers is not None
    (row,) = status.workers
    assert (row.name, row.machine, row.pages, row.in_flight, row.is_dead) == (
        "w1",
        platform.node(),
        4,
        1,
        False,
    )
    view = status.frontier
    assert view is not None
    assert (view.pending, view.leased, view.done, view.failed, view.hosts) == (17, 1, 1, 1, 2)
    assert sum(view.bands) == 18  # what is out is still in its place
    assert status.totals is not None
    assert (status.totals.pages, status.totals.target_recall) == (4, 0.25)
    assert status.totals.errors == {"http_404": 1}
    assert json.loads(json.dumps(asdict(status), allow_nan=False))["totals"]["pages"] == 4


def test_another_crawl_of_its_name_on_this_machine(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Says nothing of it: neither who judges nor how many targets there are."""
    folder = with_folder(crawl, tmp_path)
    run = run_of(folder)
    write_run(folder, replace(run, frontier="sqlite", database="", schema="", judged_by=GROUND_TRUTH))
    with recording(crawl) as recorder:
        recorder.record("rr-")
    totals = look(crawl, tmp_path).totals
    assert totals is not None
    assert (totals.relevant, totals.target_recall) == (2, None)


def test_who_looks_changes_nothing(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Nothing is begun, nobody joins, and a crawl that nobody works on stays as it is."""
    status = look(crawl, tmp_path)
    assert (status.workers, status.frontier, status.totals, status.remarks) == ((), None, None, ())
    assert not status.is_begun
    assert status.is_whole
    fill(crawl, LINKS)
    for _ in range(2):
        status = look(crawl, tmp_path)
        assert status.workers == ()
        assert status.frontier is not None
        assert status.frontier.pending == len(LINKS)
    assert not is_over(status)


def test_a_server_that_is_not_there_is_a_remark(tmp_path: Path) -> None:
    """Nothing else is shown, and no password."""
    status = look(FleetCrawl("asthma", "1", "postgresql://ann:secret@localhost:1/crawls"), tmp_path)
    assert (status.workers, status.frontier, status.totals) == (None, None, None)
    assert {"ann@localhost:1/crawls cannot be opened" in remark for remark in status.remarks} == {True}
    assert "secret" not in str(asdict(status))
    assert not status.is_whole
    assert status.ended is None  # who works on it cannot be seen


def test_a_server_that_comes_back_is_seen_again(tmp_path: Path) -> None:
    """By the same reader."""
    with restartable_server() as server:
        crawl = FleetCrawl("asthma", new_job(), server.address)
        fill(crawl, LINKS)
        with FleetReader(crawl, tmp_path) as reader:
            assert reader.read().frontier is not None
            server.kill()
            assert reader.read().frontier is None
            server.restart()
            view = reader.read().frontier
    assert view is not None
    assert view.pending == len(LINKS)


@pytest.mark.parametrize(
    ("settings", "reason", "left", "state", "told"),
    [
        ({}, "finished", 0, FINISHED, "finished"),
        ({"FOCUSED_PAGES": 3}, "pages_budget", 5, FINISHED, "pages_budget"),
        ({}, "shutdown", 5, STOPPED, "shutdown"),
        ({}, "stagnation", 5, FINISHED, "stagnation"),
        ({"FOCUSED_PAGES": 4}, "pages_budget", 5, STOPPED, "shutdown"),
        ({}, "finished", 5, STOPPED, "shutdown"),
    ],
)
def test_the_end(
    crawl: FleetCrawl, tmp_path: Path, settings: dict[str, int], reason: str, left: int, state: str, told: str
) -> None:
    """One run.json, one feed, one report of what all workers did."""
    folder = with_folder(crawl, tmp_path)
    with recording(crawl, **settings) as one, recording(crawl, **settings) as other:
        one.record("T-")
        other.record("-")
        other.end("shutdown")
        one.end(reason)
    fill(crawl, LINKS[:left])
    status = look(crawl, tmp_path)
    assert status.ended == told
    report, why = write_outputs(folder, status, 0.0)
    run = read_run(folder)
    assert run is not None
    assert (run.state, run.reason, why) == (state, told, told)
    assert run.totals == {
        "pages": 3, "revisits": 0, "relevant": 1, "harvest_rate": 1 / 3,
        "target_recall": 1 / 8, "pending": left,
    }  # fmt: skip
    assert sum(run.left) == left
    assert len((folder / "pages.jsonl").read_text().splitlines()) == 3
    assert "Asthma" in report.read_text()


def test_why_an_earlier_fleet_ended_is_not_why_this_one_did(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Workers that are killed write no end: a resumed fleet of theirs is not finished."""
    folder = with_folder(crawl, tmp_path)
    with recording(crawl) as one:
        one.record("r")
        one.end("stagnation")
    since = time.time()
    with recording(crawl, worker="w2"):
        fill(crawl, LINKS)
    status = look(crawl, tmp_path)
    assert write_outputs(folder, status, since)[1] == status.ended == "shutdown"
    run = read_run(folder)
    assert run is not None
    assert run.state == STOPPED


def test_who_was_killed_does_not_say_why_it_ended(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Though others have written down when: the last to end by itself does."""
    folder = with_folder(crawl, tmp_path)
    with recording(crawl) as one, recording(crawl, worker="w2") as killed:
        one.record("r")
        one.end("stagnation")
        with killed.database.locked_transaction():
            killed.database.execute("UPDATE runs SET ended = ? WHERE id = ?", (time.time(), killed.run))
    fill(crawl, LINKS)
    assert write_outputs(folder, look(crawl, tmp_path), 0.0)[1] == "stagnation"


def test_while_others_go_on_it_is_running(crawl: FleetCrawl, tmp_path: Path) -> None:
    """What is written then is how far they have come."""
    folder = with_folder(crawl, tmp_path)
    with recording(crawl) as recorder, working(crawl) as worker:
        recorder.record("r")
        worker.frontier.add(LINKS)
        worker.turn()
        write_outputs(folder, look(crawl, tmp_path), 0.0)
    run = read_run(folder)
    assert run is not None
    assert run.state == RUNNING


def test_an_end_before_any_beginning(crawl: FleetCrawl, tmp_path: Path) -> None:
    """No worker came so far as to write anything."""
    with pytest.raises(CrawlError, match="no worker came so far as to write"):
        write_outputs(tmp_path, look(crawl, tmp_path), 0.0)


def test_forget(crawl: FleetCrawl, tmp_path: Path) -> None:
    """All that the server had is gone; but not while a worker lives."""
    with recording(crawl) as recorder, working(crawl) as worker:
        recorder.record("r")
        worker.frontier.add(LINKS)
        with pytest.raises(CrawlError, match="goes on, by w1; stop its workers first"):
            forget(crawl)
        worker.leave()
    assert forget(crawl)
    assert not has_begun(crawl.database, crawl.topic, crawl.job)
    assert look(crawl, tmp_path).frontier is None
    assert not forget(crawl)


def test_who_was_told_to_stop(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Since this part of the fleet began; nobody knows of a crawl that is not there."""
    with FleetReader(crawl, tmp_path) as reader:
        assert not reader.was_stopped()
    folder = with_folder(crawl, tmp_path)
    with recording(crawl) as one:
        one.record("r")
    with FleetReader(crawl, tmp_path, since=time.time()) as reader:
        assert not reader.was_stopped()
        orders.give(folder, orders.ADD, "[]")
        assert not reader.was_stopped()
        orders.give(folder, orders.STOP)
        assert reader.was_stopped()
    with FleetReader(crawl, tmp_path, since=time.time()) as reader:
        assert not reader.was_stopped()


def test_what_was_fetched_besides_pages_is_spent(crawl: FleetCrawl, tmp_path: Path) -> None:
    """Sitemaps and feeds, and a spider's own pages: workers end by them, too."""
    with_folder(crawl, tmp_path)
    with recording(crawl, FOCUSED_PAGES=4) as one:
        one.record("r-")
        with one.database.locked_transaction():
            one.store.count(listings=1, own_pages=1)
        one.end("pages_budget")
    status = look(crawl, tmp_path)
    assert status.totals is not None
    assert (status.totals.pages, status.totals.fetches, status.ended) == (2, 4, "pages_budget")
