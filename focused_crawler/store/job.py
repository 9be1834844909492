"""What the `run.json` of a crawl says of it; it lies in the folder `crawls/<topic>/<job>/`."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.plain_file import read_plain
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.judges import KEYWORDS, MODEL, kind_of, named_judge, named_now

RUNNING, STOPPED, FINISHED = "running", "stopped", "finished"
SHARED = "postgresql"
"""The frontier of several processes that lies in the crawl's database."""

_MOST = 1e15
"""Nothing that run.json counts or times comes near it."""


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
        raise CrawlError(f"{folder} is no crawl's folder (it has no run.json); give one like {_like(folder)}")
    return run


def _like(folder: Path) -> Path:
    """Return the newest crawl below a folder, as that of a topic is; else one beside it, or an example."""
    beside = [folder.parent] if len(folder.parts) > 1 else []  # of a bare name: wherever somebody is
    for near in (folder, *beside):
        with suppress(OSError, ValueError):  # a name that is too long; none there
            return max(near.glob("*/run.json"), key=lambda path: path.stat().st_mtime).parent
    return Path("crawls/asthma/1")


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
    return CrawlError(f"{path} cannot be written ({error.strerror}); fix that and run the same command again")
