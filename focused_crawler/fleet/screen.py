"""Where a fleet is shown: live on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Self

from rich.console import Console

from focused_crawler.fleet.reader import FleetReader
from focused_crawler.fleet.status import FleetStatus, WorkerRow, this_machine
from focused_crawler.fleet.terminal import line, view
from focused_crawler.report.live import LiveDisplay

READ_SECONDS = 1.0


class Watch(AbstractContextManager["Watch"]):
    """The thread, from `with` to its end; it owns the reader."""

    def __init__(self, reader: FleetReader) -> None:
        self._reader = reader
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fleet-watch", daemon=True)
        self._failure: BaseException | None = None
        self._latest: FleetStatus | None = None
        self._ours: dict[int, WorkerRow] = {}

    @property
    def latest(self) -> FleetStatus | None:
        """Return what was seen last; raises what broke the thread."""
        if self._failure is not None:
            raise self._failure
        return self._latest

    def brought_page(self, pid: int) -> bool:
        """Tell whether the worker of that process, on this machine, was seen to have recorded a page."""
        return pid in self._ours and self._ours[pid].pages > 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(READ_SECONDS)  # one that waits for a server ends with the process

    def _run(self) -> None:
        try:
            while not self._end.is_set():
                self._read()
                self._end.wait(READ_SECONDS)
        except BaseException as error:  # raised in the thread that asks for the latest
            self._failure = error
        finally:
            self._reader.close()

    def _read(self) -> None:
        self._latest = self._reader.read()
        here = this_machine()
        self._ours.update({one.pid: one for one in self._latest.workers or () if one.machine == here})


class Screen(LiveDisplay[FleetStatus]):
    """The view of a fleet, from the first status to its end."""

    def __init__(self, console: Console, interval: float) -> None:
        """Interval: seconds between two lines, where there is no terminal; 0: none."""
        super().__init__(console, view, line, interval)
        self._last: FleetStatus | None = None

    def show(self, state: FleetStatus) -> None:
        """Show the fleet, if it is time; of what cannot be read now, what was seen last."""
        state = self._completed(state)
        new = [one for one in state.remarks if self._last is None or one not in self._last.remarks]
        self._last = state
        if not self.is_live:
            for remark in new:
                self.say(remark)
        super().show(state)

    def _completed(self, status: FleetStatus) -> FleetStatus:
        if self._last is None:
            return status
        return replace(
            status,
            workers=status.workers if status.workers is not None else self._last.workers,
            frontier=status.frontier or self._last.frontier,
            totals=status.totals or self._last.totals,
        )
