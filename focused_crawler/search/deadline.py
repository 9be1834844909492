"""Work that has to end in time, whatever it waits for: a name that is looked up, a byte every second."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return what `work` returns, or raise what it raises; TimeoutError where that takes longer.

    Work that is late goes on in its thread, which nobody waits for, not even the end of the process: whoever
    gives it up has to end what it waits for.
    """
    outcome: Future[Result] = Future()
    Thread(target=_run, args=(work, outcome), daemon=True, name="search").start()
    return outcome.result(seconds)


def _run(work: Callable[[], Result], outcome: Future[Result]) -> None:
    try:
        result = work()
    except BaseException as error:  # not ours to judge: it is raised where it is waited for
        outcome.set_exception(error)
    else:
        outcome.set_result(result)
