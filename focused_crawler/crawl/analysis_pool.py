"""Page analysis in worker processes: same steps and results, delivered in the order of the requests."""

from __future__ import annotations

import asyncio
import pickle
import signal
import socket
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import replace
from functools import partial
from struct import Struct
from typing import NamedTuple, TypeAlias

from focused_crawler.crawl.analysis import Analysis, Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.process import settle
from focused_crawler.safety.workers import WorkerDied, WorkerProcess
from focused_crawler.topic.topic import load_topic

Answer: TypeAlias = Analysis | CrawlError | str | None
"""An analysis; what ends the crawl; the traceback of what broke; None: the page cannot be parsed."""

_ATTEMPTS = 3
_LENGTH = Struct("!I")
_READY = b"ready"


class AnalysisFailed(Exception):
    """A step failed on a page, most likely in the strategy. The message is the worker's traceback."""


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

    def __init__(self, analyst: Analyst, processes: int) -> None:
        self._analyst = analyst
        self._config = replace(analyst.config, named={})  # plain values only
        self._workers = [_Worker(self._config) for _ in range(processes)]
        self._false_starts = 0
        self._last: asyncio.Future[None] | None = None

    async def analyse(self, job: Job) -> Analysis:
        """Take all steps for a page; raises UnparsablePage, AnalysisFailed or WorkerDied.

        WorkerDied: several workers ended with this page, or one before it. CrawlError: workers do not start,
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
        if isinstance(answer, Analysis):
            if answer.source is None:
                answer.source = partial(self._analyst.read, *job)
            return answer
        if isinstance(answer, CrawlError):
            raise answer
        raise UnparsablePage if answer is None else AnalysisFailed(answer)

    async def _answer(self, job: Job) -> Answer:
        """Try again when a worker dies: most of its pages did not cause that."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(WorkerDied):
                return await self._least_busy().ask(job)
        return await self._least_busy().ask(job)

    async def close(self) -> None:
        """End the workers; pages still under way raise WorkerDied."""
        for worker in self._workers:
            await worker.close()

    def _least_busy(self) -> _Worker:
        """Return a worker; one that died is replaced by a new one."""
        self._false_starts += sum(not (worker.is_alive or worker.has_begun) for worker in self._workers)
        if self._false_starts >= _ATTEMPTS:
            raise CrawlError(
                "the processes of FOCUSED_ANALYSIS_PROCESSES do not start (see their errors above); "
                "fix that, or use 0"
            )
        self._workers = [worker if worker.is_alive else _Worker(self._config) for worker in self._workers]
        return min(self._workers, key=lambda worker: len(worker.waiting))


class _Worker:
    """One process and the socket to it; its answers come in the order of the jobs."""

    def __init__(self, config: CrawlConfig) -> None:
        self.process = WorkerProcess(work, config)
        self.is_alive = True
        self.has_begun = False  # it has reported that it is ready
        self.waiting: deque[asyncio.Future[Answer]] = deque()
        self._reading: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._unsent: list[bytes] = []

    def ask(self, job: Job) -> asyncio.Future[Answer]:
        """Return the future of its answer."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read())
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        self._send(pickle.dumps(tuple(job), pickle.HIGHEST_PROTOCOL))
        return answer

    async def close(self) -> None:
        self.process.kill()
        if self._reading is None:
            self.process.channel.close()
        else:
            await self._reading

    def _send(self, message: bytes) -> None:
        if self._writer is None:
            self._unsent += (_LENGTH.pack(len(message)), message)
        else:
            self._writer.writelines((_LENGTH.pack(len(message)), message))

    async def _read(self) -> None:
        """Hand out answers until the process ends."""
        reader, self._writer = await asyncio.open_connection(sock=self.process.channel, limit=2**20)
        self._writer.writelines(self._unsent)
        self._unsent.clear()
        try:
            await reader.readexactly(len(_READY))
            self.has_begun = True
            while True:
                (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
                message = await reader.readexactly(length)
                answer = self.waiting.popleft()
                if not answer.done():
                    answer.set_result(pickle.loads(message))  # noqa: S301  (from our own worker, never from a page)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.is_alive = False
            for answer in self.waiting:
                if not answer.done():
                    answer.set_exception(WorkerDied())
            self.waiting.clear()
            self._writer.close()
            with suppress(ConnectionError):
                await self._writer.wait_closed()


def work(channel: socket.socket, config: CrawlConfig) -> None:
    """Answer until the other end closes, as it does when the crawl ends or dies."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the crawl ends its workers when it needs no more
    analyst = Analyst.make(config, load_topic(config.topic))
    settle()
    with suppress(ConnectionError), channel, channel.makefile("rwb") as stream:
        stream.write(_READY)
        stream.flush()
        while header := stream.read(_LENGTH.size):
            job = Job(*pickle.loads(stream.read(*_LENGTH.unpack(header))))  # noqa: S301  (from our own crawl)
            message = pickle.dumps(_answer(analyst, job), pickle.HIGHEST_PROTOCOL)
            stream.write(_LENGTH.pack(len(message)) + message)
            stream.flush()


def _answer(analyst: Analyst, job: Job) -> Answer:
    try:
        analysis = analyst.classify(*job)
        analyst.partition(analysis)
        if not analyst.learns:
            analyst.score(analysis)
            analysis.source = None
    except UnparsablePage:
        return None
    except CrawlError as error:
        return error
    except Exception:
        return traceback.format_exc()
    return analysis
