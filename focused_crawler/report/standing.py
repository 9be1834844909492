"""How a crawl stands, cheap to read: what a list of crawls shows, of running ones too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from focused_crawler.report.alarms import standing_alarms
from focused_crawler.report.words import KILLED, why_stopped
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, RunInfo, run_of
from focused_crawler.store.judges import hits_by
from focused_crawler.store.opening import crawl_at_once, is_in_use
from focused_crawler.store.rows import read_counters

LAST = 100
"""Pages that count for the harvest rate of now."""

_LAST = "SELECT {} FROM pages ORDER BY position DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class Standing:
    """A crawl at one moment. Rates are in [0, 1]."""

    folder: Path
    run: RunInfo
    is_running: bool
    pages: int = 0
    relevant: int = 0  # by `run.judged_by`
    rate_now: float = 0.0  # over the last pages
    alarms: int = 0  # that stand
    fault: str = ""  # why its database could not be read; empty: it was

    @property
    def rate(self) -> float:
        """Return the harvest rate."""
        return _share(self.relevant, self.pages)

    @property
    def why_ended(self) -> str:
        """Return why it ended, as a sentence; empty while it runs, and where nobody can say if it does."""
        if self.run.state == RUNNING:
            return "" if self.is_running or self.fault else KILLED
        return "" if self.is_running else why_stopped(self.run.reason)


def standing_of(folder: Path, run: RunInfo) -> Standing:
    """Return how a crawl stands; one whose database cannot be read has what run.json says, and the fault."""
    try:
        is_running = is_in_use(folder)
        if run.state == RUNNING and not is_running:  # it may have ended since that was read
            run = run_of(folder)
        with crawl_at_once(folder) as database:
            pages, relevant, rate_now = hits_of(database, run)
            alarms = len(standing_alarms(database))
    except FocusedCrawlerError as error:
        pages, relevant = (int(run.totals.get(name) or 0) for name in ("pages", "relevant"))
        return Standing(folder, run, False, pages, relevant, fault=str(error))
    return Standing(folder, run, is_running, pages, relevant, rate_now, alarms)


def hits_of(database: CrawlDatabase, run: RunInfo) -> tuple[int, int, float]:
    """Return pages, those that count as relevant, and the rate over the last ones; reads only these."""
    hits = hits_by(run.judged_by)
    counters, last = read_counters(database), database.rows(_LAST.format(hits.column), (LAST,))
    rate_now = _share(sum(is_hit for (is_hit,) in last), len(last))
    return counters.get("pages", 0), counters.get(hits.counter, 0), rate_now


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
