"""Page analysis in worker processes: same steps, same results, delivered in the order of asking."""

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
from multiprocessing import get_context
from struct import Struct
from typing import NamedTuple, TypeAlias

from focused_crawler.crawl.analysis import Analysis, Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.process import settle
from focused_crawler.topic.topic import load_topic

Answer: TypeAlias = Analysis | CrawlError | str | None
"""An analysis; what ends the crawl; the traceback of what broke; None: the page cannot be parsed."""

_ATTEMPTS = 3
_LENGTH = Struct("!I")
_READY = b"ready"


class WorkerDied(Exception):
    """Worker process after worker process ended with this page, or one before it, in its hands."""


class AnalysisFailed(Exception):
    """A step broke on a page: the strategy, most likely. The message is the worker's traceback."""


class Job(NamedTuple):
    """A page to analyse."""

    body: bytes
    url: str
    encoding: str | None  # what the server said
    depth: int
    path: bytes | None = None  # what its lease carries


class AnalysisPool:
    """Runs an `Analyst` in so many processes; lives within one event loop.

    Pages stay behind: who asks for one has it read once more. A strategy that learns must see every page, in
    order: for it they come along, and `followed` stays None.
    """

    def __init__(self, analyst: Analyst, processes: int) -> None:
        self._analyst = analyst
        self._config = replace(analyst.config, named={})  # plain values only
        self._workers = [_Worker(self._config) for _ in range(processes)]
        self._false_starts = 0
        self._last: asyncio.Future[None] | None = None

    async def analyse(self, job: Job) -> Analysis:
        """Take all steps for a page; raises UnparsablePage, AnalysisFailed or WorkerDied.

        CrawlError: workers do not even start, or the strategy notes too much.

        Calls return, or raise, in the order in which they began.
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
        """Ask again when a worker dies: most pages it had were not what killed it."""
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
                "the processes of FOCUSED_ANALYSIS_PROCESSES do not start (their own words stand above); "
                "mend that, or use 0"
            )
        self._workers = [worker if worker.is_alive else _Worker(self._config) for worker in self._workers]
        return min(self._workers, key=lambda worker: len(worker.waiting))


class _Worker:
    """One process and the socket to it; its answers come in the order of the questions."""

    def __init__(self, config: CrawlConfig) -> None:
        context = get_context("spawn")  # a fork would share the sockets and threads of this process
        self._socket, theirs = socket.socketpair()
        self._process = context.Process(target=work, args=(theirs, config), daemon=True)
        self._process.start()
        theirs.close()
        self.is_alive = True
        self.has_begun = False  # it has told that it is ready
        self.waiting: deque[asyncio.Future[Answer]] = deque()
        self._reading: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._unsent: list[bytes] = []

    def ask(self, job: Job) -> asyncio.Future[Answer]:
        """Return what will be its answer."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read())
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        self._send(pickle.dumps(tuple(job), pickle.HIGHEST_PROTOCOL))
        return answer

    async def close(self) -> None:
        self._process.kill()  # it has nothing to lose
        self._process.join()
        if self._reading is None:
            self._socket.close()
        else:
            await self._reading

    def _send(self, message: bytes) -> None:
        if self._writer is None:
            self._unsent += (_LENGTH.pack(len(message)), message)
        else:
            self._writer.writelines((_LENGTH.pack(len(message)), message))

    async def _read(self) -> None:
        """Hand out answers until the process ends."""
        reader, self._writer = await asyncio.open_connection(sock=self._socket, limit=2**20)
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
    """Answer until the other end closes, which it does when the crawl ends or dies."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the crawl says when it needs no more
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
