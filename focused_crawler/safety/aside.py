"""Long work that does not hold an event loop: in parts on it, or in order in one thread beside it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar, cast

Result = TypeVar("Result")

SWITCH = 0.0005
"""Seconds for which the thread keeps the interpreter from the loop, which loses it at each row of SQLite."""

Parts: TypeAlias = Generator[None, None, Result]
"""Work in parts that take some milliseconds each; it pauses between them."""

HOLD = 0.02
"""Seconds after which work in parts gives way to whatever else waits for the loop."""


def finished(parts: Parts[Result]) -> Result:
    """Do all of it at once."""
    while (result := _next(parts)) is _UNFINISHED:
        pass
    return cast("Result", result)


async def giving_way(parts: Generator[object, None, Result], rest: float = 0.0) -> Result:
    """Do it on the loop, which turns after each `HOLD`, and has `rest` times as long then as the parts took.

    A thread is no way to do what calls Python often: each time that the loop lets go of the interpreter, for
    a row of SQLite or a tag, the two change places, and a long page costs six times as much.
    """
    began = time.perf_counter()
    while (result := _next(parts)) is _UNFINISHED:
        took = time.perf_counter() - began
        if took >= HOLD:
            await asyncio.sleep(rest * took)
            began = time.perf_counter()
    return cast("Result", result)


_UNFINISHED = object()


def _next(parts: Generator[object, None, Result]) -> Result | object:
    """Do the next part; return `_UNFINISHED`, or what came of all."""
    try:
        next(parts)
    except StopIteration as done:
        result: Result = done.value
        return result
    return _UNFINISHED


class Aside:
    """Does short work at once and long work in a thread; results come in the order of the calls."""

    def __init__(self) -> None:
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))
        self._thread = ThreadPoolExecutor(1)
        self._waiting = 0  # calls whose result has not been delivered

    async def do(self, work: Callable[[], Result], *, is_long: bool) -> Result:
        """Return what `work` returns, or raise what it raises; behind long work the short waits as well."""
        if not is_long and not self._waiting:
            return work()
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Do no more; what is under way is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
