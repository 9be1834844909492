"""What can befall the process of a crawl: each is called in it before its command."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from focused_crawler.crawl import analysis_pool, journal
from focused_crawler.crawl.analysis import Analysis, Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.visit import Queued, Visit
from focused_crawler.edge.extensions import session
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.store import rows, sqlite_file
from focused_crawler.store.database import CrawlDatabase

JUMP = "CLOCK_JUMP"
HANGS = "HANGS"
DIES_AT = "DIES_AT"


def few_files() -> None:
    """The limit of many shared servers."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def few_files_for_now() -> None:
    """A limit that a process may raise by itself."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def small_files() -> None:
    """No file may become larger, as with a quota; what is recorded waits for others to be committed with."""
    journal.COMMIT_SECONDS = 1e6
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


def without_privileges() -> None:
    """Let the rights of files bind root, too."""
    nothing = (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of capset(2)
    assert ctypes.CDLL(None).capset(header, nothing) == 0


def impatient() -> None:
    """Wait for another program's transaction for four seconds, not for ten, and leave it time to begin."""
    sqlite_file.BUSY_SECONDS = 4.0
    commit = CrawlDatabase.commit

    def slowly(database: CrawlDatabase) -> None:
        commit(database)
        time.sleep(0.05)

    CrawlDatabase.commit = slowly  # type: ignore[method-assign]


def diligent() -> None:
    """Keep what the strategy has learnt with every five pages."""
    rows.SAVE_PAGES = 5


def dies_with_links() -> None:
    """Die when the links of a page, the one with the number in `DIES_AT`, are committed without it."""
    links, left = Visit.links, iter(range(int(os.environ[DIES_AT]) - 1, -1, -1))

    def last(visit: Visit, *given: Any) -> Queued | None:
        queued = links(visit, *given)
        if next(left) == 0:
            visit.context.recorder.ended(is_alone=True, at_once=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return queued

    Visit.links = last  # type: ignore[method-assign]


def clock_jumps() -> None:
    """Be as many seconds later, or earlier, as the file says whose path the environment has, once there."""
    real, jump = time.time, Path(os.environ[JUMP])
    time.time = lambda: real() + (float(jump.read_text()) if jump.exists() else 0)


def set_clock(jump: Path, seconds: float) -> None:
    """Let the clock of who looks at that file be so many seconds later, or earlier, than it is."""
    replace_file(jump, str(seconds).encode())


def endless_analysis() -> None:
    """Let the analysis of one page never end; it may take five seconds."""
    analysis_pool._analyse = _without_end
    analysis_pool.PAGE_SECONDS = 5


def _without_end(job: analysis_pool.Job, analyst: Analyst) -> Analysis | None:
    if job.url.endswith("/7"):
        time.sleep(1e6)
    return ANALYSE(job, analyst)


ANALYSE = analysis_pool._analyse


STARTS = "STARTS"


def starts_are_counted() -> None:
    """A byte in the file that STARTS names for each process that would analyse; only two come to begin."""
    analysis_pool._begin = _begin_counted


def _begin_counted(config: CrawlConfig) -> Analyst:
    with Path(os.environ[STARTS]).open("a") as file:
        file.write(".")
        file.flush()
        if file.tell() > 2:
            os._exit(1)
    return BEGIN(config)


BEGIN = analysis_pool._begin


def whole_exit() -> None:
    """Wait for threads at the end, as Python does where a command is no fork of a test's server."""
    leave = os._exit

    def exit_whole(code: int) -> NoReturn:
        threading._shutdown()  # type: ignore[attr-defined]
        leave(code)

    os._exit = exit_whole


def stuck_database() -> None:
    """Wait for ever for the database, once it has some pages: its server hangs, or its disk."""
    commit = CrawlDatabase.commit

    def hang(database: CrawlDatabase) -> None:
        commit(database)
        if database.rows("SELECT count(*) FROM pages")[0][0] > 2:
            Path(os.environ[HANGS]).touch()
            _wait_for_ever()

    CrawlDatabase.commit = hang  # type: ignore[method-assign]


def _wait_for_ever() -> None:
    """Wait as C does: no handler of a signal, written in Python, is called meanwhile."""
    libc, semaphore = ctypes.CDLL(None), ctypes.create_string_buffer(64)  # at 0
    while libc.sem_wait(semaphore):  # until a signal interrupts it
        pass


LOOKS = "LOOKS"


class Broken(Strategy):
    """Somebody's own, with an error in it."""

    def score(self, page: Page, links: Sequence[Link]) -> NoReturn:
        raise TypeError("no score")


def looks_are_counted() -> None:
    """A byte in the file that LOOKS names for each look through the database."""
    look = session.foreign_value

    def counted(path: Path) -> str | None:
        with Path(os.environ[LOOKS]).open("a") as file:
            file.write(".")
        return look(path)

    session.foreign_value = counted
