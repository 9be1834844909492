"""A command of the project that takes a while, in a process of its own: it goes on if the workbench ends.

What it is, its log, and how far it has got lie in a folder beside what it makes, so that every workbench sees
it. The process holds a lock there for as long as it lives: there is one at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from focused_crawler.crawl.command import ADDRESS, project_command
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.printable import place
from focused_crawler.safety.progress import HowFar, how_far
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.store.opening import full_address

FOLDER = ".job"
LOCK, LOG, PROGRESS, ABOUT = "lock", "log", "progress.json", "job.json"
MOST_LINES = 60
_MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class StartedJob:
    """A command that runs, or the last one that did."""

    what: str  # in words
    started: float  # seconds since the epoch
    is_running: bool
    far: HowFar | None
    lines: tuple[str, ...]  # that it has printed, the last ones

    @property
    def error(self) -> str:
        """Return the line that it ended with; empty: none."""
        errors = [line for line in self.lines if line.startswith("error: ")]
        return "" if self.is_running or not errors else errors[-1].removeprefix("error: ")


def start(folder: Path, what: str, words: Sequence[str], settings: Mapping[str, object]) -> None:
    """Start `scrapy WORDS --progress FILE`; raises CrawlError while one runs in this folder."""
    own = folder / FOLDER
    try:
        own.mkdir(parents=True, exist_ok=True)
        lock = os.open(own / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unwritable(own, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _begin(own, lock, what, [*words, "--progress", str((own / PROGRESS).absolute())], settings)
    except BlockingIOError:
        running = read(folder)
        raise CrawlError(f"{running.what if running else 'a job'} is under way; wait for its end") from None
    except OSError as error:
        raise _unwritable(own, error) from None
    finally:
        os.close(lock)


def _unwritable(folder: Path, error: OSError) -> CrawlError:
    why = f"{place(folder)} cannot be written to ({error.strerror})"
    return CrawlError(f"{why}; free its folder or disk, and try again")


def read(folder: Path) -> StartedJob | None:
    """Return the job of a folder that runs, or the last one; None: there was none."""
    own = folder / FOLDER
    try:
        about = json.loads((own / ABOUT).read_bytes())
        with (own / LOG).open("rb") as file:
            file.seek(max(0, (own / LOG).stat().st_size - _MOST_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
        what, started = str(about["what"]), float(about["started"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    shown = tuple(line for line in lines if line.strip())[-MOST_LINES:]
    return StartedJob(what, started, _is_locked(own / LOCK), how_far(own / PROGRESS), shown)


def _begin(own: Path, lock: int, what: str, words: Sequence[str], settings: Mapping[str, object]) -> None:
    (own / PROGRESS).unlink(missing_ok=True)
    replace_file(own / ABOUT, json.dumps({"what": what, "started": time.time()}).encode())
    secret = {ADDRESS: full_address(str(settings[ADDRESS]))} if settings.get(ADDRESS) else {}
    with (own / LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own words
            project_command(words, settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **secret, "COLUMNS": "100"},
            pass_fds=(lock,),
            start_new_session=True,
        )
    Thread(target=process.wait, name=f"waits for {process.pid}", daemon=True).start()  # or it stays a zombie


def _is_locked(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
