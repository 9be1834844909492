"""Long work beside an event loop: in one thread, in order, so that nothing holds the loop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

SWITCH = 0.0005
"""Seconds for which the thread keeps the interpreter from the loop, which loses it at each row of SQLite."""


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
