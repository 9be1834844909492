"""Feed and run.json of a crawl that was judged anew: they follow its database."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, correct_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RunInfo, run_of, write_run
from focused_crawler.store.judges import GROUND_TRUTH, is_certain, named_now
from focused_crawler.store.opening import change_crawl, read_crawl


def write_up(folder: Path, run: RunInfo, database: CrawlDatabase, judge: str) -> None:
    """Let feed and run.json say what the database does, now that all pages are judged by `judge`."""
    history = CrawlHistory(database)
    correct_feed(folder / FEED, history.pages())
    run.judge = judge
    if run.judged_by != GROUND_TRUTH:
        totals = history.counters()
        run.judged_by = judge
        run.totals |= {
            "relevant": totals["relevant"], "harvest_rate": totals["relevant"] / totals["pages"]
        }  # fmt: skip
    write_run(folder, run)


def finish_judging(folder: Path) -> None:
    """Let feed and run.json follow the database, where a judge was killed after its commit and before them.

    All runs of the crawl have one judge then, and run.json another, or another beside it. Does nothing to a
    crawl under way, or where nothing may be written.
    """
    run = run_of(folder)
    with read_crawl(folder) as database:
        if _unwritten(database, run) is None:
            return
    with suppress(CrawlError), change_crawl(folder) as database:
        if judge := _unwritten(database, run):
            write_up(folder, run, database, judge)


def _unwritten(database: CrawlDatabase, run: RunInfo) -> str | None:
    """Return the judge of all runs if run.json does not name it, and it alone."""
    names = [name for (name,) in database.rows("SELECT DISTINCT judge FROM runs")]
    if len(names) != 1 or not is_certain(names[0] or ""):
        return None
    said = {named_now(run.judge), named_now(run.judged_by)} - {GROUND_TRUTH}
    is_behind = said != {names[0]} and database.rows("SELECT 1 FROM pages LIMIT 1")
    return names[0] if is_behind else None
