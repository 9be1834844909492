"""A crawl by a fleet that is killed part by part: its workers, their supervisor, PostgreSQL.

The server is killed with all its processes, and started again on its files after one to three seconds. The
web's own log says whether hosts were left alone, as they ask to be.
"""

from __future__ import annotations

import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import psutil

from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from tests.crawls.kills import HOSTS, Contender, Found, Kill, Means, Process
from tests.crawls.loopback import Hit, Served, WebPlan, write_topic
from tests.crawls.processes import (
    Order,
    begin,
    family,
    kill_all,
    left_by,
    workers_of,
)

WORKERS = 3
DELAY = 0.3  # seconds a host is to be left alone
TOLERANCE = 0.010  # seconds that two hits may be too near: what the way to the server's clock may make
UNWRITTEN = 1.0  # seconds around a kill in which an answer may die with who got it, before it is committed


class Verdict(NamedTuple):
    """What the log of a web says of a crawl's politeness."""

    most_missing: float  # seconds by which the worst gap is too short; below 0: none is
    early: int  # hits that came too soon
    open: int  # hits that came while the one before was still being answered
    refused: int  # hits that were answered by a 429
    forgotten: int  # hits within the Retry-After of a 429 that may have died with who got it


def judge(
    hits: Sequence[Hit], delay: float, delay_of: Callable[[str], float], kills: Sequence[float] = ()
) -> Verdict:
    """Look at every two hits of a host that follow each other.

    After robots.txt `delay` is enough: nobody knows the host's own rule before it is read. After a page the
    host's own counts, and after a 429 its Retry-After: from whoever gets the host next, unless there was one
    of the `kills` at that moment.
    """
    in_order = sorted(hits, key=lambda hit: (hit.host, hit))
    pairs = [(one, two) for one, two in pairwise(in_order) if one.host == two.host]
    missing = [(delay_of(one.host) if one.is_page else delay) - (two.began - one.began) for one, two in pairs]
    hasty = [one for one, two in pairs if one.pause - (two.began - one.ended) > TOLERANCE and one.pause]
    forgotten = [one for one in hasty if any(abs(kill - one.ended) < UNWRITTEN for kill in kills)]
    return Verdict(
        most_missing=max(missing, default=float("-inf")),
        early=sum(seconds > TOLERANCE for seconds in missing) + len(hasty) - len(forgotten),
        open=sum(two.began < one.ended for one, two in pairs),
        refused=sum(hit.pause > 0 for hit in hits),
        forgotten=len(forgotten),
    )


class Fleet(Contender):
    """Some workers under `scrapy fleet`, which starts anew who dies."""

    name = "fleet"
    WHATS = (*("worker",) * 4, *("PostgreSQL",) * 3, "worker stopped", "supervisor", "whole fleet")
    PLAN = WebPlan("SMALL", 300, HOSTS, 0.02, DELAY)
    PATIENCE = 600.0

    def __init__(self, folder: Path, web: Served, means: Means) -> None:
        super().__init__(folder, web, means)
        assert means.server is not None
        self._server = means.server
        self._struck: list[float] = []  # moments, of the clock of the web's log
        self._orphans: list[psutil.Process] = []  # workers whose supervisor was killed
        self._threads: dict[str, threading.Thread] = {}  # until what was hit goes on
        self._order = Order(
            topic=write_topic(folder, web.seed),
            job=folder.name,
            crawls=folder / "crawls",
            arguments={"strategy": "best_first_content_anchor"},
            settings={
                "DOWNLOAD_DELAY": web.plan.delay,
                "CONCURRENT_REQUESTS": 8,
                "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
                "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
            },
            database=self._server.address,
        )

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._rest()
            kill_all(self._orphans)

    def start(self) -> subprocess.Popen[bytes]:
        self._rest()
        return begin(self._order.fleet(WORKERS), self.folder / "fleet.log")

    def wait_for(self, kill: Kill, process: Process) -> None:
        end = time.monotonic() + self.PATIENCE
        while not workers_of(process.pid) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        super().wait_for(kill, process)

    def strike(self, kill: Kill, process: Process) -> bool:
        self._struck.append(time.monotonic())
        if kill.what == "PostgreSQL":
            self._kill_server(kill)
            return False
        workers = [*workers_of(process.pid), *(one for one in self._orphans if one.is_running())]
        if kill.what.startswith("worker"):
            self._hit_worker(kill, workers)
            return False
        self.landed[kill.what] += 1
        if kill.what == "whole fleet":
            kill_all([*family(process.pid), *(one for worker in workers for one in family(worker.pid))])
        else:
            process.send_signal(signal.SIGKILL)
            self._orphans += workers
        self.end_of(process)
        return True

    def abandon(self, process: Process) -> None:
        kill_all(family(process.pid))

    def end_of(self, process: Process) -> int | None:
        """Wait for all that goes on in a fleet that was not killed."""
        code = super().end_of(process)
        if code == 0:
            _, alive = psutil.wait_procs(self._orphans, self.PATIENCE)
            self.stuck += len(alive)
        return code

    def _hit_worker(self, kill: Kill, workers: list[psutil.Process]) -> None:
        if not workers:
            return
        worker = random.Random(kill.delay).choice(workers)
        if kill.what == "worker":
            self.landed[kill.what] += kill_all([worker])
            return
        with suppress(psutil.NoSuchProcess):
            worker.suspend()
            self.landed[kill.what] += 1
            self._later(kill.what, WORKER_SECONDS + kill.seconds, worker.resume)

    def _kill_server(self, kill: Kill) -> None:
        if (thread := self._threads.get(kill.what)) is not None:
            thread.join()
        self._server.kill()
        self.landed[kill.what] += 1
        self._later(kill.what, 1.0 + kill.seconds, self._server.restart)

    def _later(self, what: str, seconds: float, call: Callable[[], None]) -> None:
        def wait() -> None:
            time.sleep(seconds)
            with suppress(psutil.NoSuchProcess):
                call()

        self._threads[what] = threading.Thread(target=wait)
        self._threads[what].start()

    def _rest(self) -> None:
        """Wait until all that was hit goes on."""
        for thread in self._threads.values():
            thread.join()

    def manners(self) -> dict[str, int]:
        hits, plan = self.web.hits.read(), self.web.plan
        found = judge(hits, plan.delay, plan.delay_of, self._struck)
        counts = {"refused": found.refused, "forgotten": found.forgotten}
        return {"hits": len(hits), "hasty": found.early + found.open, **counts}

    def results(self) -> Found:
        return Found.of(left_by(self._order), self.web.reachable())
