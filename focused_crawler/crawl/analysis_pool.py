"""Page analysis in worker processes: same steps and results, delivered in the order of the requests."""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from focused_crawler.crawl.analysis import Analysis, Analyst, Way
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.messages import Messages
from focused_crawler.safety.workers import TaskWorker, WorkerDied, WorkerStuck
from focused_crawler.topic.topic import load_topic

PAGE_SECONDS = 60
"""So long a worker may take for one page. A page of the largest size takes a few, on a busy machine."""
START_SECONDS = 120
_ATTEMPTS = 3
_MOST_STUCK = 2


class Job(NamedTuple):
    """A page to analyse."""

    body: bytes
    url: str
    encoding: str | None  # by the server's header
    way: Way
    nofollow: str | None = None  # by the server's header, too; None: as it is set


class AnalysisPool:
    """Runs an `Analyst` in `processes` processes, for one event loop.

    Pages stay in the worker; a caller that needs one has it parsed again. A strategy that learns must see
    every page in order: its features come back, and are scored here. Only one without features is sent pages.
    """

    def __init__(
        self,
        analyst: Analyst,
        processes: int,
        stuck: Callable[[str], object] = str,
        given_up: Callable[[int], object] = int,
    ) -> None:
        """`stuck` is called with the URL of a page that a worker was ended for: it took too long.

        `given_up` is called where one worker after the other fails to start, with the number of those left.
        """
        self.stuck, self.given_up = stuck, given_up
        self._analyst = analyst
        self._config = replace(analyst.config, named={})  # plain values only
        self._model = analyst.model
        self._workers = [_Worker(self._config) for _ in range(processes)]
        self._retired: list[_Worker] = []  # those that judge by an earlier model
        self._refusal: FocusedCrawlerError | None = None
        self._last: asyncio.Future[None] | None = None

    async def analyse(self, job: Job) -> Analysis:
        """Take all steps for a page; raises UnparsablePage, TaskFailed, WorkerStuck or WorkerDied.

        WorkerStuck: it took too long, in two workers. WorkerDied: several workers ended with this page, or
        one before it. CrawlError: workers do not start,
        or the strategy's path is too long. Calls return, or raise, in the order in which they began.
        """
        before = self._last
        mine = self._last = asyncio.get_running_loop().create_future()
        try:
            answer = await self._answer(job)
        finally:
            try:
                if before is not None and not before.done():
                    await asyncio.wait((before,))
            finally:
                mine.set_result(None)
        if answer is None:
            raise UnparsablePage
        if answer.source is None:
            answer.source = partial(self._analyst.read, *job)
        if not self._analyst.order.learns:
            self._analyst.score(answer)
        return answer

    async def _answer(self, job: Job) -> Analysis | None:
        """Try again when a worker dies, or is stuck: most of its pages did not cause that."""
        died = stuck = 0
        while True:
            worker = self._least_busy()
            try:
                return await worker.ask(job)
            except WorkerStuck:
                if worker.culprit is job:
                    stuck += 1
                    self.stuck(job.url)
                if stuck >= _MOST_STUCK:
                    raise
            except WorkerDied:
                died += worker.has_begun  # else it was not the page
                if died >= _ATTEMPTS:
                    raise

    async def close(self) -> None:
        """End the workers; pages still under way raise WorkerDied."""
        for worker in (*self._workers, *self._retired):
            worker.close()

    def _least_busy(self) -> _Worker:
        """Return a worker; one that died is replaced by a new one, unless several in a row did not start.

        All are where the analyst has another model: each reads it as it starts.
        """
        if self._analyst.model is not self._model:
            self._replace_all()
        renewed = [self._renewed(worker) for worker in self._workers]
        self._workers = [worker for worker in renewed if worker is not None]
        if not self._workers:
            raise CrawlError(
                "the processes of FOCUSED_ANALYSIS_PROCESSES do not start"
                + (f": {self._refusal}" if self._refusal else " (see their errors above); fix that, or use 0")
            ) from self._refusal
        if None in renewed:
            self.given_up(len(self._workers))
        return min(self._workers, key=lambda worker: worker.waiting)

    def _replace_all(self) -> None:
        self._model = self._analyst.model
        self._retired = [worker for worker in (*self._retired, *self._workers) if worker.is_alive]
        self._workers = [_Worker(self._config) for _ in self._workers]
        for worker in self._retired:
            worker.retire()

    def _renewed(self, worker: _Worker) -> _Worker | None:
        """Return a worker that lives, or another in its place; None: none would start there."""
        if worker.is_alive:
            return worker
        self._refusal = worker.refusal or self._refusal
        false_starts = 0 if worker.has_begun else worker.false_starts + 1
        if worker.refusal is not None or false_starts >= _ATTEMPTS:
            return None
        return _Worker(self._config, false_starts)


