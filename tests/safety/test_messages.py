"""Messages to worker processes, on an event loop that must not be held."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from focused_crawler.safety.messages import Messages
from focused_crawler.safety.workers import TaskWorker

MEBIBYTE = 2**20
BODY = os.urandom(MEBIBYTE)


@pytest.fixture(scope="module")
def worker() -> Iterator[TaskWorker]:
    worker = TaskWorker()
    yield worker
    worker.end()


class Conversation:
    """What a worker sends."""

    def __init__(self, worker: TaskWorker) -> None:
        self.answers: asyncio.Queue[tuple[Any, Exception | None]] = asyncio.Queue()
        self.has_begun = asyncio.Event()
        self.ends = 0
        self.messages = Messages(worker.pipe, self._received, self._end)

    def _received(self, answer: tuple[Any, Exception | None]) -> None:
        self.answers.put_nowait(answer)
        self.has_begun.set()

    def _end(self) -> None:
        self.ends += 1

    async def ask(self, *tasks: Any) -> list[Any]:
        for task in tasks:
            self.messages.send(task)
        return [(await asyncio.wait_for(self.answers.get(), 30))[0] for _ in tasks]


async def longest_hold(seconds: float) -> float:
    """Return for how long the loop was held at most in that time."""
    longest, end = 0.0, time.monotonic() + seconds
    while (before := time.monotonic()) < end:
        await asyncio.sleep(0.01)
        longest = max(longest, time.monotonic() - before)
    return longest


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 100, 16_384, 65_532, 65_536, 300_000, 5 * MEBIBYTE])
async def test_messages_of_any_size_arrive_whole(worker: TaskWorker, size: int) -> None:
    """There and back, in order, whatever a pipe takes at a time."""
    talk = Conversation(worker)
    sent = [bytes([number]) * size for number in range(5)]
    assert await talk.ask(*(partial(bytes, one) for one in sent)) == sent
    talk.messages.close()


@pytest.mark.asyncio
async def test_many_small_messages(worker: TaskWorker) -> None:
    """Several come with one read, and the last of them in part."""
    talk = Conversation(worker)
    words = [str(number) * (number % 700) for number in range(2000)]
    assert await talk.ask(*(partial(str, word) for word in words)) == words
    talk.messages.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("has_begun", [False, True], ids=["before it reads", "half-way through an answer"])
async def test_a_stopped_worker_does_not_hold_the_loop(worker: TaskWorker, has_begun: bool) -> None:
    """What the pipe does not take, or bring, waits; once the worker goes on, all arrives."""
    talk, many = Conversation(worker), 40 if has_begun else 8
    pid = worker.process.pid
    assert pid is not None
    if not has_begun:
        os.kill(pid, signal.SIGSTOP)
    asked = asyncio.ensure_future(talk.ask(*[partial(bytes, BODY)] * many))
    if has_begun:
        await talk.has_begun.wait()
        os.kill(pid, signal.SIGSTOP)
    assert await longest_hold(0.5) < 0.4
    assert has_begun or talk.answers.empty()
    os.kill(pid, signal.SIGCONT)
    assert await asked == [BODY] * many
    talk.messages.close()


@pytest.mark.asyncio
async def test_the_end_of_a_worker_shows_once() -> None:
    """Also to who goes on sending."""
    worker = TaskWorker()
    talk = Conversation(worker)
    worker.kill()
    for _ in range(3):
        talk.messages.send(partial(bytes, BODY))
        await asyncio.sleep(0.05)
    assert talk.ends == 1
    worker.end()
