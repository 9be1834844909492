from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.fleet.crawls import FleetCrawl, choose_shared_folder
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.job import FINISHED, STOPPED, RunInfo, write_run
from tests.fleet.recorded import drop, recording
from tests.postgresql import Server

FRONTIER = "postgresql"
_numbers = count(1)


@pytest.fixture
def elsewhere(postgresql: Server) -> Iterator[FleetCrawl]:
    """Job 1 of a topic, begun on another machine."""
    crawl = FleetCrawl(f"topic{next(_numbers)}", "1", postgresql.address)
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


BEGUN = {"FOCUSED_STRATEGY": "lpe", "FOCUSED_SEED_SET": "few", "FOCUSED_WEB": "/a/web.warc.gz"}


def told(crawl: FleetCrawl, **settings: Any) -> RunInfo:
    """Return what a machine wants that joins with these settings."""
    run = wanted(crawl.topic, crawl.job)
    run.settings = BEGUN | settings
    run.strategy = run.settings["FOCUSED_STRATEGY"]
    run.seed_set = run.settings["FOCUSED_SEED_SET"]
    run.web = run.settings["FOCUSED_WEB"] or None
    run.judge = run.settings.get("FOCUSED_CLASSIFIER", "model")
    return run


@pytest.fixture
def begun(postgresql: Server) -> Iterator[FleetCrawl]:
    """A named job that another machine has begun; one with other words came in before that was refused."""
    crawl = FleetCrawl(f"topic{next(_numbers)}", "spring", postgresql.address)
    with recording(crawl, **BEGUN):
        pass
    with recording(crawl, worker="w2", **BEGUN | {"FOCUSED_STRATEGY": "breadth_first"}):
        pass
    yield crawl
    drop(postgresql, crawl)


@pytest.mark.parametrize(
    ("settings", "obstacle"),
    [
        ({"FOCUSED_STRATEGY": "breadth_first"}, "its strategy is lpe, not breadth_first"),
        ({"FOCUSED_SEED_SET": ""}, "its seed_set is few, not none"),
        ({"FOCUSED_WEB": ""}, "its web is /a/web.warc.gz, not none"),
        ({"FOCUSED_WEB": "/a/other.warc.gz"}, "its web is /a/web.warc.gz, not /a/other.warc.gz"),
        ({"FOCUSED_CLASSIFIER": "thesaurus"}, "its pages are judged by model or keywords, not by the"),
    ],
)
def test_who_wants_another_crawl_does_not_join(
    tmp_path: Path, begun: FleetCrawl, settings: dict[str, str], obstacle: str
) -> None:
    """A crawl goes on with what it began with, on all machines; nothing is made of it here."""
    with pytest.raises(CrawlError) as caught:
        choose_shared_folder(tmp_path / "crawls", told(begun, **settings), begun.database)
    assert f"job spring of {begun.topic} is another crawl in" in str(caught.value)
    assert obstacle in str(caught.value)
    assert not (tmp_path / "crawls").exists()


def test_a_web_may_lie_elsewhere(tmp_path: Path, begun: FleetCrawl) -> None:
    """Each machine has its own copy of the file."""
    run = told(begun, FOCUSED_WEB="/b/web.warc.gz")
    assert choose_shared_folder(tmp_path, run, begun.database) == tmp_path / begun.topic / "spring"


def test_the_strategy_that_nobody_named(tmp_path: Path, postgresql: Server) -> None:
    """Is one as well."""
    crawl = FleetCrawl(f"topic{next(_numbers)}", "spring", postgresql.address)
    with recording(crawl, FOCUSED_STRATEGY="", FOCUSED_DEFAULT_STRATEGY="lpe"):
        pass
    choose_shared_folder(tmp_path, wanted(crawl.topic, "spring"), crawl.database)
    run = replace(wanted(crawl.topic, "spring"), strategy="breadth_first")
    with pytest.raises(CrawlError, match="its strategy is lpe, not breadth_first"):
        choose_shared_folder(tmp_path, run, crawl.database)
    drop(postgresql, crawl)


@pytest.fixture(params=[STOPPED, "running"])
def forgotten(tmp_path: Path, postgresql: Server, request: pytest.FixtureRequest) -> RunInfo:
    """Job 1, of which the folder is left."""
    run = wanted(f"topic{next(_numbers)}", "1")
    run.totals, run.state, run.database = {"pages": 3}, request.param, shown(postgresql.address)
    folder = tmp_path / run.topic / "1"
    folder.mkdir(parents=True)
    write_run(folder, run)
    return run


def test_the_pages_of_a_forgotten_crawl_stay(tmp_path: Path, forgotten: RunInfo, postgresql: Server) -> None:
    """The same command begins another job; who names the old one is refused."""
    again = replace(forgotten, job="", totals={})
    assert choose_shared_folder(tmp_path, again, postgresql.address) == tmp_path / forgotten.topic / "2"
    assert again.job == "2"
    assert (tmp_path / forgotten.topic / "1/run.json").exists()
    named = replace(forgotten, totals={})
    with pytest.raises(CrawlError, match="has pages, but its crawl was forgotten; choose another job"):
        choose_shared_folder(tmp_path, named, postgresql.address)


def test_a_job_of_another_database_was_not_forgotten(
    tmp_path: Path, forgotten: RunInfo, postgresql: Server
) -> None:
    """It is there."""
    elsewhere = replace(forgotten, database="postgresql://localhost/other")
    with pytest.raises(CrawlError, match=r"its database is .*, not postgresql://localhost/other"):
        choose_shared_folder(tmp_path, elsewhere, postgresql.address)


def test_a_crawl_that_brought_nothing_begins_again(
    tmp_path: Path, forgotten: RunInfo, postgresql: Server
) -> None:
    """There is nothing to lose."""
    write_run(tmp_path / forgotten.topic / "1", replace(forgotten, totals={"pages": 0}))
    again = replace(forgotten, job="")
    choose_shared_folder(tmp_path, again, postgresql.address)
    assert again.job == "1"
