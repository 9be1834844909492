"""The folder of one crawl, `crawls/<topic>/<job>/`, its `run.json`, and which one a command goes on with."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.plain_file import read_plain
from focused_crawler.safety.printable import place
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.judges import KEYWORDS, MODEL, kind_of, named_judge, named_now
from focused_crawler.topic.topic import Topic, folder_of, typed

RUNNING, STOPPED, FINISHED = "running", "stopped", "finished"
SHARED = "postgresql"
"""The frontier of several processes that lies in the crawl's database."""

_MOST = 1e15
"""Nothing that run.json counts or times comes near it."""

_SPARE = 2**14
"""Bytes kept free beside the run.json of a crawl that runs: on a full disk, too, it says how far it came."""

_BEGINNING = 2**18
"""Bytes that a crawl takes before its first page."""


@dataclass(slots=True)
class RunInfo:
    """What `run.json` holds: how the crawl was configured, and its totals so far."""

    topic: str
    title: str
    job: str
    strategy: str
    seed_set: str
    web: str | None  # path of the virtual web, None for the live one
    trained: bool
    acts_as: str = ""  # the strategy that `strategy` was, as nothing was trained for it; empty: itself
    judge: str = ""  # of its pages: see `store.judges`
    watched_by: str = ""  # the judge of alarms, hubs and what is left to find: a taxonomy; empty: that one
    listed_seeds: int = 0  # start pages of the last run that came from the topic's lists
    frontier: str = "sqlite"
    """In the crawl's database; postgresql: there, shared; memory; of an older version: Redis' address."""
    database: str = ""  # address of a PostgreSQL database, without password; empty: crawl.db in the folder
    schema: str = ""  # of that database, where the crawl's tables are
    language: str = ""  # the topic's, ISO 639
    scope: dict[str, Any] = field(default_factory=dict)  # what it may follow: see `topic.scope`
    state: str = RUNNING  # running (or killed) | stopped (goes on when called again) | finished
    reason: str = ""
    started: float = 0.0  # seconds since the epoch, of the first run
    ended: float = 0.0
    seconds: float = 0.0  # spent crawling, over all runs
    judged_by: str = ""  # the judge of its totals: those of all runs, or the ground truth
    targets: int | None = None  # number of known relevant pages, where there are any
    totals: dict[str, float | None] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)
    """Pending URLs by bands of priority; of a shared frontier only."""

    def obstacle(self, wanted: RunInfo) -> str:
        """Return why a command cannot go on with this crawl; empty if it can."""
        if its := self._other_topic(wanted):
            return f"its topic is in {place(its)}"
        for name in ("strategy", "seed_set", "web", "database"):
            old, new = getattr(self, name), getattr(wanted, name)
            if old != new:
                return f"its {name} is {old or 'none'}, not {new or 'none'}"
        if self._judged_otherwise(wanted):
            return f"its pages are judged by {self.judge}, not by {wanted.judge}: {self._cure(wanted)}"
        if "://" in self.frontier:
            return "its frontier is in Redis, which this version does not read"
        if self.is_shared != wanted.is_shared:
            return f"its frontier is {self.frontier}, not {wanted.frontier}"
        in_memory = "memory" in (self.frontier, wanted.frontier)
        return "a frontier in memory ends with its process" if in_memory else ""

    @property
    def ordered_by(self) -> str:
        """Return the strategy for people: with what it was, where nothing was trained for it."""
        return ordered_by(self.strategy, self.acts_as)

    @property
    def topic_name(self) -> str:
        """Return what its topic is loaded by: a name, or the path of a folder."""
        return str(self.settings.get("FOCUSED_TOPIC") or self.topic)

    @property
    def is_shared(self) -> bool:
        """Tell whether several processes may work, or could in an older version, on its frontier."""
        return self.frontier == SHARED or "://" in self.frontier

    @property
    def has_frontier(self) -> bool:
        """Tell whether the crawl's database holds its frontier, and so what became of each URL."""
        return self.frontier in ("sqlite", SHARED)

    def _other_topic(self, wanted: RunInfo) -> Path | None:
        """Return the folder of its topic where that is there, and another one of the same name is wanted."""
        if self.topic_name == wanted.topic_name:
            return None
        its = folder_of(self.topic_name)
        return None if its == folder_of(wanted.topic_name) else its

    def _judged_otherwise(self, wanted: RunInfo) -> bool:
        """Tell whether a setting makes another judge; a topic trained since is no obstacle."""
        is_set = named_judge(self.settings) != named_judge(wanted.settings)
        return bool(self.judge) and is_set and kind_of(self.judge) != kind_of(wanted.judge)

    def _cure(self, wanted: RunInfo) -> str:
        """Return what to type to go on as the crawl began."""
        if name := named_judge(self.settings):
            return f"give -s FOCUSED_CLASSIFIER={name}"
        return f"leave FOCUSED_CLASSIFIER={named_judge(wanted.settings)} out"


