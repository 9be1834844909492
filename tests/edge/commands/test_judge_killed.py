"""`scrapy judge` killed with SIGKILL: a crawl is as it was, or is finished by what comes next."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.crawl.judgement_files import finish_judging
from focused_crawler.crawl.judging import TextJudge, record
from focused_crawler.store.job import read_run, run_of, write_run
from focused_crawler.store.judges import several
from focused_crawler.store.opening import change_crawl
from tests.project import Job, Running, Scrapy, crawl, until

PAGES = 60
JUDGE = "SELECT DISTINCT judge FROM runs"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, demo_web: Path, scrapy: Scrapy) -> Path:
    """A crawl judged by its topic's words, as `scrapy judge` writes them."""
    root = tmp_path_factory.mktemp("killed")
    topic, web = root / "astronomy", root / "web.warc.gz"
    topic.mkdir()
    shutil.copy(demo_web.parent / "demo.topics/astronomy/topic.toml", topic)
    web.symlink_to(demo_web)  # by another name: no ground truth lies beside it
    done = scrapy.run(*crawl(topic, root, f"FOCUSED_WEB={web}", job="1", pages=PAGES, profile="offline"))
    assert done.code == 0, done.err
    assert scrapy.run("judge", topic / "1", "--by", "keywords").code == 0
    return topic / "1"


@pytest.fixture
def job(judged: Path, tmp_path: Path) -> Job:
    return Job(shutil.copytree(judged, tmp_path / "astronomy/1"))


def state(job: Job) -> tuple[Any, ...]:
    """All that says what is relevant."""
    lines = [json.loads(line) for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    return (
        job.rows("SELECT url, relevance, is_relevant FROM pages ORDER BY position"),
        job.rows("SELECT value FROM counters WHERE name = 'relevant'"),
        job.rows(JUDGE),
        [(line["url"], line["relevance"], line["is_relevant"], line["judge"]) for line in lines],
        (job.run["judge"], job.run["judged_by"], job.run["totals"]["relevant"]),
    )


def agrees(job: Job) -> bool:
    """Tell whether database, counter, feed and run.json say the same."""
    pages, ((counted,),), ((judge,),), lines, run = state(job)
    relevant = sum(is_relevant for *_, is_relevant in pages)
    assert lines == [(url, relevance, bool(is_it), judge) for url, relevance, is_it in pages]
    assert (counted, run) == (relevant, (judge, judge, relevant))
    return True


def kill(running: Running) -> None:
    os.kill(running.pid, signal.SIGKILL)
    assert running.wait().code == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("finisher", ["judge", "report"])
def test_killed_at_any_moment(finisher: str, job: Job, scrapy: Scrapy) -> None:
    """Before the commit nothing has changed; after it, the next command makes all agree."""
    assert agrees(job)
    before, numbers = state(job), random.Random(finisher)
    ways, committed = ("vsm", "keywords"), 0
    for number in range(6):
        running = scrapy.start("judge", job.folder, "--by", ways[committed % 2])
        old = job.rows(JUDGE)
        if number % 2:
            until(lambda old=old: job.rows(JUDGE) != old, pause=0)  # type: ignore[misc]
        else:
            until(lambda running=running: running.err or running.out or True)  # type: ignore[misc]
            time.sleep(numbers.uniform(0.3, 2.0))
        try:
            kill(running)
        except (AssertionError, ProcessLookupError):
            assert agrees(job)  # it was through
        if job.rows(JUDGE) == old:
            assert state(job) == before
            continue
        committed += 1
        words = ("judge", job.folder, "--by", ways[(committed - 1) % 2])
        done = scrapy.run(*words) if finisher == "judge" else scrapy.run("report", job.folder)
        assert done.code == 0, done.err
        assert agrees(job)
        before = state(job)
    assert committed >= 3


@pytest.mark.parametrize("has_feed", [False, True])
@pytest.mark.parametrize("was_last", [False, True])
def test_what_was_committed_is_written_up(has_feed: bool, was_last: bool, job: Job, scrapy: Scrapy) -> None:
    """Between commit and feed, and between feed and run.json; once all agrees nothing is written again.

    Also where the judge had judged the last pages before, and another one the first.
    """
    run = run_of(job.folder)
    judge = TextJudge.of_crawl(run, {}, "vsm")
    if was_last:
        run.judge, run.judged_by = judge.name, several(run.judge, judge.name)
        write_run(job.folder, run)
    with change_crawl(job.folder) as database:
        record(database, judge.name, judge.pages(database))
        database.commit()
    assert job.run["judged_by"] != judge.name
    if has_feed:
        finish_judging(job.folder)
        write_run(job.folder, run)
    assert scrapy.run("report", job.folder).code == 0
    assert agrees(job)
    assert job.run["judge"] == judge.name
    written = (job.folder / "run.json").stat().st_mtime_ns
    finish_judging(job.folder)
    assert (job.folder / "run.json").stat().st_mtime_ns == written


def test_a_crawl_under_way_is_left_alone(job: Job) -> None:
    """Its own process writes feed and run.json."""
    run = read_run(job.folder)
    assert run is not None
    with change_crawl(job.folder) as database:
        database.execute("UPDATE runs SET judge = 'vsm:00000000'")
        database.commit()
        database.execute("UPDATE runs SET judge = 'vsm:00000001'")  # the write lock is held
        finish_judging(job.folder)
    assert read_run(job.folder) == run
