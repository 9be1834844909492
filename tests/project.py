"""The project as a user has it: its commands, each run as a process of its own, and what a crawl left."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 120  # seconds until a test gives up waiting


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


class Running:
    """A command under way."""

    def __init__(self, server: Scrapy, pid: int, out: Path, err: Path) -> None:
        self._server, self.pid, self._out, self._err = server, pid, out, err

    @property
    def out(self) -> str:
        """What it has said so far; nothing before it has begun."""
        return self._out.read_text() if self._out.exists() else ""

    @property
    def err(self) -> str:
        return self._err.read_text() if self._err.exists() else ""

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self) -> Done:
        return Done(self._server.ask({"wait": self.pid}), self.out, self.err)


class Scrapy:
    """Runs `scrapy` commands in forks of tests/fork_server.py; warnings are errors there, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.fork_server"],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "150"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def start(
        self,
        *words: object,
        before: str = "",
        environ: Mapping[str, str] = MappingProxyType({}),
        typed: str = "",
    ) -> Running:
        """Start a command; `before`: the path of a function to call first in its process.

        `typed`: what it reads from its standard input. `environ` is added to its
        environment; the project's settings, which are imported, do not see it.
        """
        number = next(self._numbers)
        out, err = self._folder / f"{number}.out", self._folder / f"{number}.err"
        args = [str(word) for word in words]
        (given := self._folder / f"{number}.in").write_text(typed)
        files = {"in": str(given), "out": str(out), "err": str(err)}
        pid = self.ask({"args": args, "before": before, "environ": dict(environ), **files})
        return Running(self, pid, out, err)

    def run(
        self,
        *words: object,
        before: str = "",
        environ: Mapping[str, str] = MappingProxyType({}),
        typed: str = "",
    ) -> Done:
        return self.start(*words, before=before, environ=environ, typed=typed).wait()

    def close(self) -> None:
        self._process.communicate()


def crawl(topic: Path | str, crawls: Path, *settings: str, **arguments: object) -> list[str]:
    """Return the words of a crawl: settings as "NAME=value", the rest are spider arguments."""
    words = ["crawl", "topic", "-a", f"topic={topic}"]
    for name, value in arguments.items():
        words += ["-a", f"{name}={value}"]
    for setting in (f"FOCUSED_CRAWLS={crawls}", *settings):
        words += ["-s", setting]
    return words


@dataclass(frozen=True)
class Job:
    """The folder of a crawl."""

    folder: Path

    @property
    def run(self) -> dict[str, Any]:
        return json.loads((self.folder / "run.json").read_text())

    @cached_property
    def visits(self) -> list[str]:
        """URLs that the frontier gave out and that gave a page, in their order."""
        return [row[0] for row in self.rows("SELECT requested_url FROM pages ORDER BY position")]

    @cached_property
    def pages(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT url FROM pages ORDER BY position")]

    @cached_property
    def failures(self) -> dict[str, str]:
        return dict(self.rows("SELECT url, reason FROM failures"))

    @cached_property
    def states(self) -> dict[str, int]:
        return dict(self.rows("SELECT name, urls FROM states"))

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(f"{(self.folder / 'crawl.db').as_uri()}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()


@contextmanager
def little_room(size: int) -> Iterator[None]:
    """Let this process write no file of more bytes, as where a disk is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def until(condition: Callable[[], object], pause: float = 0.01, patience: float = PATIENCE) -> None:
    """Wait until something is so, and look again after so many seconds."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(pause)