def ordered_by(strategy: str, acts_as: str) -> str:
    """Name a strategy with the one that it is where nothing was trained for it, if any.

    >>> ordered_by("link_classifier", "best_first_content_anchor")
    'link_classifier (untrained: best_first_content_anchor)'
    """
    return f"{strategy} (untrained: {acts_as})" if acts_as else strategy


def read_run(folder: Path) -> RunInfo | None:
    """Return a folder's run.json, None where there is none; raises CrawlError for a broken one."""
    path = folder / "run.json"
    try:
        return _named(_checked(RunInfo(**json.loads(read_plain(path).decode()))))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CrawlError(f"{path} cannot be read ({error}); name another crawl, or move this one") from None


def _named(run: RunInfo) -> RunInfo:
    """Name the judges of a crawl of an earlier version as they are named now."""
    run.judge, run.judged_by = named_now(run.judge), named_now(run.judged_by)
    run.judged_by = run.judged_by or run.judge or (MODEL if run.trained else KEYWORDS)
    return run


def run_of(folder: Path) -> RunInfo:
    """Return a folder's run.json; raises CrawlError also where there is none."""
    run = read_run(folder)
    if run is None:
        raise CrawlError(f"{folder} is no crawl's folder (it has no run.json); give one like crawls/asthma/1")
    return run


@cache
def _kinds() -> dict[str, tuple[type, ...]]:
    """Return the types that each value of `run.json` may have; a whole number is a number, too."""
    kinds = {}
    for one, hint in get_type_hints(RunInfo).items():
        alternatives = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        plain = tuple(get_origin(kind) or kind for kind in alternatives)
        kinds[one] = (*plain, int) if float in plain else plain
    return kinds


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _checked(run: RunInfo) -> RunInfo:
    """Return it if each value is of its kind, as whoever edits the file may write any; else ValueError."""
    for one, kinds in _kinds().items():
        value = getattr(run, one)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ValueError(f"{one} is {_shortened(value)}")
        if isinstance(value, int | float) and not 0 <= value < _MOST:  # which NaN is neither
            raise ValueError(f"{one} is {_shortened(value)}")
    for key, number in run.totals.items():
        is_number = isinstance(number, int | float) and 0 <= number < _MOST
        if number is not None and not is_number:
            raise ValueError(f"{key} of totals is {_shortened(number)}")
    if run.state not in (RUNNING, STOPPED, FINISHED):
        raise ValueError(f"state is {_shortened(run.state)}")
    if not all(isinstance(urls, int) for urls in run.left):
        raise ValueError(f"left is {_shortened(run.left)}")
    return run


def read_run_of(folder: Path, topic: str) -> RunInfo | None:
    """Return what `read_run` does; raises CrawlError also for a crawl of another topic."""
    run = read_run(folder)
    if run is not None and run.topic != topic:
        raise CrawlError(f"{folder} is a crawl of {run.topic}, not of {topic}; give one of {topic}")
    return run


def write_run(folder: Path, run: RunInfo) -> None:
    """Replace run.json in one step; CrawlError where it cannot be written."""
    try:
        with unfinished(folder / "run.json") as file:
            file.write_text(json.dumps(asdict(run), indent=2, default=str) + "\n", "utf-8")
    except OSError as error:
        raise unwritable(folder / "run.json", error) from None


def unwritable(path: Path, error: OSError) -> CrawlError:
    """Return what to raise when a file of a crawl cannot be written."""
    return CrawlError(
        f"{path} cannot be written ({error.strerror}); mend that and run the same command again"
    )


def choose_folder(crawls: Path, wanted: RunInfo) -> Path:
    """Return the folder that a command works in, and make it.

    A named job has to be the same crawl, or new. Without a name: the last numbered job if it is the same and
    not finished (the same command again goes on where it stopped), else the next number. Sets `wanted.job`.
    """
    topic = crawls / wanted.topic
    earlier = read_run(topic / wanted.job) if wanted.job else None
    wanted.job = wanted.job or _next_job(topic, wanted)
    folder = topic / wanted.job
    if earlier is not None and (obstacle := earlier.obstacle(wanted)):
        raise CrawlError(f"{folder} holds another crawl ({obstacle}); choose another job with -a job=NAME")
    _check_database(folder)
    is_new = False
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            if not (folder / "run.json").exists():
                file.write(bytes(_BEGINNING))
                file.flush()
    except OSError as error:
        if is_new:  # else each attempt would take a number
            with suppress(OSError):  # there is something in it
                folder.rmdir()
        raise CrawlError(
            f"cannot write into {folder} ({error.strerror}); name another place with -s FOCUSED_CRAWLS=FOLDER"
        ) from None
    return folder


