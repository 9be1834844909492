"""What can befall the process of a crawl: each is called in it before its command."""

from __future__ import annotations

import ctypes
import os
import resource
import time
from pathlib import Path

from focused_crawler.store import rows, sqlite_file
from focused_crawler.store.database import CrawlDatabase

JUMP = "CLOCK_JUMP"


def few_files() -> None:
    """The limit of many shared servers."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def few_files_for_now() -> None:
    """A limit that a process may raise by itself."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def small_files() -> None:
    """No file may become larger, as with a quota."""
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


def clock_jumps_back() -> None:
    """Be an hour earlier as soon as the file is there whose path the environment has."""
    real, sign = time.time, Path(os.environ[JUMP])
    time.time = lambda: real() - (3600 if sign.exists() else 0)
