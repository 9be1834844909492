"""What is written when the workers of a machine have ended: run.json, feed and report of the whole crawl."""

from __future__ import annotations

import time
from pathlib import Path

from focused_crawler.errors import CrawlError
from focused_crawler.fleet.reason import why_ended
from focused_crawler.fleet.status import FleetStatus
from focused_crawler.report.write import write_report
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, rewrite_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import FINISHED, INTERRUPTIONS, RUNNING, STOPPED, RunInfo, read_run, write_run
from focused_crawler.store.opening import read_crawl


def write_outputs(folder: Path, status: FleetStatus, since: float) -> tuple[Path, str]:
    """Write them; return the path of the report, and why the crawl ended. Raises CrawlError.

    `since`: when this fleet began (epoch): why runs before it ended says nothing of it. While workers of
    other machines go on, what is written is how far the crawl has come.
    """
    run = read_run(folder)
    if run is None:
        raise CrawlError(f"no worker came so far as to write {folder / 'run.json'}; their logs there say why")
    with read_crawl(folder) as database:
        _bring_up_to_date(run, status, why_ended(status, _last_reason(database, since)))
        write_run(folder, run)
        rewrite_feed(folder / FEED, CrawlHistory(database).pages())
    return write_report(folder), run.reason


def _bring_up_to_date(run: RunInfo, status: FleetStatus, reason: str) -> None:
    run.reason = reason
    if status.living:
        run.state = RUNNING
    elif run.reason in INTERRUPTIONS:
        run.state = STOPPED
    else:
        run.state = FINISHED
    run.ended = time.time()
    run.left = list(status.frontier.bands) if status.frontier is not None else []
    if status.totals is not None:
        totals = status.totals
        run.totals = {
            "pages": totals.pages,
            "revisits": totals.revisits,
            "relevant": totals.relevant,
            "harvest_rate": totals.harvest_rate,
            "target_recall": totals.target_recall,
            "pending": status.frontier.pending if status.frontier else 0,
        }


def _last_reason(database: CrawlDatabase, since: float) -> str | None:
    """Return what the last run to end wrote; who was killed wrote nothing."""
    began = [run for run in CrawlHistory(database).runs() if run.started >= since and run.ended is not None]
    last = max(began, key=lambda run: run.ended or 0.0, default=None)
    return last.reason if last else None
