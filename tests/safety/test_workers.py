"""Worker processes and their pool."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.workers import Pool, Task, TaskFailed, WorkerDied


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as two:
        yield two


def test_tasks_are_done_in_processes(pool: Pool) -> None:
    """All of them, whichever ends first; the processes go on to the next."""
    assert sorted(pool.work_off([partial(pow, 2, number) for number in range(20)])) == [
        2**n for n in range(20)
    ]
    used = set(pool.work_off([os.getpid] * 10))
    assert os.getpid() not in used
    assert len(used) <= 2
    assert list(pool.work_off([])) == []


def refuse() -> None:
    raise ConfigError("one line")


def test_what_a_task_raises_is_raised_here(pool: Pool) -> None:
    """What a user can mend as it is, anything else with the traceback from there."""
    with pytest.raises(ConfigError, match="one line"):
        list(pool.work_off([refuse]))
    with pytest.raises(TaskFailed, match="ZeroDivisionError"):
        list(pool.work_off([partial(divmod, 1, 0)]))


def test_a_result_that_cannot_be_sent_fails_its_task(pool: Pool) -> None:
    """The process goes on to the next."""
    with pytest.raises(TaskFailed, match="pickle"):
        list(pool.work_off([threading.Lock]))
    assert list(pool.work_off([partial(pow, 2, 3)])) == [8]


def kill(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (partial(os._exit, 9), r"ended with code 9"),
        (partial(kill, signal.SIGTERM), r"was killed by SIGTERM"),
        (partial(kill, signal.SIGKILL), r"was killed by SIGKILL \(out of memory\?\)"),
    ],
)
def test_a_process_that_dies_ends_in_one_line(end: Task, said: str) -> None:
    """Which says how; a system that wants its memory back kills."""
    with Pool(2) as pool, pytest.raises(WorkerDied, match=f"^a worker process {said}$"):
        list(pool.work_off([end]))


def test_a_process_that_died_between_two_tasks() -> None:
    """It is no reader of the output who has had enough: that ends a command without a word."""
    with Pool(2) as pool:
        for process in set(pool.work_off([os.getpid] * 4)):
            os.kill(process, signal.SIGKILL)
        time.sleep(0.2)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            list(pool.work_off([os.getpid] * 4))


def test_answers_come_in_the_order_of_the_tasks(pool: Pool) -> None:
    """Also where a later task ends first."""
    tasks = [partial(sleep_and_return, seconds) for seconds in (0.3, 0.0, 0.1, 0.0)]
    assert list(pool.in_order(tasks)) == [0.3, 0.0, 0.1, 0.0]


def sleep_and_return(seconds: float) -> float:
    time.sleep(seconds)
    return seconds
