"""Page analysis in worker processes: same steps and results, delivered in the order of the requests."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from focused_crawler.crawl.analysis import Analysis, Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
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
    depth: int
    path: bytes | None = None  # of its lease


class AnalysisPool:
    """Runs an `Analyst` in `processes` processes, for one event loop.

    Pages stay in the worker; a caller that needs one has it parsed again. A strategy that learns must see
    every page in order: then the pages are sent back, and `followed` stays None.
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
        self._workers = [_Worker(self._config) for _ in range(processes)]
        self._refusal: BaseException | None = None
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
                if before is not None:
                    await asyncio.wait((before,))
            finally:
                mine.set_result(None)
        if answer is None:
            raise UnparsablePage
        if answer.source is None:
            answer.source = partial(self._analyst.read, *job)
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
        for worker in self._workers:
            worker.close()

    def _least_busy(self) -> _Worker:
        """Return a worker; one that died is replaced by a new one, unless several in a row did not start."""
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
        self.culprit: Job | None = None  # what it was stuck in
        self._waiting: dict[asyncio.Future[Any], Job] = {}  # oldest first
        self._answers = 0
        self._sending, self._receiving = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._ready = self._receiving.submit(self.tasks.answer)

    @property
    def has_begun(self) -> bool:
        """Tell whether it has reported that it is ready."""
        return self._ready.done() and self._ready.exception() is None

    @property
    def refusal(self) -> BaseException | None:
        """Return the error of a user that kept it from its start: another would end in the same way."""
        error = self._ready.exception() if self._ready.done() else None
        return error if isinstance(error, FocusedCrawlerError) else None

    @property
    def waiting(self) -> int:
        """Return how many jobs it has."""
        return len(self._waiting)

    async def ask(self, job: Job) -> Analysis | None:
        """Return its answer; None: the page cannot be parsed.

        Raises WorkerDied, CrawlError or TaskFailed; WorkerStuck where it gave no answer for too long.
        """
        self._sending.submit(self.tasks.pipe.send, partial(_analyse, job))
        answer = asyncio.wrap_future(self._receiving.submit(self.tasks.answer))
        self._waiting[answer] = job
        answer.add_done_callback(self._answered)  # it is received, whoever waits for it
        while self.is_alive and not answer.done():
            await self._wait(answer)
        if not answer.done():
            raise WorkerStuck
        try:
            found: Analysis | None = answer.result()
        except WorkerDied:
            if not self.is_alive:
                raise WorkerStuck from None
            self.is_alive = False
            raise
        return found

    async def _wait(self, answer: asyncio.Future[Any]) -> None:
        """Wait for an answer until the worker has been silent for too long: it is ended then.

        Second by second: where this process is stopped for an hour, that is one of them.
        """
        before = self._heard
        for _ in range(PAGE_SECONDS if self.has_begun else START_SECONDS):
            await asyncio.wait((answer,), timeout=1.0)
            if answer.done() or not self.is_alive or self._heard != before:
                return
        self.is_alive = False
        self.culprit = next(iter(self._waiting.values())) if self.has_begun else None
        self.tasks.process.kill()

    @property
    def _heard(self) -> tuple[int, bool]:
        return self._answers, self.has_begun

    def _answered(self, answer: asyncio.Future[Any]) -> None:
        self._answers += 1
        self._waiting.pop(answer, None)
        if not answer.cancelled():
            answer.exception()  # so that it is not logged where nobody waits any more

    def close(self) -> None:
        self.tasks.kill()
        self._sending.shutdown(cancel_futures=True)
        self._receiving.shutdown()
        self.tasks.end()


def _begin(config: CrawlConfig) -> Analyst:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the crawl ends its workers when it needs no more
    return Analyst.make(config, load_topic(config.topic))


def _analyse(job: Job, analyst: Analyst) -> Analysis | None:
    """Take all steps for a page; None: it cannot be parsed."""
    try:
        analysis = analyst.classify(*job)
        analyst.partition(analysis)
        if not analyst.learns:
            analyst.score(analysis)
            analysis.source = None
    except UnparsablePage:
        return None
    return analysis
