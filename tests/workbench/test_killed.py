"""Workbench and crawl, killed at ten moments: nothing is lost, and the other goes on."""

from __future__ import annotations

import random
import signal
import time

import psutil
import pytest

from focused_crawler.store.opening import is_in_use
from tests.project import Job, Running, Scrapy, until
from tests.workbench.bench import Project, Workbench, started

pytestmark = pytest.mark.slow

CRAWL = "/crawls/astronomy/killed"
SLOW = ("-s", "FOCUSED_WEB_LATENCY=0.05")
PAGES = 5_000


def crawling(job: Job) -> list[psutil.Process]:
    """Return the processes of the crawl in a folder that the workbench has started."""
    words = f"FOCUSED_CRAWLS={job.folder.parents[1]}"
    found = [one for one in psutil.process_iter(["cmdline"]) if words in (one.info["cmdline"] or ())]
    return [one for one in found if "crawl" in one.info["cmdline"]]


def pages(job: Job) -> int:
    return job.rows("SELECT coalesce(max(position), 0) FROM pages")[0][0]


def killed(workbench: Workbench) -> None:
    workbench.process.signal(signal.SIGKILL)
    assert workbench.process.wait().code == -signal.SIGKILL


def test_at_ten_moments(scrapy: Scrapy, project: Project) -> None:
    """Each order is obeyed once or known to be late, each page is there once; the other is always found."""
    chance, job = random.Random(20), project.job("astronomy", "killed")
    first = project.crawl(scrapy, "astronomy", "killed", *SLOW, pages=PAGES)
    until(lambda: (job.folder / "run.json").exists() and is_in_use(job.folder) and pages(job))
    given = 0
    workbench = started(scrapy, project)
    try:
        for moment in range(10):
            cookie = workbench.cookie()
            answer = workbench.form(f"{CRAWL}/budget", cookie, pages=str(PAGES + moment))
            assert answer.status == 303, answer.text
            given += 1
            time.sleep(chance.uniform(0.0, 0.5))
            before = pages(job)
            if moment % 3 == 2:
                kill_crawl(job, first)
                assert not is_in_use(job.folder)
                assert "was killed" in workbench.ask(CRAWL, headers={"Cookie": cookie}).text
                answer = workbench.form(f"{CRAWL}/budget", cookie, pages=str(PAGES))
                assert answer.status == 303, answer.text
            else:
                killed(workbench)
                workbench = started(scrapy, project)
                page = workbench.ask(CRAWL, headers={"Cookie": workbench.cookie()})
                assert '<span class="mark now">runs</span>' in page.text
            until(lambda before=before: pages(job) > before)
        cookie = workbench.cookie()
        assert workbench.form(f"{CRAWL}/stop", cookie).status == 303
        until(lambda: not is_in_use(job.folder))
    finally:
        killed(workbench)
    assert job.run["reason"] == "told_to_stop"
    urls = job.rows("SELECT url FROM pages")
    assert len(urls) == len(set(urls)) == pages(job) == job.run["totals"]["pages"]
    orders = job.rows("SELECT what, count(*), count(done_at) FROM orders GROUP BY what ORDER BY what")
    assert orders == [("budget", given, given), ("stop", 1, 1)]
    late = job.rows("SELECT count(*) FROM orders WHERE answer = 'the crawl had ended before'")[0][0]
    assert job.rows("SELECT count(*) FROM decisions WHERE decision = 'order'") == [(given + 1 - late,)]


def kill_crawl(job: Job, first: Running) -> None:
    """Kill the process that crawls: the first one is a test's own, the others the workbench's."""
    if found := crawling(job):
        for process in found:
            process.kill()
    else:
        first.signal(signal.SIGKILL)
        first.wait()
    until(lambda: not is_in_use(job.folder))