def _check_database(folder: Path) -> None:
    """Refuse a database that was emptied: SQLite would take it for a new one."""
    path, run = folder / "crawl.db", read_run(folder)
    if run is not None and run.totals.get("pages") and path.is_file() and not path.stat().st_size:
        raise CrawlError(
            f"{path} is empty, but had {run.totals['pages']} pages; "
            "put a copy of it back, or move it away to begin anew"
        )


def _next_job(topic: Path, wanted: RunInfo) -> str:
    numbers = [int(path.name) for path in topic.glob("*") if path.name.isdecimal()] if topic.is_dir() else []
    last = max(numbers, default=0)
    run = read_run(topic / str(last)) if last else None
    if run is not None and run.state != FINISHED and not run.obstacle(wanted):
        return str(last)
    return str(last + 1)


class RunFile:
    """Keeps a crawl's `run.json`; raises CrawlError where it cannot be read or written."""

    def __init__(self, folder: Path, run: RunInfo) -> None:
        """Read what is there. The time of the run counts from now on."""
        self._folder, self._run = folder, run
        self._earlier = read_run(folder)
        self._spare = folder / "run.json.spare"
        try:
            self._keep_room()
        except OSError as error:
            raise unwritable(self._spare, error) from None
        self.began = time.time()  # seconds since the epoch
        self._clock_began = time.monotonic()
        self.started = self._earlier.started if self._earlier else self.began
        """When the crawl began, which is a part of its identity."""
        self._before = self._earlier.seconds if self._earlier else 0.0

    def by_database(self, started: float, seconds: float | None = None) -> None:
        """Go by what the crawl's database says of it: who begin together have found no run.json.

        `started`: when it began. `seconds`: spent on it until this run began, by anybody; None: as run.json
        has it, where nobody else writes that.
        """
        if self._earlier is None:
            self.started = started
        if seconds is not None:
            self._before = seconds

    @property
    def seconds(self) -> float:
        """Return the time spent crawling, over all runs."""
        return self._before + time.monotonic() - self._clock_began

    @property
    def judged_before(self) -> str:
        """Return what judged pages in the run before; empty if it is the same now, or nobody knows."""
        earlier = self._earlier.judge if self._earlier else ""
        return earlier if earlier != self._run.judge else ""

    @property
    def was_finished(self) -> bool:
        """Tell whether the run before brought the crawl to its end."""
        return self._earlier is not None and self._earlier.state == FINISHED

    def write(self, totals: dict[str, float | None]) -> None:
        """Bring it up to date."""
        self._run.started = self.started
        self._run.ended = time.time()
        self._run.seconds = self.seconds
        self._run.totals = totals
        try:
            write_run(self._folder, self._run)
        except CrawlError:
            if not self._give_room():
                raise
            write_run(self._folder, self._run)
        if self._run.state != RUNNING:
            self._give_room()
        elif not self._spare.exists():
            with suppress(OSError):
                self._keep_room()

    def _keep_room(self) -> None:
        with self._spare.open("wb") as file:
            file.write(bytes(_SPARE))
            file.flush()
            os.fsync(file.fileno())  # some file systems find only now whether there is room

    def _give_room(self) -> bool:
        try:
            self._spare.unlink()
        except OSError:
            return False
        return True


def last_crawl(crawls: Path, topic: Topic) -> Path:
    """Return the folder of the crawl that began last; raises CrawlError if there is none."""
    spider = name if (name := typed(topic)) == topic.name else f"topic -a topic={name}"
    return _begun_last(
        crawls / topic.name, "*", f"there is no crawl of {topic.name}", f"scrapy crawl {spider}"
    )


def newest_crawl(crawls: Path) -> Path:
    """Return the folder of the crawl of any topic that began last; raises CrawlError if there is none."""
    return _begun_last(crawls, "*/*", "there is no crawl", "scrapy crawl TOPIC")


def _begun_last(folder: Path, pattern: str, nothing: str, cure: str) -> Path:
    folders = [path for path in folder.glob(pattern) if path.is_dir()]
    begun = [(run.started, path) for path in folders if (run := read_run(path)) is not None]
    if not begun:
        raise CrawlError(f"{nothing} in {folder}; run {cure}, or name one with --crawl FOLDER")
    return max(begun)[1]
