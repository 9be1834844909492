"""A frontier in Redis to which many things are said at once: one way there and back for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from redis import RedisCluster
from redis.exceptions import NoScriptError

from focused_crawler.frontier.redis.client import answered
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.steps import Word, script


class _Said(NamedTuple):
    step: str
    number: int  # of the partition
    words: tuple[Word, ...]


class RedisTogether(RedisFrontier):
    """What one worker of many has of the frontier, as `RedisFrontier`, and a way to say much at once."""

    _said: list[_Said] | None = None  # None: all is said as it comes

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all that is said inside be sent at the end, in order; what is returned inside says nothing.

        For what gives no answer, or none that is of interest. If it fails, all of it may be said again.
        """
        out, unkept, self._said = self._out.copy(), self._unkept.copy(), []
        try:
            yield
            said, self._said = self._said, None
            self._send(said)
        except BaseException:
            self._out, self._unkept = out, unkept
            raise
        finally:
            self._said = None

    def _run(self, step: str, number: int, *words: Word, now: float | None = None) -> list[Any]:
        if self._said is None:
            return super()._run(step, number, *words, now=now)
        self._said.append(_Said(step, number, (*self._head(self._clock.latest), *words)))
        return [0]  # no URL was new, and nothing is left to be kept

    def _send(self, said: list[_Said]) -> None:
        if isinstance(self._client, RedisCluster) or len(said) <= 1:
            answers = [self._steps.run(step, self._keys[number], words) for step, number, words in said]
        else:
            answers = self._pipelined(said)
        for (step, number, _), (closed, *told) in zip(said, answers, strict=True):
            self._hear(closed)
            if step == "kept" and told[0]:
                self._unkept.add(number)  # more may be left

    def _pipelined(self, said: list[_Said]) -> list[Any]:
        """Send all at once; from the first step on that the server does not know, one after the other."""
        with answered(self._address), self._client.pipeline(transaction=False) as pipeline:
            for step, number, words in said:
                keys = self._keys[number]
                pipeline.execute_command("EVALSHA", script(step).name, len(keys), *keys, *words)
            answers = pipeline.execute(raise_on_error=False)
            for answer in answers:
                if isinstance(answer, Exception) and not isinstance(answer, NoScriptError):
                    raise answer
        known = next((n for n, answer in enumerate(answers) if isinstance(answer, Exception)), len(said))
        rest = [self._steps.run(step, self._keys[number], words) for step, number, words in said[known:]]
        return answers[:known] + rest
