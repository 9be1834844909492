"""A crawl in a process of its own, which outlives whoever has started it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Thread

from focused_crawler.crawl.command import ADDRESS, crawl_command, project_command
from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.crawl.endings import has_said_why
from focused_crawler.crawl.ordering import fleet_command
from focused_crawler.safety.errors import ConfigError, CrawlError, CrawlInUse
from focused_crawler.safety.formats import end_in_words
from focused_crawler.safety.printable import place
from focused_crawler.safety.settings import is_file_name
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RunInfo, read_run, run_of, unwritable
from focused_crawler.store.opening import full_address, is_in_use, read_crawl, remember_address
from focused_crawler.topic.topic import load_topic

LOG = "crawl.log"
BEGIN_SECONDS = 60.0
"""A crawl has begun, or said what is wrong, after so long: a second or two, and longer on a busy machine."""
_LOOK_SECONDS = 0.05
_LONGEST_ERROR = 2000

_ARGUMENTS = {"topic", "job", "strategy", "seed_set", "pages", "minutes", "relevant", "profile"}
_BEGUN_WITH = {"FOCUSED_STRATEGY": "strategy", "FOCUSED_SEED_SET": "seed_set"} | {
    f"FOCUSED_{name.upper()}": name for name in ("pages", "minutes", "relevant")
}
_OWN = {"FOCUSED_TOPIC", "FOCUSED_JOB", *_BEGUN_WITH}


@dataclass(frozen=True, slots=True)
class CrawlProcess:
    """A crawl that was started: its folder, its process, and the file that has its log."""

    folder: Path
    process: subprocess.Popen[bytes]
    log: Path
    started: float  # seconds since the epoch
    log_begins: int = 0  # where its part of that begins
    runs: int | None = None  # of a fleet: those that there were; None: it is no fleet's

    @property
    def has_begun(self) -> bool:
        """Tell whether the crawl's folder is written by this process, or a worker that it started."""
        if self.runs is not None:
            return _runs(self.folder) > self.runs
        run = read_run(self.folder)
        return run is not None and run.ended >= self.started

    def wait_until_begun(self) -> None:
        """Wait; raises CrawlError with what the process says is wrong, or when it takes too long."""
        end = time.monotonic() + BEGIN_SECONDS
        while not self.has_begun:
            if (status := self.process.poll()) is not None and not self.has_begun:
                raise CrawlError(self._fault(status))
            if time.monotonic() > end:
                raise CrawlError(
                    f"the crawl has not begun after {BEGIN_SECONDS:.0f} s; {place(self.log)} says more"
                )
            time.sleep(_LOOK_SECONDS)

    def check(self) -> None:
        """Raise CrawlError where it has ended by what is to be fixed, with the line that it has left."""
        if has_said_why(status := self.process.poll() or 0):
            raise CrawlError(self._fault(status))

    def wait(self) -> int:
        """Wait for the end of the process; return its exit code."""
        return self.process.wait()

    def _fault(self, status: int) -> str:
        """Return the line that the process has left, and take away what it was given of a new folder."""
        with suppress(OSError):
            with self.log.open("rb") as log:
                log.seek(max(self.log_begins, log.seek(0, os.SEEK_END) - _LONGEST_ERROR))
                text = log.read().decode("utf-8", "replace")
            errors = [line for line in text.splitlines() if line.startswith("error: ")]
            if errors and read_run(self.folder) is None:
                self.log.unlink()
                self.folder.rmdir()
            if errors:
                return errors[-1].removeprefix("error: ")
        return f"the crawl {end_in_words(status)} before it began; {place(self.log)} says more"


def start_crawl(
    topic: str,
    crawls: Path,
    arguments: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
) -> CrawlProcess:
    """Start what `scrapy crawl topic -a topic=... -a NAME=VALUE... -s NAME=VALUE...` does, and return.

    Without an argument `job` it is a new one, of the next free number. The process belongs to nobody: it goes
    on when this one ends, and Ctrl-C here does not reach it. `wait_until_begun` says whether it could begin.
    Raises TopicError, ConfigError for an argument that no crawl has, CrawlInUse while somebody crawls there.
    """
    given = {name: str(value) for name, value in (arguments or {}).items() if value not in ("", None)}
    if unknown := sorted(given.keys() - _ARGUMENTS):
        raise ConfigError(f"a crawl has no argument {unknown[0]}; use {', '.join(sorted(_ARGUMENTS))}")
    name = load_topic(topic).name
    folder = _claimed(crawls / name, given.pop("job", ""))
    given |= {"topic": topic, "job": folder.name}
    settings = {**(settings or {}), "FOCUSED_CRAWLS": crawls.absolute()}
    return _started(folder, crawl_command(given, settings), settings)