class _Worker:
    """One process with an `Analyst`; its answers come in the order of the jobs."""

    def __init__(self, config: CrawlConfig, false_starts: int = 0) -> None:
        """`false_starts`: how many before it, in a row, did not begin."""
        self.false_starts = false_starts
        self.tasks = TaskWorker(partial(_begin, config))
        self.is_alive = True
        self.has_begun = False
        self.refusal: FocusedCrawlerError | None = None  # kept it from its start, as it would another
        self.culprit: Job | None = None  # what it was stuck in
        self._waiting: deque[tuple[Job, asyncio.Future[Any]]] = deque()  # oldest first
        self._messages: Messages | None = None  # None: nobody has asked yet
        self._is_retired = False
        self._silent = 0  # seconds for which it was asked and gave no answer
        self._clock: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Return how many jobs it has."""
        return len(self._waiting)

    async def ask(self, job: Job) -> Analysis | None:
        """Return its answer; None: the page cannot be parsed.

        Raises WorkerDied, CrawlError or TaskFailed; WorkerStuck where it gave no answer for too long.
        """
        loop = asyncio.get_running_loop()
        if self._messages is None:
            self._messages = Messages(self.tasks.pipe, self._received, partial(self._end, WorkerDied))
        answer = loop.create_future()
        self._waiting.append((job, answer))
        self._messages.send(partial(_analyse, job))
        if self._clock is None:
            self._silent = 0
            self._clock = loop.call_later(1.0, self._tick)
        found: Analysis | None = await answer
        return found

    def _received(self, message: tuple[Any, Exception | None]) -> None:
        self._silent = 0
        value, error = message
        if not self.has_begun:
            self.has_begun = error is None
            self.refusal = error if isinstance(error, FocusedCrawlerError) else None
            return
        _, answer = self._waiting.popleft()
        if self._is_retired and not self._waiting:
            self.close()
        if answer.done():  # nobody waits any more
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def _tick(self) -> None:
        """End the worker when it has been silent for too long.

        Second by second: where this process is stopped for an hour, that is one of them.
        """
        self._clock = None
        if not self._waiting:
            return
        self._silent += 1
        if self._silent < (PAGE_SECONDS if self.has_begun else START_SECONDS):
            self._clock = asyncio.get_running_loop().call_later(1.0, self._tick)
            return
        self.culprit = self._waiting[0][0] if self.has_begun else None
        self.tasks.kill_at_once()
        self._end(WorkerStuck)

    def _end(self, error: type[WorkerDied]) -> None:
        """Give up what it still has."""
        self.is_alive = False
        if self._clock is not None:
            self._clock.cancel()
        if self._messages is not None:
            self._messages.close()
        while self._waiting:
            _, answer = self._waiting.popleft()
            if not answer.done():
                answer.set_exception(error())

    def retire(self) -> None:
        """End when what it has is done."""
        self._is_retired = True
        if not self._waiting:
            self.close()

    def close(self) -> None:
        self._end(WorkerDied)
        self.tasks.end()


def _begin(config: CrawlConfig) -> Analyst:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the crawl ends its workers when it needs no more
    return Analyst.make(config, load_topic(config.topic))


def _analyse(job: Job, analyst: Analyst) -> Analysis | None:
    """Take all steps for a page; None: it cannot be parsed."""
    try:
        analysis = analyst.classify(*job)
        analyst.partition(analysis)
        analyst.find_links(analysis)
    except UnparsablePage:
        return None
    return analysis
