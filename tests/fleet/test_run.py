from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.run import LocalFleet
from focused_crawler.fleet.screen import Screen
from focused_crawler.fleet.supervisor import Supervisor
from tests.fleet.recorded import drop, new_job, recording
from tests.fleet.test_supervisor import DEAF, READY, lives
from tests.postgresql import Server
from tests.project import until

KILLED_ONCE = """
import os, pathlib, sys
mark = pathlib.Path(sys.argv[1])
if not mark.exists():
    mark.touch()
    os.kill(os.getpid(), 9)
"""


class Machine:
    """One that is part of a fleet; its workers are small scripts."""

    def __init__(self, folder: Path, crawl: FleetCrawl) -> None:
        self.crawl = crawl
        self.said = io.StringIO()
        self.logs = [folder / "worker-1.log", folder / "worker-2.log"]
        self.fleet = LocalFleet(crawl, folder, Screen(Console(file=self.said), 0.0))

    def run(self, script: str, *arguments: str) -> Supervisor:
        return self.fleet.run([sys.executable, "-S", "-c", script, *arguments], os.environ, self.logs)

    def wish(self, words: str, number: signal.Signals) -> threading.Thread:
        """Wish for an end when those words were said, by a worker or by the fleet."""
        thread = threading.Thread(target=self._wish, args=(words, number))
        thread.start()
        return thread

    def _wish(self, words: str, number: signal.Signals) -> None:
        until(lambda: words in self.said.getvalue() or all(_says(log, words) for log in self.logs))
        os.kill(os.getpid(), number)


def _says(log: Path, words: str) -> bool:
    return log.exists() and words in log.read_text()


@pytest.fixture
def machine(tmp_path: Path, postgresql: Server) -> Iterator[Machine]:
    crawl = FleetCrawl("asthma", new_job(), postgresql.address)
    yield Machine(tmp_path, crawl)
    drop(postgresql, crawl)


def test_it_ends_when_all_have_ended(machine: Machine) -> None:
    """And signals mean again what they meant before."""
    before = signal.getsignal(signal.SIGINT)
    supervisor = machine.run(READY)
    assert supervisor.is_done
    assert [seat.last_status for seat in supervisor.seats] == [0, 0]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_wish_asks_and_the_second_kills(machine: Machine, number: signal.Signals) -> None:
    """Whichever way somebody wishes for an end."""
    threads = [machine.wish("ready", number), machine.wish("once more kills them", number)]
    supervisor = machine.run(DEAF)
    for thread in threads:
        thread.join()
    assert [seat.last_status for seat in supervisor.seats] == [-signal.SIGKILL] * 2
    assert supervisor.was_killed
    assert "Killing the workers" in machine.said.getvalue()


def test_no_worker_outlives_what_breaks_here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked to end, and waited for."""
    monkeypatch.setattr(Screen, "show", lambda *_: 1 / (not all(_says(log, "\n") for log in machine.logs)))
    with pytest.raises(ZeroDivisionError):
        machine.run("import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    for log in machine.logs:
        assert not lives(int(log.read_text()))


def test_a_worker_that_dies_before_it_began_is_started_anew(machine: Machine, tmp_path: Path) -> None:
    """That an earlier fleet spent its budget is not that of this one, which no worker has written yet."""
    machine.logs = machine.logs[:1]
    with recording(machine.crawl, FOCUSED_PAGES=2) as recorder:
        recorder.record("r-")
        recorder.end("pages_budget")
    machine.fleet.began = time.time()
    supervisor = machine.run(KILLED_ONCE, str(tmp_path / "mark"))
    assert [seat.last_status for seat in supervisor.seats] == [0]
    assert "nothing is left" not in machine.said.getvalue()
    assert "started anew" in machine.said.getvalue()
