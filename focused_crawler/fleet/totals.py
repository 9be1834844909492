"""What a fleet has recorded, read from its crawl database."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from focused_crawler.fleet.status import Totals
from focused_crawler.metrics.harvest import WINDOWS, HarvestRate
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RunInfo

SLOW_SECONDS = 10.0
"""What costs more with every page is asked for so often."""

_LAST = "SELECT is_relevant, is_target, title FROM pages ORDER BY position DESC LIMIT ?"
_LAST_REASON = "SELECT reason FROM runs ORDER BY coalesce(ended, started) DESC LIMIT 1"
_SETTINGS = "SELECT settings FROM runs ORDER BY id DESC LIMIT 1"
_BYTES = """
SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) FROM pg_class
JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = current_schema() AND relkind = 'r'
"""


class TotalsReader:
    """Reads the totals again and again; CrawlError where the database cannot be read."""

    def __init__(self, database: CrawlDatabase, run: Callable[[], RunInfo | None]) -> None:
        """`run`: what this machine knows of the crawl: what judges its pages, how many targets it has."""
        self._database = database
        self._run = run
        self._slow_at = float("-inf")
        self._bytes, self._errors = 0, dict[str, int]()
        self._known: RunInfo | None = None

    def strategy(self) -> str:
        """Return the strategy of the last worker that came; empty before the first."""
        settings = self._settings()
        return str(settings.get("FOCUSED_STRATEGY") or settings.get("FOCUSED_DEFAULT_STRATEGY") or "")

    def reason_of(self, worker: str) -> str | None:
        """Return why the run of a worker ended; None: it has not, or nobody knows."""
        rows = self._database.rows("SELECT reason FROM runs WHERE worker = ?", (worker,))
        return None if not rows or rows[-1][0] is None else str(rows[-1][0])

    def last_reason(self) -> str | None:
        """Return why the last run ended; None: there was none, or its worker was killed."""
        rows = self._database.rows(_LAST_REASON)
        return None if not rows or rows[0][0] is None else str(rows[0][0])

    def read(self) -> Totals:
        """Return the totals of now."""
        history, settings, run = CrawlHistory(self._database), self._settings(), self._known or self._run()
        self._known = run
        counters, last = history.counters(), self._database.rows(_LAST, (max(WINDOWS),))
        has_truth = bool(last) and last[0][1] is not None
        by_target = run.judged_by == "ground truth" if run else has_truth
        known = run.targets if run else None
        self._read_slow(history)
        column = 1 if by_target else 0
        rate = HarvestRate.from_outcomes(bool(row[column]) for row in reversed(last))
        pages = counters.get("pages", 0)
        relevant, targets = counters.get("relevant", 0), counters.get("targets", 0)
        hits = targets if by_target else relevant
        return Totals(
            pages=pages,
            revisits=counters.get("revisits", 0),
            relevant=hits,
            targets=targets,
            failures=counters.get("failures", 0),
            harvest_rate=hits / pages if pages else 0.0,
            harvest_rate_100=rate.over_last(100),
            harvest_rate_1000=rate.over_last(1000),
            target_recall=targets / known if known else None,
            page_budget=int(settings.get("FOCUSED_PAGES") or 0),
            relevant_budget=int(settings.get("FOCUSED_RELEVANT") or 0),
            database_bytes=self._bytes,
            last_title=next((str(row[2]) for row in last if row[column]), ""),
            errors=self._errors,
        )

    def _settings(self) -> dict[str, Any]:
        rows = self._database.rows(_SETTINGS)
        return dict(json.loads(rows[0][0])) if rows else {}

    def _read_slow(self, history: CrawlHistory) -> None:
        if time.monotonic() < self._slow_at + SLOW_SECONDS:
            return
        self._errors = history.failures_by_class()
        self._bytes = int(self._database.rows(_BYTES)[0][0])
        self._slow_at = time.monotonic()
