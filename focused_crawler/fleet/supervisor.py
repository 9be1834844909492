"""Workers of a fleet on this machine: starts them, starts anew what dies, ends them. Plain Python."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import BinaryIO

from focused_crawler.crawl.endings import FULL, code_of, is_end
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import duration, end_in_words, plural
from focused_crawler.store.job import unwritable

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds until a worker that died is started anew: doubled by each death without a page between."""

MOST_DEATHS, DEATHS_SECONDS = 10, 300.0
"""A worker that dies so often in so many seconds, and never brings a page, ends the fleet."""


@dataclass(slots=True)
class Seat:
    """The seat of one worker: its process, or when the next one is to be started."""

    number: int
    log: Path
    process: subprocess.Popen[bytes] | None = None
    start_at: float | None = 0.0  # by the caller's clock; None: nothing more is to be started
    started: float = 0.0
    deaths: deque[float] = field(default_factory=deque)  # since the last page, within `DEATHS_SECONDS`
    last_status: int | None = None  # of the process that ended last

    @property
    def pause(self) -> float:
        """Seconds until the next start."""
        return min(FIRST_PAUSE * 2.0 ** (len(self.deaths) - 1), LONGEST_PAUSE)


class Supervisor:
    """Each worker is a process in a session of its own: no signal of this terminal reaches it but by us."""

    def __init__(
        self,
        command: Sequence[str],
        logs: Sequence[Path],
        *,
        environment: Mapping[str, str] | None = None,
        brought_page: Callable[[int], bool],
        is_over: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        """One worker a log. `brought_page`: whether the process of that id has recorded a page.

        `is_over`: whether a worker that ended with an error had, or would have, nothing left to do; raises
        CrawlError where no worker could do anything. `tell`: takes one line about each death.
        """
        self._command = command
        self._environment = environment
        self._brought_page = brought_page
        self._is_over, self._tell = is_over, tell
        self.seats = [Seat(number, log) for number, log in enumerate(logs, 1)]
        self.is_stopping = self.was_killed = False
        self.ended: set[int] = set()  # processes that have ended
        self.failure: CrawlError | None = None  # why the fleet was given up

    @property
    def is_done(self) -> bool:
        """Tell whether no worker runs and none is to be started."""
        return all(seat.process is None and seat.start_at is None for seat in self.seats)

    @property
    def pids(self) -> list[int]:
        """Return the ids of the processes that run."""
        return [seat.process.pid for seat in self.seats if seat.process is not None]

    def check(self, now: float) -> None:
        """Take note of who has ended, and start who is due. `now`: seconds of a clock that goes evenly."""
        for seat in self.seats:
            if seat.process is not None and _has_ended(seat.process.pid):
                self._ended(seat, seat.process, now)
            if seat.process is None and seat.start_at is not None and now >= seat.start_at:
                if seat.last_status is not None and self._is_over():  # since it ended
                    seat.start_at = None
                else:
                    self._start(seat, now)

    def stop(self) -> None:
        """Ask all workers to end the pages they have, and start none any more."""
        self.is_stopping = True
        for seat in self.seats:
            seat.start_at = None
            if seat.process is not None:
                with suppress(ProcessLookupError):
                    os.kill(seat.process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End all workers, and what they started, at once: what they were fetching is fetched again later."""
        self.was_killed = self.was_killed or bool(self.pids)
        self.stop()
        for pid in self.pids:
            _end_group(pid)

    def _start(self, seat: Seat, now: float) -> None:
        try:
            with seat.log.open("ab") as log:
                _lock(log)
                seat.process = subprocess.Popen(  # noqa: S603 - a command of ours, no shell
                    self._command,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            seat.start_at = None
            self._give_up(unwritable(seat.log, error))
            return
        seat.started, seat.start_at = now, None

    def _ended(self, seat: Seat, process: subprocess.Popen[bytes], now: float) -> None:
        _end_group(process.pid)  # browsers and analysis processes of a worker that was killed
        seat.last_status, seat.process = process.wait(), None
        self.ended.add(process.pid)
        if self.is_stopping:
            return
        if seat.last_status == code_of(FULL):
            seat.start_at = now
            self._tell(f"worker {seat.number} reached its limit of memory; started anew")
            return
        if is_end(seat.last_status):
            return
        if self._is_over():
            self._tell(
                f"worker {seat.number} {end_in_words(seat.last_status)}; nothing is left; log: {seat.log}"
            )
            return
        if self._brought_page(process.pid):
            seat.deaths.clear()
        seat.deaths.append(now)
        while seat.deaths[0] < now - DEATHS_SECONDS:
            seat.deaths.popleft()
        if len(seat.deaths) >= MOST_DEATHS:
            self._give_up(_hopeless(seat, now))
            return
        seat.start_at = now + seat.pause
        self._tell(
            f"worker {seat.number} {end_in_words(seat.last_status)} after {duration(now - seat.started)};"
            f" started anew in {duration(seat.pause)}; log: {seat.log}"
        )

    def _give_up(self, error: CrawlError) -> None:
        self.failure = self.failure or error
        self.stop()


def free_logs(folder: Path, workers: int) -> list[Path]:
    """Return logs that no worker on this machine writes, of the lowest numbers; raises CrawlError."""
    logs: list[Path] = []
    for number in count(1):
        log = folder / f"worker-{number}.log"
        try:
            with log.open("ab") as file:
                logs += [log] if _lock(file) else []
        except OSError as error:
            raise unwritable(log, error) from None
        if len(logs) == workers:
            break
    return logs


def _lock(log: BinaryIO) -> bool:
    """Lock a log for as long as this process, or one that is given the open file, has it open."""
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _hopeless(seat: Seat, now: float) -> CrawlError:
    times, seconds = plural(len(seat.deaths), "time"), duration(now - seat.deaths[0])
    return CrawlError(
        f"worker {seat.number} died {times} within {seconds} without a page, the last time it"
        f" {end_in_words(seat.last_status or 0)}; read {seat.log}, repair it and give the same command again"
    )


def _has_ended(pid: int) -> bool:
    """Tell whether a child has ended; it keeps its id until it is waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end_group(pid: int) -> None:
    """Kill the processes of a worker's group; its id is still its own as nobody has waited for it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
