"""What work takes: CPU and seconds, and memory. It loads nothing that would be counted with it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Meter:
    """CPU seconds of this process, or of those asked for, and seconds by the clock, of what runs within."""

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0
        self.urls = 0

    @contextmanager
    def running(self, urls: int = 0, cpu_clock: Callable[[], float] = time.process_time) -> Iterator[None]:
        """Add what the block takes; it is the work on so many URLs."""
        wall, cpu = time.perf_counter(), cpu_clock()
        yield
        self.cpu += cpu_clock() - cpu
        self.wall += time.perf_counter() - wall
        self.urls += urls

    def count(self, cpu: float, wall: float, urls: int) -> None:
        """Add what another process took."""
        self.cpu, self.wall, self.urls = self.cpu + cpu, self.wall + wall, self.urls + urls

    @property
    def us(self) -> float:
        """Return microseconds of CPU a URL."""
        return 1e6 * self.cpu / self.urls

    @property
    def wall_us(self) -> float:
        """Return microseconds a URL by the clock."""
        return 1e6 * self.wall / self.urls

    @property
    def per_second(self) -> float:
        """Return URLs a second of CPU."""
        return self.urls / self.cpu

    @property
    def wall_per_second(self) -> float:
        """Return URLs a second by the clock."""
        return self.urls / self.wall


def cpu_times(call: Callable[[], object], rounds: int) -> list[float]:
    """Return the CPU seconds of each of some calls."""
    meters = [Meter() for _ in range(rounds)]
    for meter in meters:
        with meter.running():
            call()
    return [meter.cpu for meter in meters]


def peak_mib() -> float:
    """Return the most memory that this process ever had, as the kernel counts it (VmHWM)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
