from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from focused_crawler.crawl.journal import COMMIT_PAGES
from tests.crawls.kills import CONCURRENCY, Kill, Ours, run_round
from tests.crawls.processes import SCRAPY
from tests.project import PATIENCE, Done, Running, Scrapy, until

PAGES = 300


class Fork:
    """A command in a fork of a process that has imported all it needs."""

    def __init__(self, running: Running) -> None:
        self._running, self._process = running, psutil.Process(running.pid)
        self._done: Done | None = None

    def poll(self) -> int | None:
        if self._done is None and self._process.status() == psutil.STATUS_ZOMBIE:
            self._done = self._running.wait()
        return None if self._done is None else self._done.code

    def wait(self, _timeout: float = PATIENCE) -> int:
        until(lambda: self.poll() is not None)
        assert self._done is not None
        assert self._done.code <= 0, self._done.err
        return self._done.code

    def send_signal(self, sig: int) -> None:
        self._running.signal(signal.Signals(sig))


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["start", "middle", "stop", "end"])
def test_kill_9_loses_nothing(moment: str, scrapy: Scrapy) -> None:
    """A crawl killed and resumed: the short form of benchmarks/crash.py."""

    class Forked(Ours):
        @contextmanager
        def started(self) -> Iterator[Fork]:
            fork = Fork(scrapy.start(*self.command()[len(SCRAPY) :]))
            try:
                yield fork
            finally:
                if fork.poll() is None:
                    fork.send_signal(signal.SIGKILL)
                    fork.wait()

    kill = Kill(moment, 1.0 if moment == "end" else 0.3, random.Random(moment).uniform(0.0, 0.2))
    outcome = run_round(Forked, PAGES, [kill], latency=0.002)
    assert outcome.kills == 1 or moment == "end"  # the run may be over before that is seen
    assert (outcome.lost, outcome.double, outcome.stuck) == (0, 0, 0)
    assert outcome.refetched <= CONCURRENCY + COMMIT_PAGES
    assert outcome.recorded == PAGES
