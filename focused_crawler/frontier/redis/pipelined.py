"""A frontier in Redis that sends many calls in one pipeline: one round trip for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from redis import RedisCluster

from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.steps import Word


class _Call(NamedTuple):
    step: str
    number: int  # of the partition
    words: tuple[Word, ...]


class PipelinedRedis(RedisFrontier):
    """A worker's part of the frontier, as `RedisFrontier`, which may send many calls in one pipeline."""

    _calls: list[_Call] | None = None  # None: each is sent as it comes

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Send all calls made inside at the end, in order; what they return inside has no meaning.

        For calls without an answer of interest. If it fails, all of them may be made again.
        """
        out, unacked, self._calls = self._out.copy(), self._unacked.copy(), []
        try:
            yield
            calls, self._calls = self._calls, None
            self._send(calls)
        except BaseException:
            self._out, self._unacked = out, unacked
            raise
        finally:
            self._calls = None

    def _run(self, step: str, number: int, *words: Word, now: float | None = None) -> list[Any]:
        if self._calls is None:
            return super()._run(step, number, *words, now=now)
        self._calls.append(_Call(step, number, (*self._head(self._clock.latest), *words)))
        return [0]  # no URL was new, and nothing is left to be acknowledged

    def _send(self, calls: list[_Call]) -> None:
        steps = [(step, self._keys[number], words) for step, number, words in calls]
        if isinstance(self._client, RedisCluster):  # in order over all its nodes
            answers = [self._steps.run(*step) for step in steps]
        else:
            answers = self._steps.run_all(steps)
        for (step, number, _), (closed, *answer) in zip(calls, answers, strict=True):
            self._add_closed(closed)
            if step == "ack" and answer[0]:
                self._unacked.add(number)  # more may be left
