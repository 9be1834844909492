"""The `run.json` of a crawl under way: its time, how far it came, and room to say so on a full disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import FINISHED, RUNNING, RunInfo, read_run, unwritable, write_run

_SPARE = 2**14
"""Bytes kept free beside the run.json of a crawl that runs: on a full disk, too, it says how far it came."""


class RunFile:
    """Keeps a crawl's `run.json`; raises CrawlError where it cannot be read or written."""

    def __init__(self, folder: Path, run: RunInfo) -> None:
        """Read what is there. The time of the run counts from now on."""
        self._folder, self._run = folder, run
        self._earlier = read_run(folder)
        self._spare = folder / "run.json.spare"
        try:
            self._keep_room()
        except OSError as error:
            raise unwritable(self._spare, error) from None
        self.began = time.time()  # seconds since the epoch
        self._clock_began = time.monotonic()
        self.started = self._earlier.started if self._earlier else self.began
        """When the crawl began, which is a part of its identity."""
        self._before = self._earlier.seconds if self._earlier else 0.0

    def by_database(self, started: float, seconds: float | None = None) -> None:
        """Go by what the crawl's database says of it: who begin together have found no run.json.

        `started`: when it began. `seconds`: spent on it until this run began, by anybody; None: as run.json
        has it, where nobody else writes that.
        """
        if self._earlier is None:
            self.started = started
        if seconds is not None:
            self._before = seconds

    @property
    def seconds(self) -> float:
        """Return the time spent crawling, over all runs."""
        return self._before + time.monotonic() - self._clock_began

    @property
    def judged_before(self) -> str:
        """Return what judged pages in the run before; empty if it is the same now, or nobody knows."""
        earlier = self._earlier.judge if self._earlier else ""
        return earlier if earlier != self._run.judge else ""

    @property
    def was_finished(self) -> bool:
        """Tell whether the run before brought the crawl to its end."""
        return self._earlier is not None and self._earlier.state == FINISHED

    def write(self, totals: dict[str, float | None]) -> None:
        """Bring it up to date."""
        self._run.started = self.started
        self._run.ended = time.time()
        self._run.seconds = self.seconds
        self._run.totals = totals
        try:
            write_run(self._folder, self._run)
        except CrawlError:
            if not self._give_room():
                raise
            write_run(self._folder, self._run)
        if self._run.state != RUNNING:
            self._give_room()
        elif not self._spare.exists():
            with suppress(OSError):
                self._keep_room()

    def _keep_room(self) -> None:
        with self._spare.open("wb") as file:
            file.write(bytes(_SPARE))
            file.flush()
            os.fsync(file.fileno())  # some file systems find only now whether there is room

    def _give_room(self) -> bool:
        try:
            self._spare.unlink()
        except OSError:
            return False
        return True
