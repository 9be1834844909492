"""Kinds of crawls by one process, and what hits them: signals, its workers' death, the clock, a full disk.

They run in forks of a process that has imported all they need, so that a start takes a second.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import psutil

from focused_crawler.link_scoring.registry import DEFAULT
from tests.crawls.faults import JUMP, set_clock
from tests.crawls.kills import COMMON, Contender, Found, Kill, Means, Process
from tests.crawls.loopback import Served, write_topic
from tests.crawls.processes import SCRAPY, Order, kill_all, left_by
from tests.project import Running


class Fork:
    """A command in a fork."""

    def __init__(self, running: Running) -> None:
        self._running, self.pid, self._process = running, running.pid, psutil.Process(running.pid)
        self._code: int | None = None

    @property
    def err(self) -> str:
        return self._running.err

    def poll(self) -> int | None:
        if self._code is None and self._process.status() == psutil.STATUS_ZOMBIE:
            self._code = self._running.wait().code
        return self._code

    def send_signal(self, sig: int) -> None:
        self._running.signal(signal.Signals(sig))


class Ours(Contender):
    """The crawl command, by one process."""

    name = "crawl"
    STRATEGY = "best_first_content_anchor"
    SETTINGS: ClassVar[Mapping[str, object]] = {}
    BEFORE = ""

    def __init__(self, folder: Path, web: Served, means: Means) -> None:
        super().__init__(folder, web, means)
        self.jump = folder / "jump"
        self.order = Order(
            topic=write_topic(folder, web.seed),
            job="kills",
            crawls=folder / "crawls",
            arguments={"strategy": self.STRATEGY},
            settings={"FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8", **COMMON, **self.SETTINGS},
        )

    def start(self) -> Fork:
        assert self.means.scrapy is not None
        words = self.order.worker()[len(SCRAPY) :]
        return Fork(self.means.scrapy.start(*words, before=self.BEFORE, environ={JUMP: str(self.jump)}))

    def end_of(self, process: Process) -> int | None:
        assert isinstance(process, Fork)
        code = super().end_of(process)
        self.failed += "Traceback" in process.err
        with (self.folder / "log.txt").open("a") as log:
            log.write(process.err)
        return code

    def results(self) -> Found:
        return Found.of(left_by(self.order), self.web.reachable())


class Learns(Ours):
    """It goes by the default strategy, which learns, and analyses in two processes more."""

    name = "learns"
    STRATEGY = DEFAULT
    SETTINGS: ClassVar = {"FOCUSED_ANALYSIS_PROCESSES": 2}


class Workers(Ours):
    """Its analysis processes die."""

    name = "workers"
    WHATS = ("analysis worker",)
    SETTINGS: ClassVar = {"FOCUSED_ANALYSIS_PROCESSES": 2}

    def strike(self, kill: Kill, process: Process) -> bool:
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(process.pid).children()
            workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
            self.landed[kill.what] += kill_all(
                random.Random(kill.delay).sample(workers, min(1, len(workers)))
            )
        return False


class Pauses(Ours):
    """It is stopped for longer than its leases, and goes on."""

    name = "pauses"
    WHATS = ("SIGSTOP",)
    SETTINGS: ClassVar = {"FOCUSED_LEASE_SECONDS": 1}

    def strike(self, kill: Kill, process: Process) -> bool:
        self.landed[kill.what] += 1
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0 + kill.seconds)
        process.send_signal(signal.SIGCONT)
        return False


class Clock(Ours):
    """The clock jumps, ahead and back, by up to a day."""

    name = "clock"
    WHATS = ("1 hour ahead", "1 hour back", "1 day ahead", "1 day back")
    BEFORE = "tests.crawls.faults.clock_jumps"

    def strike(self, kill: Kill, process: Process) -> bool:
        self.landed[kill.what] += 1
        number, unit, way = kill.what.split()
        seconds = int(number) * {"hour": 3600, "day": 86_400}[unit] * (1 if way == "ahead" else -1)
        set_clock(self.jump, seconds + (float(self.jump.read_text()) if self.jump.exists() else 0))
        return False


class Disk(Ours):
    """Its disk is full: it ends in one line, and goes on when there is room again.

    A disk in memory, where we may mount one; else a limit on the size of files.
    """

    name = "disk"
    WHATS = ("disk full",)
    ROOM = 2**27

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        self.order.crawls.mkdir()
        self._is_mounted = _mount("-t", "tmpfs", "-o", f"size={self.ROOM}", "tmpfs", str(self.order.crawls))
        try:
            yield
        finally:
            if self._is_mounted:
                subprocess.run(["umount", "--lazy", str(self.order.crawls)], check=True)

    def strike(self, kill: Kill, process: Process) -> bool:
        assert isinstance(process, Fork)
        self.landed[kill.what] += 1
        self._fill(process)
        code = self.end_of(process)
        is_told = process.err.rpartition("\nerror: ")[2].count("\n") == 1 and "Traceback" not in process.err
        self.failed += code not in {0, None} and not (
            code in {2, 12} and is_told
        )  # 0: it had nothing more to write
        if self._is_mounted:
            _mount("-o", f"remount,size={self.ROOM}", str(self.order.crawls))
        return True

    def _fill(self, process: Process) -> None:
        if not self._is_mounted:
            largest = max(path.stat().st_size for path in self.order.folder.glob("*"))
            psutil.Process(process.pid).rlimit(psutil.RLIMIT_FSIZE, (largest + 1, psutil.RLIM_INFINITY))
            return
        while process.poll() is None:
            disk = os.statvfs(self.order.crawls)
            used = disk.f_frsize * (disk.f_blocks - disk.f_bfree)
            if _mount("-o", f"remount,size={max(used, disk.f_frsize)}", str(self.order.crawls)):
                return  # else it has written more meanwhile


def _mount(*words: str) -> bool:
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
