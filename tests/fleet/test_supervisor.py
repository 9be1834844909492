from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focused_crawler.crawl.endings import FULL, code_of
from focused_crawler.fleet.supervisor import LONGEST_PAUSE, MOST_DEATHS, Supervisor, free_logs
from focused_crawler.safety.errors import CrawlError
from tests.project import until

READY = "print('ready', flush=True)"
WAITS = f"import time; {READY}; time.sleep(60)"
ENDS_WHEN_ASKED = f"""
import signal, sys, time
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
{READY}
while not asked:
    time.sleep(0.01)  # a signal just before a long sleep would be heard after it
print("asked to end", flush=True)
"""
DEAF = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); {READY}; time.sleep(60)"
WITH_CHILD = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
print("child", child.pid, flush=True)
{READY}
time.sleep(60)
"""


class Fleet:
    """A supervisor of small scripts, with a clock that a test moves on."""

    def __init__(self, folder: Path, script: str, workers: int = 1) -> None:
        self.now = 7000.0
        self.is_over, self.brought_page = False, False
        self.told: list[str] = []
        self.logs = [folder / f"worker-{number}.log" for number in range(1, workers + 1)]
        self.supervisor = Supervisor(
            [sys.executable, "-S", "-c", script],
            self.logs,
            brought_page=lambda _: self.brought_page,
            is_over=lambda: self.is_over,
            tell=self.told.append,
        )

    def check(self) -> None:
        self.supervisor.check(self.now)

    def looks_until(self, condition: Callable[[], object]) -> None:
        def looks() -> object:
            self.check()
            return condition()

        until(looks)

    def said(self, words: str, number: int = 1) -> Callable[[], bool]:
        return lambda: words in self.logs[number - 1].read_text()


Make = Callable[..., Fleet]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Make]:
    made: list[Fleet] = []

    def make(script: str, workers: int = 1) -> Fleet:
        made.append(Fleet(tmp_path, script, workers))
        return made[-1]

    yield make
    for one in made:
        one.supervisor.kill()
        one.looks_until(lambda one=one: one.supervisor.is_done)


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_workers_that_end_well_are_not_started_again(fleet: Make) -> None:
    """The fleet is done when all have ended."""
    four = fleet(READY, workers=4)
    four.looks_until(lambda: four.supervisor.is_done)
    assert [log.read_text() for log in four.logs] == ["ready\n"] * 4
    assert four.told == []
    assert four.supervisor.failure is None


@pytest.mark.parametrize(
    ("end", "words"), [("raise SystemExit(2)", "ended with code 2"), ("os.kill(os.getpid(), 9)", "SIGKILL")]
)
def test_one_that_dies_is_started_anew_after_a_pause(fleet: Make, end: str, words: str) -> None:
    """What it died of is told, with the path of its log."""
    one = fleet(f"import os; print('begins'); print(flush=True); {end}")
    one.looks_until(lambda: one.told)
    assert words in one.told[0]
    assert str(one.logs[0]) in one.told[0]
    one.now += 0.9
    one.check()
    assert one.supervisor.pids == []
    one.now += 0.2
    one.check()
    assert len(one.supervisor.pids) == 1


def test_a_worker_killed_from_outside_comes_back(fleet: Make) -> None:
    """Another process takes its place; the others are left alone."""
    two = fleet(WAITS, workers=2)
    two.looks_until(lambda: all(two.said("ready", number)() for number in (1, 2)))
    first, second = two.supervisor.pids
    os.kill(first, signal.SIGKILL)
    two.looks_until(lambda: two.told)
    two.now += 1.0
    two.looks_until(lambda: len(two.supervisor.pids) == 2)
    assert two.supervisor.pids[1] == second
    assert first not in two.supervisor.pids


def test_pauses_grow_and_the_fleet_is_given_up(fleet: Make) -> None:
    """A worker that dies again and again without a page never will bring one."""
    one = fleet("raise SystemExit(2)")
    pauses = []
    while one.supervisor.failure is None:
        deaths = len(one.told)
        one.looks_until(lambda deaths=deaths: len(one.told) > deaths or one.supervisor.failure)
        if one.supervisor.seats[0].start_at is not None:
            pauses.append(one.supervisor.seats[0].start_at - one.now)
            one.now += pauses[-1]
    assert pauses == [1, 2, 4, 8, 16, *[LONGEST_PAUSE] * (MOST_DEATHS - 6)]
    message = str(one.supervisor.failure)
    assert message.startswith("worker 1 died 10 times within 2 min 31 s without a page")
    assert str(one.logs[0]) in message
    assert one.supervisor.is_done


def test_deaths_between_pages_are_forgiven(fleet: Make) -> None:
    """A worker that brings pages is started anew at once, however often it dies."""
    one = fleet("raise SystemExit(2)")
    one.brought_page = True
    for deaths in range(MOST_DEATHS + 1):
        one.looks_until(lambda deaths=deaths: len(one.told) > deaths)
        assert one.supervisor.seats[0].start_at == one.now + 1.0
        one.now += 1.0
    assert one.supervisor.failure is None


def test_an_error_when_nothing_is_left_is_an_end(fleet: Make) -> None:
    """As where not one page was to be had, or another worker has just brought the last one."""
    one = fleet("raise SystemExit(1)")
    one.is_over = True
    one.looks_until(lambda: one.supervisor.is_done)
    assert one.told == [f"worker 1 ended with code 1; nothing is left; log: {one.logs[0]}"]
    assert one.supervisor.seats[0].last_status == 1


def test_none_is_started_anew_when_nothing_is_left_by_then(fleet: Make) -> None:
    """As where all were told to stop while it paused."""
    one = fleet("raise SystemExit(1)")
    one.looks_until(lambda: one.told)
    one.is_over = True
    one.now += 1.0
    one.check()
    assert one.supervisor.is_done
    assert len(one.told) == 1


def test_one_that_is_full_makes_room_for_another(fleet: Make) -> None:
    """At once, as often as that is: it is no death."""
    one = fleet(f"raise SystemExit({code_of(FULL)})")
    one.looks_until(lambda: len(one.told) == MOST_DEATHS + 1)
    assert set(one.told) == {"worker 1 reached its limit of memory; started anew"}
    assert one.supervisor.failure is None


@pytest.mark.parametrize("reason", ["shutdown", "stagnation", "closespider_errorcount"])
def test_a_worker_that_ends_for_a_reason_is_done(fleet: Make, reason: str) -> None:
    """Whatever its code: another in its place would end so, too."""
    one = fleet(f"raise SystemExit({code_of(reason)})")
    one.looks_until(lambda: one.supervisor.is_done)
    assert one.told == []
    assert one.supervisor.failure is None


@pytest.mark.parametrize("reason", ["storage_failed", "start_error", "wrong_scores"])
def test_a_fault_is_tried_again(fleet: Make, reason: str) -> None:
    """A database may be there again when the next worker comes."""
    one = fleet(f"raise SystemExit({code_of(reason)})")
    one.looks_until(lambda: one.told)
    assert f"ended with code {code_of(reason)}" in one.told[0]
    assert "started anew" in one.told[0]


def test_stop_asks_and_waits(fleet: Make) -> None:
    """Each worker ends what it has begun; who waited for a start is not started any more."""
    one = fleet(ENDS_WHEN_ASKED)
    one.looks_until(one.said("ready"))
    one.supervisor.stop()
    one.looks_until(lambda: one.supervisor.is_done)
    assert one.said("asked to end")()
    assert not one.supervisor.was_killed
    assert one.supervisor.seats[0].last_status == 0


def test_stop_while_one_waits_for_its_start(fleet: Make) -> None:
    """It is not started any more."""
    one = fleet("raise SystemExit(2)")
    one.looks_until(lambda: one.told)
    one.supervisor.stop()
    assert one.supervisor.is_done
    one.now += 100
    one.check()
    assert one.supervisor.pids == []


def test_kill_ends_those_that_do_not_listen(fleet: Make) -> None:
    """The second wish to end is an order."""
    one = fleet(DEAF)
    one.looks_until(one.said("ready"))
    one.supervisor.stop()
    time.sleep(0.05)
    one.check()
    assert len(one.supervisor.pids) == 1
    one.supervisor.kill()
    one.looks_until(lambda: one.supervisor.is_done)
    assert one.supervisor.seats[0].last_status == -signal.SIGKILL
    assert one.supervisor.was_killed


def test_what_a_dead_worker_started_ends_with_it(fleet: Make) -> None:
    """Browsers and processes of analysis do not outlive it."""
    one = fleet(WITH_CHILD)
    one.looks_until(one.said("ready"))
    child = int(one.logs[0].read_text().split()[1])
    assert lives(child)
    os.kill(one.supervisor.pids[0], signal.SIGKILL)
    one.looks_until(lambda: one.told)
    until(lambda: not lives(child))


def test_a_worker_is_out_of_reach_of_the_terminal(fleet: Make) -> None:
    """Ctrl-C reaches the supervisor alone, which tells the workers."""
    one = fleet(WAITS)
    one.looks_until(one.said("ready"))
    (pid,) = one.supervisor.pids
    assert os.getsid(pid) == pid


def test_a_second_fleet_writes_other_logs(fleet: Make, tmp_path: Path) -> None:
    """A log is free again when its worker has ended."""
    two = fleet(WAITS, workers=2)
    two.looks_until(lambda: len(two.supervisor.pids) == 2)
    assert [log.name for log in free_logs(tmp_path, 2)] == ["worker-3.log", "worker-4.log"]
    os.kill(two.supervisor.pids[0], signal.SIGKILL)
    two.looks_until(lambda: two.told)
    assert [log.name for log in free_logs(tmp_path, 2)] == ["worker-1.log", "worker-3.log"]
    with pytest.raises(CrawlError, match=r"worker-1\.log cannot be written"):
        free_logs(tmp_path / "gone", 1)


def test_a_log_that_cannot_be_written_ends_the_fleet(fleet: Make, tmp_path: Path) -> None:
    """In one line that names it."""
    (tmp_path / "worker-1.log").mkdir()
    one = fleet(READY)
    one.check()
    assert one.supervisor.is_done
    assert isinstance(one.supervisor.failure, CrawlError)
    assert "worker-1.log cannot be written" in str(one.supervisor.failure)
