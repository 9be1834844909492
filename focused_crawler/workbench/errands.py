"""Work that takes longer than a person waits for a page: done in a process beside the server."""

from __future__ import annotations

import time
from collections.abc import Hashable
from functools import partial
from threading import Lock, Thread
from typing import Any, NamedTuple

from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.workers import Task, TaskFailed, TaskWorker
from focused_crawler.store.opening import remember_address

PATIENCE_SECONDS = 1.0
"""So long an answer waits for an errand; then the page asks again, or says that something is missing."""
_LOOK_SECONDS = 0.02
MOST_ENDED = 100
"""Outcomes that wait to be asked for; of more, the oldest are forgotten."""
FRESH_SECONDS = 120.0
"""So long they wait: a hidden tab asks once a minute, and after that whoever asks has just begun to."""


class ErrandOutcome(NamedTuple):
    """What an errand came to."""

    value: Any = None
    error: FocusedCrawlerError | None = None


class Errands:
    """Errands of one kind: one at a time, in one process, which is there from the first one on."""

    def __init__(self, address: str = "") -> None:
        """`address`: that of a PostgreSQL database, with its password, for crawls that lie there."""
        self._address = address
        self._lock, self._turn = Lock(), Lock()
        self._worker: TaskWorker | None = None
        self._running: set[Hashable] = set()
        self._ended: dict[Hashable, tuple[float, ErrandOutcome]] = {}  # with when

    def outcome(self, key: Hashable, task: Task) -> ErrandOutcome | None:
        """Return what an errand came to, once; None while it is under way.

        It begins when it is first asked for. `task`: a function that another process can import, with
        arguments that can be pickled.
        """
        with self._lock:
            if key in self._ended:
                ended, outcome = self._ended.pop(key)
                if time.monotonic() - ended < FRESH_SECONDS:
                    return outcome
            if key not in self._running:
                self._running.add(key)
                Thread(target=self._do, args=(key, task), daemon=True).start()
            return None

    def wait_for(self, key: Hashable, task: Task, seconds: float) -> ErrandOutcome | None:
        """Return what an errand came to, as `outcome` does; None: it takes longer than that."""
        end = time.monotonic() + seconds
        while (outcome := self.outcome(key, task)) is None and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
        return outcome

    def _do(self, key: Hashable, task: Task) -> None:
        with self._turn:
            outcome = self._outcome(task)
        with self._lock:
            self._running.discard(key)
            self._ended[key] = time.monotonic(), outcome
            while len(self._ended) > MOST_ENDED:
                del self._ended[next(iter(self._ended))]

    def _outcome(self, task: Task) -> ErrandOutcome:
        try:
            if self._worker is None:
                self._worker = TaskWorker()
                self._worker.send(partial(remember_address, self._address))
                self._worker.answer()
            self._worker.send(task)
            return ErrandOutcome(self._worker.answer())
        except FocusedCrawlerError as error:
            return ErrandOutcome(error=error)
        except Exception as error:  # whatever it is, somebody waits for an outcome
            if self._worker is not None and not isinstance(error, TaskFailed):
                self._worker.end()
                self._worker = None
            last = str(error).strip().rpartition("\n")[2]
            return ErrandOutcome(error=CrawlError(f"that could not be done ({last}); try again"))
