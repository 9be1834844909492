"""How many pages of crawls are relevant indeed, and how many are left to find: computed beside the answers.

One is computed at a time, in a thread, and again only when its crawl has grown and four hundred times as long
has passed as it took: so a page that is looked at all day costs a four hundredth of a core.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from queue import Queue
from threading import Lock, Thread

from focused_crawler.crawl.estimated import estimate_now
from focused_crawler.crawl.judged import Interval, JudgeEstimate
from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.crawl.steering.estimate import Estimate, estimate
from focused_crawler.crawl.steering.inputs import read_tallies
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import GROUND_TRUTH, hits_by
from focused_crawler.store.opening import crawl_at_once
from focused_crawler.store.rows import read_counters
from focused_crawler.topic.labels import FILE
from focused_crawler.topic.topic import load_topic

GROWN = 0.02
"""A crawl has grown by so large a part: what is known of it may be another."""
REST = 400.0
_MOST_KNOWN = 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a crawl beside what its judge says."""

    pages: int
    judge: JudgeEstimate | None  # None: nothing, or all, as the ground truth is known
    left: Estimate | None  # relevant pages that were not fetched; None: nobody can say
    recall: Interval | None  # of all relevant pages, the share that was fetched; None: nobody can say
    mark: object = None  # of what it rests on
    at: float = 0.0  # of the monotonic clock
    seconds: float = 0.0  # it took


def known_of(run: RunInfo, database: CrawlDatabase) -> Known:
    """Compute it: a pass over pages and frontier."""
    counters = read_counters(database)
    is_true = run.judged_by == GROUND_TRUTH
    judge = None if is_true else estimate_now(run, database)
    hits = float(counters.get(hits_by(run.judged_by).counter, 0))
    relevant = Interval(hits, hits, hits) if judge is None else judge.relevant
    if not is_true and judge is None:
        return Known(counters.get("pages", 0), None, None, None)
    left = None
    if run.has_frontier:
        left = estimate(read_tallies(database), relevant)
    return Known(counters.get("pages", 0), judge, left, share_fetched(relevant, left))


def share_fetched(relevant: Interval, left: Estimate | None) -> Interval | None:
    """Return how much of all relevant pages was fetched; None where nobody can say how many are left.

    >>> share_fetched(Interval(50.0, 40.0, 60.0), Estimate(0.0, 47.0, 900.0)) is None
    True
    >>> share_fetched(Interval(120.0, 90.0, 150.0), Estimate(0.0, 40.0, 60.0))
    Interval(value=0.75, low=0.6, high=1.0)
    """
    if left is None or not in_words(left, relevant.value):
        return None

    def share(found: float, missing: float) -> float:
        return found / (found + missing) if found + missing else 1.0

    return Interval(
        share(relevant.value, left.middle), share(relevant.low, left.high), share(relevant.high, left.low)
    )


class Estimates:
    """The last that is known of each crawl; `of` never waits longer than it is told."""

    def __init__(self, compute: Callable[[RunInfo, CrawlDatabase], Known] = known_of) -> None:
        self._compute = compute
        self._known: dict[Path, Known] = {}
        self._wanted: Queue[tuple[Path, RunInfo, object]] = Queue()
        self._asked: set[Path] = set()
        self._lock = Lock()
        self._thread: Thread | None = None

    def of(self, folder: Path, run: RunInfo, pages: int) -> Known | None:
        """Return what is known of a crawl of so many pages by now, and have it computed where it is old."""
        known, mark = self._known.get(folder), _mark(run)
        if known is None or self._is_old(known, pages, mark):
            self._ask(folder, run, mark)
        return known

    def _is_old(self, known: Known, pages: int, mark: object) -> bool:
        has_changed = mark != known.mark or abs(pages - known.pages) > GROWN * known.pages
        return has_changed and time.monotonic() - known.at > REST * known.seconds

    def _ask(self, folder: Path, run: RunInfo, mark: object) -> None:
        with self._lock:
            if folder in self._asked:
                return
            self._asked.add(folder)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="estimates", daemon=True)
                self._thread.start()
        self._wanted.put((folder, run, mark))

    def _work(self) -> None:
        while True:
            folder, run, mark = self._wanted.get()
            began, used = time.monotonic(), time.thread_time()
            try:
                with crawl_at_once(folder) as database:
                    found = self._compute(run, database)
            except FocusedCrawlerError:
                found = Known(0, None, None, None)
            except Exception:
                logger.exception("No estimate of %s", folder)
                found = Known(0, None, None, None)
            finally:
                self._asked.discard(folder)
            seconds = time.thread_time() - used
            self._known[folder] = Known(
                found.pages, found.judge, found.left, found.recall, mark, began, seconds
            )
            while len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]


def _mark(run: RunInfo) -> object:
    """Return what says whether an estimate rests on what is there now: its judge, and the labels."""
    try:
        labels = _labels_of(run.topic_name).stat().st_mtime_ns
    except (FocusedCrawlerError, OSError):
        labels = 0
    return run.judge, labels


@lru_cache(maxsize=_MOST_KNOWN)
def _labels_of(topic: str) -> Path:
    """Return the file of a topic's labels, which need not be there; raises TopicError."""
    return load_topic(topic).folder / FILE
