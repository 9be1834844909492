"""The crawl command, when something in it hangs: a worker, the database, a name server."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.crawls.faults import HANGS, STARTS
from tests.hostile.hosts import SLOW_PAGES
from tests.hostile.real import survive
from tests.hostile.web import HostileWeb
from tests.project import Job, Running, Scrapy, until

WORKERS = "FOCUSED_ANALYSIS_PROCESSES=2"
FAULTS = "tests.crawls.faults"
AT_LAST = 10.0
"""Seconds from the second signal to the end of the process."""


def workers(running: Running) -> list[int]:
    children = psutil.Process(running.pid).children()
    return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]


def wait_for_pages(web: HostileWeb, pages: int) -> None:
    """Wait until so many were asked for, and more than a crawl has out before the first was read."""
    before = web.asked().hits.total()
    until(lambda: web.asked().hits.total() > before + pages)


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.slow
def test_a_page_whose_analysis_never_ends(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Is tried in two workers, fails, and costs no other page; so does a worker that is stopped."""

    def stop_one(running: Running, _: Job) -> None:
        wait_for_pages(web, 3)
        os.kill(workers(running)[0], signal.SIGSTOP)

    before = f"{FAULTS}.endless_analysis"
    survived = survive(web, scrapy, tmp_path, ["slow.test"], WORKERS, before=before, meanwhile=stop_one)
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    assert survived.job.failures == {web.url("slow.test", "/7"): "analysis_timeout"}
    assert len(survived.job.pages) == SLOW_PAGES["slow.test"][0] - 1
    stuck = survived.stats["focused/analysis/stuck"]
    assert stuck in (2, 3)  # 2: the page was in the worker that was stopped
    assert survived.done.err.count("its worker is replaced") == stuck


def test_a_process_that_does_not_start_again(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Is given up after three starts, not begun anew with each page; the other one analyses them all."""

    def kill_one(running: Running, _: Job) -> None:
        wait_for_pages(web, 3)
        os.kill(workers(running)[0], signal.SIGKILL)

    starts = tmp_path / "starts"
    survived = survive(
        web,
        scrapy,
        tmp_path,
        ["slow.test"],
        WORKERS,
        before=f"{FAULTS}.starts_are_counted",
        meanwhile=kill_one,
        environ={STARTS: str(starts)},
    )
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    assert (survived.job.failures, len(survived.job.pages)) == ({}, SLOW_PAGES["slow.test"][0])
    assert len(starts.read_text()) == 2 + 3
    assert survived.stats["focused/analysis/given_up"] == 1
    assert survived.done.err.count("is given up; left: 1") == 1


def hung_worker(web: HostileWeb, running: Running, _: Job) -> None:
    wait_for_pages(web, 20)
    for worker in workers(running):
        os.kill(worker, signal.SIGSTOP)


def hung_database(_: HostileWeb, __: Running, job: Job) -> None:
    until((job.folder.parents[2] / "hangs").exists)


def hung_names(_: HostileWeb, running: Running, __: Job) -> None:
    until(lambda: "Spider opened" in running.err)
    time.sleep(0.5)


@pytest.mark.parametrize(
    ("hang", "host"),
    [(hung_worker, "honest.test"), (hung_database, "honest.test"), (hung_names, "dead.test")],
    ids=["worker", "database", "names"],
)
def test_a_second_signal_ends_what_hangs(
    hang: object, host: str, web: HostileWeb, scrapy: Scrapy, tmp_path: Path
) -> None:
    """In ten seconds, and no worker is left behind."""
    left: list[int] = []
    ended = 0.0

    def interrupt(running: Running, job: Job) -> None:
        nonlocal ended
        hang(web, running, job)  # type: ignore[operator]
        left.extend(workers(running))
        running.signal(signal.SIGINT)
        time.sleep(0.5)
        running.signal(signal.SIGINT)
        ended = time.monotonic() + AT_LAST

    survived = survive(
        web,
        scrapy,
        tmp_path,
        [host],
        "DNS_TIMEOUT=300",
        *([WORKERS] if hang is hung_worker else []),
        before=f"{FAULTS}.{'stuck_database' if hang is hung_database else 'whole_exit'}",
        meanwhile=interrupt,
        environ={HANGS: str(tmp_path / "hangs")},
    )
    assert time.monotonic() < ended
    assert "Traceback" not in survived.done.err
    until(lambda: not any(map(is_running, left)), patience=5)
