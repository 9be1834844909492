"""`scrapy judge`: the pages of a crawl judged anew, by one judge."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.judging import BY, TextJudge, record, write_up
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.page import write_report
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.safety.printable import place, say
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import change_crawl, read_crawl


class Command(FocusedCommand):
    """Rewrites what the crawl says of its pages, unless it is only to be shown."""

    usage = "CRAWL_FOLDER [--by JUDGE] [--show]"
    options = (
        Option("--by JUDGE", f"{', '.join(BY)} (default: the topic's model, its keywords where it has none)"),
        Option("--show", "only show what would change"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        run = run_of(folder)
        judge = TextJudge.of_crawl(run, self.settings, opts.by or "")
        with read_crawl(folder) if opts.show else change_crawl(folder) as database:
            _judge(folder, run, judge, database, must_write=not opts.show)
        if not opts.show:
            say(f"Report in {place(write_report(folder))}")


def _judge(
    folder: Path, run: RunInfo, judge: TextJudge, database: CrawlDatabase, *, must_write: bool
) -> None:
    pages = judge.pages(database)
    if not pages:
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    were, are = sum(page.was_relevant for page in pages), sum(page.is_relevant for page in pages)
    gone = sum(page.was_relevant and not page.is_relevant for page in pages)
    say(
        f"{place(folder)}: {count(are)} of {plural(len(pages), 'page')} relevant by {judge.name}"
        f" ({percent(are / len(pages))}), {count(were)} as recorded by {run.judge}:"
        f" {count(are - were + gone)} more and {count(gone)} fewer"
    )
    if not must_write:
        return
    record(database, judge.name, pages)
    database.commit()
    write_up(folder, run, database, judge.name)
