"""Looks at a fleet again and again in a thread, so that nobody waits for a server that does not answer."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from focused_crawler.fleet.status import FleetStatus, WorkerRow, this_machine

LOOK_SECONDS = 1.0


class Reader(Protocol):
    """Reads the state of a fleet."""

    def read(self) -> FleetStatus:
        """Return the state of now."""

    def close(self) -> None:
        """Let go of the servers."""


class Watch(AbstractContextManager["Watch"]):
    """The thread, from `with` to its end; it owns the reader."""

    def __init__(self, reader: Reader) -> None:
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

    def name_of(self, pid: int) -> str | None:
        """Return the name of the worker of that process, on this machine, if it was seen."""
        return self._ours[pid].name if pid in self._ours else None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join(LOOK_SECONDS)  # one that waits for a server ends with the process

    def _run(self) -> None:
        try:
            while not self._end.is_set():
                self._look()
                self._end.wait(LOOK_SECONDS)
        except BaseException as error:  # raised in the thread that asks for the latest
            self._failure = error
        finally:
            self._reader.close()

    def _look(self) -> None:
        self._latest = self._reader.read()
        here = this_machine()
        self._ours.update({one.pid: one for one in self._latest.workers or () if one.machine == here})
