"""What processes there are below one, and the CPU that they took. Linux: it is read from /proc."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
_OFTEN = 0.25  # seconds between two looks


def _fields(pid: int) -> list[str] | None:
    """Return what /proc says of a process after its name; None if it is no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _by_parent() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(path.name))
        if fields is not None:
            found.setdefault(int(fields[1]), []).append(int(path.name))
    return found


def family(pid: int) -> list[int]:
    """Return a process and all below it, parents first."""
    by_parent, found = _by_parent(), [pid]
    for one in found:
        found.extend(by_parent.get(one, ()))
    return found


def children(pid: int) -> list[tuple[int, list[str]]]:
    """Return the children of a process, each with the words of its command."""
    found = []
    for child in _by_parent().get(pid, ()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append((child, Path(f"/proc/{child}/cmdline").read_text("utf-8", "replace").split("\0")))
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time of some processes, with that of their children which have ended."""
    fields = filter(None, map(_fields, pids))
    return sum(sum(map(int, one[11:15])) for one in fields) / TICKS


def kill_all(pids: Iterable[int]) -> int:
    """End processes at once, and return how many there were to end."""
    ended = 0
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            ended += 1
    return ended


Groups = Mapping[str, Callable[[], Iterable[int]]]


class CpuLog:
    """The CPU time of groups of processes, noted every quarter of a second."""

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
            self._times.append(time.time())
            for name, pids in self._groups.items():
                before = self._seen[name][-1] if self._seen[name] else 0.0
                self._seen[name].append(max(before, cpu_seconds(pids())))  # one may have ended

    def between(self, begin: float, end: float) -> dict[str, float]:
        """Return the CPU seconds of each group in a span of time.time()."""
        return {name: self._at(seen, end) - self._at(seen, begin) for name, seen in self._seen.items()}

    def _at(self, seen: list[float], when: float) -> float:
        if not seen:
            return 0.0
        place = bisect_left(self._times, when)
        if place in (0, len(seen)):
            return seen[min(place, len(seen) - 1)]
        first, second = self._times[place - 1 : place + 1]
        share = (when - first) / (second - first)
        return seen[place - 1] + share * (seen[place] - seen[place - 1])