def go_on(folder: Path, budget: Mapping[str, object] | None = None) -> CrawlProcess:
    """Start a crawl that has stopped again, as it began; `budget`: other `pages`, `minutes` or `relevant`.

    Raises CrawlInUse while it runs, CrawlError for one whose workers are a fleet's.
    """
    run = run_of(folder)
    if run.is_shared:
        raise CrawlError(f"{place(folder)} is a fleet's; type: {fleet_command(run)}")
    _refuse_running(folder)
    words = {**_as_begun(run, run.settings, budget or {}), "topic": run.topic_name, "job": run.job}
    settings = _own_settings(folder, run)
    return _started(folder, crawl_command(words, settings), settings)


def go_on_as_fleet(folder: Path, workers: int, budget: Mapping[str, object]) -> CrawlProcess:
    """Start workers at the crawl of a fleet that has stopped, as `scrapy fleet` does.

    What `budget` does not name is as it was. Raises CrawlInUse while a worker of this machine is at it,
    CrawlError where its database does not answer.
    """
    run = run_of(folder)
    _refuse_running(folder)
    with read_crawl(folder) as database:
        runs = CrawlHistory(database).runs()
    words = ["fleet", run.topic_name, "--job", run.job, "--workers", str(workers)]
    for name, value in _as_begun(run, runs[-1].settings if runs else {}, budget).items():
        words += ["-a", f"{name}={value}"]
    settings = _own_settings(folder, run)
    started = _started(folder, project_command(words, settings), settings)
    return replace(started, runs=len(runs))


def _runs(folder: Path) -> int:
    with read_crawl(folder) as database:
        return len(CrawlHistory(database).runs())


def _as_begun(run: RunInfo, last: Mapping[str, object], budget: Mapping[str, object]) -> dict[str, str]:
    """Return the arguments of a crawl that goes on; `last`: settings of its last run."""
    given = {argument: last.get(name) for name, argument in _BEGUN_WITH.items()} | dict(budget)
    words = {name: str(value) for name, value in given.items() if value not in ("", None)}  # 0: any
    return {**words, "strategy": run.strategy}


def _own_settings(folder: Path, run: RunInfo) -> dict[str, object]:
    own = {name: value for name, value in run.settings.items() if name not in _OWN and _is_own(name, value)}
    return {**own, "FOCUSED_CRAWLS": folder.parent.parent.absolute()}


def _started(folder: Path, command: Sequence[str], settings: Mapping[str, object]) -> CrawlProcess:
    log = folder / LOG
    address = {ADDRESS: full_address(str(settings[ADDRESS]))} if settings.get(ADDRESS) else {}
    for one in address.values():
        remember_address(one)  # the crawl will be read here
    started = time.time()
    try:
        with log.open("ab") as file:
            begins = file.tell()
            process = subprocess.Popen(  # noqa: S603 - our own words
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env={**os.environ, **address},
                start_new_session=True,
            )
    except OSError as error:
        raise unwritable(log, error) from None
    Thread(target=process.wait, name=f"waits for {process.pid}", daemon=True).start()  # or it stays a zombie
    return CrawlProcess(folder, process, log, started, begins)


def _claimed(topic: Path, job: str) -> Path:
    """Return the folder of a job, made; without a name the next number, which nobody else can take."""
    if job and not is_file_name(job):
        raise ConfigError(f"job is {job!r}; use letters, digits, '-', '_' and '.', as in first-try")
    try:
        if job:
            _refuse_running(topic / job)
            (topic / job).mkdir(parents=True, exist_ok=True)
            return topic / job
        topic.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.name) for path in topic.iterdir() if path.name.isdecimal()]
        for number in count(max(numbers, default=0) + 1):
            with suppress(FileExistsError):
                (topic / str(number)).mkdir()
                return topic / str(number)
    except OSError as error:
        raise unwritable(topic, error) from None
    raise AssertionError


def _refuse_running(folder: Path) -> None:
    if read_run(folder) is not None and is_in_use(folder):
        raise CrawlInUse(f"{place(folder)} is being crawled; wait for it to end, or stop it")


def _is_own(name: str, value: object) -> bool:
    """Tell whether a crawl has a setting that others have not by themselves.

    Those that no crawl takes are of searches, or of an older version, which wrote all it had into run.json.
    """
    if name.startswith("FOCUSED_") and name not in DEFAULTS:
        return False
    return value is not None and value != DEFAULTS.get(name)
