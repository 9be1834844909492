from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.folder import choose_shared_folder
from focused_crawler.store.job import FINISHED, STOPPED, RunInfo, write_run
from tests.fleet.recorded import drop, recording
from tests.postgresql import Server

FRONTIER = "redis://localhost:6379"
_numbers = count(1)


@pytest.fixture
def elsewhere(postgresql: Server) -> Iterator[FleetCrawl]:
    """Job 1 of a topic, begun on another machine."""
    crawl = FleetCrawl(f"topic{next(_numbers)}", "1", FRONTIER, postgresql.address)
    with recording(crawl):
        pass
    yield crawl
    drop(postgresql, crawl)


def wanted(topic: str, job: str = "") -> RunInfo:
    return RunInfo(topic, "", job, "lpe", "", None, trained=True, frontier=FRONTIER)


def test_a_new_topic_begins_with_job_1(tmp_path: Path, postgresql: Server) -> None:
    """As a crawl of one process does."""
    run = wanted("new-topic")
    assert choose_shared_folder(tmp_path, run, postgresql.address) == tmp_path / "new-topic/1"
    assert run.job == "1"


def test_nobody_joins_by_accident(tmp_path: Path, elsewhere: FleetCrawl) -> None:
    """A job that this machine does not know is somebody else's: the next number is ours."""
    run = wanted(elsewhere.topic)
    assert choose_shared_folder(tmp_path, run, elsewhere.database) == tmp_path / elsewhere.topic / "2"
    assert run.job == "2"
    assert not (tmp_path / elsewhere.topic / "1").exists()


def test_who_names_the_job_joins(tmp_path: Path, elsewhere: FleetCrawl) -> None:
    """From any machine."""
    folder = choose_shared_folder(tmp_path, wanted(elsewhere.topic, "1"), elsewhere.database)
    assert folder == tmp_path / elsewhere.topic / "1"


@pytest.mark.parametrize(("state", "job"), [(STOPPED, "1"), (FINISHED, "2")])
def test_the_last_unfinished_one_goes_on(tmp_path: Path, elsewhere: FleetCrawl, state: str, job: str) -> None:
    """If it is of this machine."""
    run = wanted(elsewhere.topic, "1")
    folder = tmp_path / elsewhere.topic / "1"
    folder.mkdir(parents=True)
    run.state = state
    write_run(folder, run)
    again = wanted(elsewhere.topic)
    choose_shared_folder(tmp_path, again, elsewhere.database)
    assert again.job == job
