"""A progress bar on the terminal, for work that is mostly done at once and sometimes takes a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

_AFTER = 1.0  # seconds
_EVERY = 0.1

_T = TypeVar("_T")


def with_bar(items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]) -> Iterator[_T]:
    """Pass items on, with a bar on a terminal once it has taken a second; `done`: how far an item has got."""
    bar = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task(title, total=total)
    due = time.monotonic() + _AFTER
    try:
        for item in items:
            if bar.console.is_terminal and (now := time.monotonic()) > due:
                due = now + _EVERY
                bar.start()
                bar.update(task, completed=done(item), refresh=True)
            yield item
    finally:
        if bar.live.is_started:
            bar.stop()
