"""Worker processes for tasks that take seconds: each has one at a time, and dies with its parent."""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from types import TracebackType
from typing import Any, Self, TypeAlias

from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.process import settle

Task: TypeAlias = Callable[[], Any]


class TaskFailed(Exception):
    """A task broke in its process. The message is the traceback from there."""


class Pool:
    """So many processes; one process is the caller's own."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._workers: list[_Worker] = []

    def work_off(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield what the tasks return, in the order in which they end; they begin in the order given.

        Raises what a task raises if that is a FocusedCrawlerError, else TaskFailed.
        """
        if self._processes == 1:
            yield from (task() for task in tasks)
            return
        self._workers += [_Worker() for _ in range(min(self._processes, len(tasks)) - len(self._workers))]
        waiting = deque(tasks)
        busy = {}
        for worker in self._workers[: len(tasks)]:
            worker.give(waiting.popleft())
            busy[worker.pipe] = worker
        while busy:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                answer = worker.answer()
                if waiting:
                    worker.give(waiting.popleft())
                else:
                    del busy[worker.pipe]
                yield answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        context = get_context("spawn")  # a fork would share the open files of this process
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.pipe.send(task)

    def answer(self) -> Any:
        """Return what its task returned, or raise what it raised."""
        try:
            value, error = self.pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            raise CrawlError(
                f"a process of the experiment died (exit code {self._process.exitcode}, out of memory?); "
                "the same command goes on from here, with fewer --processes if need be"
            ) from None
        if error is not None:
            raise error
        return value

    def end(self) -> None:
        self._process.kill()  # it has nothing to lose: what it writes appears whole or not at all
        self._process.join()
        self.pipe.close()


def _work(pipe: Connection) -> None:
    """Do one task after the other until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told as well
    Thread(target=_die_with_parent, daemon=True).start()
    settle()
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        pipe.send(_done(task))


def _done(task: Task) -> tuple[Any, Exception | None]:
    try:
        return task(), None
    except FocusedCrawlerError as error:
        return None, error
    except Exception:
        return None, TaskFailed(traceback.format_exc())


def _die_with_parent() -> None:
    """End at once when the parent is killed, and not when the task is done."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
