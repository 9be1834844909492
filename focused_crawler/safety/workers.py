"""Worker processes: one way to start and end them, and a pool for tasks that take seconds.

Messages between a worker and its parent are pickles. They travel over a pipe that no other process has open.
"""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, Protocol, Self, TypeAlias
from weakref import WeakSet

from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.formats import end_in_words
from focused_crawler.safety.process import settle

Task: TypeAlias = Callable[..., Any]

MOST_PROCESSES = 256
"""That a user may ask for: each has an interpreter and a model of its own."""


class WorkerDied(Exception):
    """A worker process ended before it answered."""


class WorkerStuck(WorkerDied):
    """A worker process did not answer in time, and was ended."""


class TaskFailed(Exception):
    """A task raised an unexpected error. The message is the traceback from its process."""


class Pool:
    """Runs tasks in `processes` processes; one process is the caller's own."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._workers: list[TaskWorker] = []

    def work_off(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield what the tasks return, in the order in which they end; they begin in the order given.

        Raises what a task raises if that is a FocusedCrawlerError, else TaskFailed. WorkerDied if a process
        dies.
        """
        if self._processes == 1:
            yield from (task() for task in tasks)
            return
        new = min(self._processes, len(tasks)) - len(self._workers)
        self._workers += [TaskWorker() for _ in range(new)]
        waiting = deque(tasks)
        busy: dict[Any, TaskWorker] = {}
        for worker in self._workers[: len(tasks)]:
            worker.send(waiting.popleft())
            busy[worker.pipe] = worker
        while busy:
            for pipe in wait(list(busy)):
                worker = busy[pipe]
                answer = worker.answer()
                if waiting:
                    worker.send(waiting.popleft())
                else:
                    del busy[pipe]
                yield answer

    def in_order(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield what the tasks return, in the order of the tasks; raises as `work_off` does."""
        early: dict[int, Any] = {}
        due = 0
        for number, answer in self.work_off([partial(_numbered, *item) for item in enumerate(tasks)]):
            early[number] = answer
            while due in early:
                yield early.pop(due)
                due += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()


class TaskWorker:
    """A process that does the tasks it is sent, one after the other, in their order.

    It ends with its parent at the latest. Ctrl-C does not end it: the terminal sends that to the parent as
    well, which decides.
    """

    def __init__(self, begin: Task | None = None) -> None:
        """`begin` is called first and returns the argument of all tasks; then comes a first answer, None.

        If it fails, the process ends: with a FocusedCrawlerError as the first answer, or with its traceback.
        """
        context = get_context("spawn")  # a fork would share the sockets, files and threads of this process
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_do_tasks, args=(theirs, begin), daemon=True)
        self.process.start()
        theirs.close()
        kill_in_the_end(self)

    def send(self, task: Task) -> None:
        """Send it a task; where the process has ended, `answer` says so."""
        with suppress(ConnectionError):
            self.pipe.send(task)

    def answer(self) -> Any:
        """Return what its task returned, or raise what it raised."""
        try:
            value, error = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            status = self.process.exitcode or 0
            cause = " (out of memory?)" if status == -signal.SIGKILL else ""
            raise WorkerDied(f"a worker process {end_in_words(status)}{cause}") from None
        if error is not None:
            raise error
        return value

    def kill_at_once(self) -> None:
        """End the process, and do not wait for it."""
        self.process.kill()

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()

    def end(self) -> None:
        self.kill()  # no harm: a task writes its files whole or not at all
        self.pipe.close()


class Killable(Protocol):
    """What stands for processes that this one has started."""

    def kill_at_once(self) -> None:
        """End them, those that are stopped as well; nothing is waited for."""


_started: WeakSet[Killable] = WeakSet()


def kill_in_the_end(processes: Killable) -> None:
    """Let `kill_all` end these as well."""
    _started.add(processes)


def kill_all() -> None:
    """End all that this process has started at once; nothing is waited for."""
    for one in list(_started):
        one.kill_at_once()


def _do_tasks(pipe: Connection[Any, Any], begin: Task | None) -> None:
    """Do one task after the other until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        arguments = () if begin is None else (begin(),)
    except FocusedCrawlerError as error:
        pipe.send((None, error))
        return
    settle()
    with pipe, suppress(EOFError, ConnectionError):
        if begin is not None:
            pipe.send((None, None))
        while True:
            pipe.send_bytes(_outcome(pipe.recv(), *arguments))


def _end_with_parent() -> None:
    """End at once when the parent does, even in the middle of a task."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _outcome(task: Task, *arguments: Any) -> bytes:
    """Return what `recv` makes the result and no error of, or no result and the error."""
    failed: Exception
    try:
        return pickle.dumps((task(*arguments), None), pickle.HIGHEST_PROTOCOL)
    except FocusedCrawlerError as error:
        failed = error
    except Exception:
        failed = TaskFailed(traceback.format_exc())
    return pickle.dumps((None, failed))


def _numbered(number: int, task: Task) -> tuple[int, Any]:
    return number, task()
