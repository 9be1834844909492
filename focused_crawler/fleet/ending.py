"""What is written when the workers of a machine have ended: run.json, feed and report of the whole crawl."""

from __future__ import annotations

import time
from pathlib import Path

from focused_crawler.crawl import INTERRUPTIONS
from focused_crawler.errors import CrawlError
from focused_crawler.fleet.status import FleetStatus
from focused_crawler.report.write import write_report
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, rewrite_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import FINISHED, RUNNING, STOPPED, RunInfo, read_run, write_run
from focused_crawler.store.opening import read_crawl


def write_outputs(folder: Path, status: FleetStatus) -> tuple[Path, str]:
    """Write them; return the path of the report, and why the crawl ended. Raises CrawlError.

    While workers of other machines go on, what is written is how far the crawl has come.
    """
    run = read_run(folder)
    if run is None:
        raise CrawlError(f"no worker came so far as to write {folder / 'run.json'}; their logs there say why")
    with read_crawl(folder) as database:
        _bring_up_to_date(run, status, database)
        write_run(folder, run)
        rewrite_feed(folder / FEED, CrawlHistory(database).pages())
    return write_report(folder), run.reason


def is_over(status: FleetStatus) -> bool:
    """Tell whether the fleet has nothing left to do; False where that cannot be known now."""
    if status.totals is not None and status.totals.spent():
        return True
    return status.frontier is not None and not status.frontier.has_more


def _bring_up_to_date(run: RunInfo, status: FleetStatus, database: CrawlDatabase) -> None:
    run.reason = _reason(status, database)
    is_left = status.frontier is not None and status.frontier.has_more
    if status.living:
        run.state = RUNNING
    elif run.reason in INTERRUPTIONS or (run.reason == "finished" and is_left):
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


def _reason(status: FleetStatus, database: CrawlDatabase) -> str:
    """Return why the crawl ended: as its last worker has it, where neither budget nor frontier tells."""
    spent = status.totals.spent() if status.totals is not None else None
    if spent or is_over(status):
        return spent or "finished"
    ended = [run for run in CrawlHistory(database).runs() if run.ended is not None]
    last = max(ended, key=lambda run: run.ended or 0.0, default=None)
    return (last.reason if last else None) or "shutdown"
