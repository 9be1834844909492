from __future__ import annotations

import platform
import threading
import time

import pytest

from focused_crawler.fleet.screen import READ_SECONDS, Watch
from focused_crawler.fleet.status import FleetStatus, WorkerRow
from tests.project import until

OURS = WorkerRow("w", platform.node(), 7, 1.0, 0.1, False, 0, 5, 0, 0.0)
STATUS = FleetStatus(1.0, "asthma", "1", "lpe", "postgresql://db", workers=(OURS,))


class Reads:
    """A reader that a test can hold up, or break."""

    def __init__(self) -> None:
        self.may_go, self.is_closed = threading.Event(), False
        self.failure: Exception | None = None

    def read(self) -> FleetStatus:
        self.may_go.wait()
        if self.failure is not None:
            raise self.failure
        return STATUS

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def reads() -> Reads:
    return Reads()


def test_nobody_waits_for_a_look(reads: Reads) -> None:
    """What a server keeps waiting is the thread; what was seen last stays."""
    with Watch(reads) as watch:
        assert watch.latest is None
        reads.may_go.set()
        until(lambda: watch.latest is STATUS)
    until(lambda: reads.is_closed)


def test_a_thread_that_waits_for_a_server_holds_no_one_up(reads: Reads) -> None:
    """The end does not wait for it."""
    begin = time.monotonic()
    with Watch(reads):
        pass
    assert time.monotonic() - begin < READ_SECONDS + 20  # it waits for ever
    reads.may_go.set()
    until(lambda: reads.is_closed)


def test_what_breaks_the_thread_is_not_lost(reads: Reads) -> None:
    """Who asks for the latest gets it."""
    reads.failure = ZeroDivisionError("ours")
    reads.may_go.set()
    with Watch(reads) as watch:
        with pytest.raises(ZeroDivisionError, match="ours"):
            until(lambda: watch.latest)
        until(lambda: reads.is_closed)


def test_who_has_brought_a_page(reads: Reads) -> None:
    """By the process id, of this machine only."""
    reads.may_go.set()
    with Watch(reads) as watch:
        until(lambda: watch.latest)
        assert watch.brought_page(OURS.pid)
        assert not watch.brought_page(8)
