"""How far long work has got: shown by whoever owns a terminal, or written to a file that others read."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from focused_crawler.safety.whole_file import is_stream, unfinished

_T = TypeVar("_T")
_EVERY = 0.2  # seconds between two writings


class Display(Protocol):
    """Passes items on and shows how far they have come; `done`: how far an item has got, of `total`."""

    def __call__(
        self, items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]
    ) -> Iterator[_T]: ...


_displays: list[Display] = []
_files: list[Path] = []
_written: list[float] = [0.0]


class HowFar(NamedTuple):
    """How far work has got."""

    title: str  # what is counted
    done: int
    total: int


def show_by(display: Display) -> None:
    """Let `display` show all long work of this process from now on."""
    _displays[:] = [display]


def write_to(path: Path | None) -> None:
    """Write to a file, too, how far all long work of this process is; None: no longer."""
    _files[:] = [] if path is None else [path]


def shown(items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]) -> Iterator[_T]:
    """Pass items on, and show them where there is a display."""
    passed = _displays[0](items, title, total, done) if _displays else iter(items)
    return _noted(passed, title, total, done) if _files else passed


def note(title: str, done: int, total: int) -> None:
    """Say how far work has got that passes no items on; only a file hears of it."""
    now = time.monotonic()
    if not _files or (now < _written[0] + _EVERY and done < total):
        return
    _written[0] = now
    with suppress(OSError):  # a full disk stops no work
        _write(_files[0], json.dumps(HowFar(title, done, total)))


def _write(path: Path, text: str) -> None:
    """Write the file whole; nobody is waited for at a pipe that nobody reads."""
    if not is_stream(path):
        with unfinished(path) as temporary:
            temporary.write_text(text, "utf-8")
        return
    pipe = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
    try:
        os.write(pipe, text.encode())
    finally:
        os.close(pipe)


def how_far(path: Path) -> HowFar | None:
    """Read what `write_to` let another process write; None: nothing yet."""
    try:
        title, done, total = json.loads(path.read_bytes())
        return HowFar(str(title), int(done), int(total))
    except (OSError, ValueError, TypeError):
        return None


def _noted(items: Iterator[_T], title: str, total: int, done: Callable[[_T], int]) -> Iterator[_T]:
    for item in items:
        note(title, done(item), total)
        yield item
