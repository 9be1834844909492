"""`run.json` of a crawl under way: what the run before has left there, and how far this one has come."""

from __future__ import annotations

import time
from pathlib import Path

from focused_crawler.store.job import FINISHED, RunInfo, read_run, write_run


class RunFile:
    """Keeps a crawl's `run.json`; raises CrawlError where it cannot be read or written."""

    def __init__(self, folder: Path, run: RunInfo) -> None:
        """Read what is there. The time of the run counts from now on."""
        self._folder, self._run = folder, run
        self._earlier = read_run(folder)
        self.began = time.time()  # seconds since the epoch
        self._clock_began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Return the time spent crawling, over all runs."""
        earlier = self._earlier.seconds if self._earlier else 0.0
        return earlier + time.monotonic() - self._clock_began

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
        self._run.started = self._earlier.started if self._earlier else self.began
        self._run.ended = time.time()
        self._run.seconds = self.seconds
        self._run.totals = totals
        write_run(self._folder, self._run)
