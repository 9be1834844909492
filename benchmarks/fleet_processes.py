"""What processes there are below one, and the CPU that they took."""

from __future__ import annotations

import contextlib
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import psutil

_OFTEN = 0.5  # seconds between two looks


def family(pid: int) -> list[psutil.Process]:
    """Return a process and all below it, parents first; nothing if it is no more."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the CPU time of some processes, with that of their children which have ended."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def workers_of(supervisor: int) -> list[psutil.Process]:
    """Return the crawls that a supervisor has started and that live."""
    found = []
    for process in family(supervisor)[1:]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.ppid() == supervisor and "crawl" in process.cmdline():
                found.append(process)
    return found


def kill_all(processes: Iterable[psutil.Process]) -> int:
    """End processes at once, and return how many there were to end."""
    ended = 0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
            ended += 1
    return ended


Groups = Mapping[str, Callable[[], Iterable[psutil.Process]]]


class CpuLog:
    """The CPU time of groups of processes, noted twice a second."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._times: list[float] = []
        self._seen: dict[str, list[float]] = {name: [] for name in groups}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Take notes until the block ends."""
        over = threading.Event()
        thread = threading.Thread(target=self._run, args=(over,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _run(self, over: threading.Event) -> None:
        while not over.wait(_OFTEN):
            when = time.time()
            for name, processes in self._groups.items():
                before = self._seen[name][-1] if self._seen[name] else 0.0
                self._seen[name].append(max(before, cpu_seconds(processes())))  # one may have ended
            self._times.append(when)

    def between(self, begin: float, end: float) -> dict[str, float]:
        """Return the CPU seconds of each group in a span of time.time()."""
        return {name: self._at(seen, end) - self._at(seen, begin) for name, seen in self._seen.items()}

    def _at(self, seen: list[float], when: float) -> float:
        times = tuple(self._times)  # more may be noted meanwhile
        if not times:
            return 0.0
        place = bisect_left(times, when)
        if place in (0, len(times)):
            return seen[min(place, len(times) - 1)]
        first, second = times[place - 1 : place + 1]
        share = (when - first) / (second - first)
        return seen[place - 1] + share * (seen[place] - seen[place - 1])
