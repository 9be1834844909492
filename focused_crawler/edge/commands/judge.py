"""`scrapy judge`: the pages of a crawl judged anew, by one judge."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.judging import BY, TextJudge, judge_again
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.page import write_report
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.safety.printable import place, say
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import change_crawl, crawl_at_once


class Command(FocusedCommand):
    """Rewrites what the crawl says of its pages, unless it is only to be shown."""

    usage = "CRAWL_FOLDER [--by JUDGE] [--show]"
    options = (
        Option("--by JUDGE", f"{', '.join(BY)} (default: the topic's model, its words where it has none)"),
        Option("--show", "only show what would change"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        run = run_of(folder)
        judge = TextJudge.of_crawl(run, self.settings, opts.by or "")
        before = run.judge  # run.json names the new one when all is written; of pages that do not say whose
        with crawl_at_once(folder) if opts.show else change_crawl(folder) as database:
            done = judge_again(folder, run, judge, database, must_write=not opts.show)
        was = [f"{count(relevant)} as recorded by {name or before}" for name, relevant in done.was_by.items()]
        share = percent(done.relevant / done.pages)
        say(
            f"{place(folder)}: {count(done.relevant)} of {plural(done.pages, 'page')} relevant"
            f" by {done.judge} ({share}), {' and '.join(was)}:"
            f" {count(done.more)} more and {count(done.fewer)} fewer"
        )
        if not opts.show:
            say(f"Report in {place(write_report(folder))}")
