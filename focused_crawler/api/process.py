"""Commands run for a program: what fetches, or takes long, has a process of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from focused_crawler.crawl.command import project_command
from focused_crawler.safety.errors import FocusedCrawlerError


def run_command(words: Sequence[object], settings: Mapping[str, Any] | None = None) -> str:
    """Run a command to its end, and return what it printed; raises its error, a line without "error: ".

    Ctrl-C ends it, as it does in a terminal.
    """
    command = project_command([str(word) for word in words], settings or {})
    done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)  # noqa: S603
    if done.returncode:
        lines = done.stderr.splitlines() or [f"it ended with {done.returncode}"]
        told = [line for line in lines if line.startswith("error: ")] or lines
        raise FocusedCrawlerError(told[-1].removeprefix("error: "))
    return done.stdout


def each(texts: str | PathLike[str] | Iterable[str | PathLike[str]]) -> tuple[str, ...]:
    """Return texts, or paths as they are written; one alone is itself, and not its letters.

    >>> from pathlib import Path
    >>> each("telescope"), each(["red", Path("star.html")])
    (('telescope',), ('red', 'star.html'))
    """
    return (str(texts),) if isinstance(texts, str | PathLike) else tuple(map(str, texts))
