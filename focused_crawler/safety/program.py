"""The process of a command: the name that it was started by, where it prints, and how it ends when stopped.

The name, in what commands print, is `scrapy`, or `focused-crawler` anywhere.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pkgutil import iter_modules
from types import TracebackType

SCRAPY = "scrapy"
PROGRAM = "focused-crawler"
MENU = Path(__file__).parent.parent / "edge/menu"
_started: list[tuple[str, re.Pattern[str]]] = []


def started_as(program: str, commands: Iterable[str]) -> None:
    """Let all that is printed from now on name commands as this program's."""
    _started[:] = [(program, re.compile(rf"\b{SCRAPY} (?=(?:{'|'.join(map(re.escape, commands))})\b)"))]


def used_in_a_program() -> None:
    """Let errors name commands as any shell has them, unless a command was started."""
    if not _started:
        started_as(PROGRAM, command_names())


def command_names() -> list[str]:
    """Return the names of all commands; loads none."""
    return sorted(found.name for found in iter_modules([str(MENU)]))


def as_typed(text: str) -> str:
    """Return a text of ours with its commands as they are typed here.

    >>> started_as("focused-crawler", ["list", "train"])
    >>> as_typed("see scrapy list; scrapy itself is a library"), _started.clear()
    ('see focused-crawler list; scrapy itself is a library', None)
    >>> as_typed("see scrapy list")
    'see scrapy list'
    """
    for program, commands in _started:
        text = commands.sub(f"{program} ", text)
    return text


INTERRUPTED = 128 + signal.SIGINT
"""The exit code that a shell gives a program which a user stopped."""


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""A disk, or what its system lets a user or a process have of it."""


def begin_command() -> None:
    """Let the process end without a traceback where a user stops it, or has read enough of what it prints.

    Or where no room is left for that. With its output or error closed, what it prints goes nowhere.
    """
    sys.excepthook = _ended_by
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as it lives
            setattr(sys, name, nowhere)


def _ended_by(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        _say_stopped()
        os._exit(INTERRUPTED)
    if issubclass(kind, BrokenPipeError):
        os._exit(1)
    if isinstance(error, OSError) and error.errno in _FULL:
        sys.stderr.write("error: no room is left where it writes or prints; make some, and type it again\n")
        sys.stderr.flush()
        os._exit(2)
    sys.__excepthook__(kind, error, where)


@contextmanager
def leaving_when_stopped() -> Iterator[None]:
    """End the process with one line where a user stops it."""
    try:
        yield
    except KeyboardInterrupt:
        _say_stopped()
        sys.exit(INTERRUPTED)


def _say_stopped() -> None:
    sys.stderr.write("stopped\n")
    sys.stderr.flush()
