"""`scrapy report`: plots and tables of a crawl, also beside other crawls."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.judgement_files import finish_judging
from focused_crawler.crawl.judging import TextJudge
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.compared import compare_crawls
from focused_crawler.report.page import save_report
from focused_crawler.report.read import read_summaries
from focused_crawler.report.terminal.crawl import differences, figures, remarks
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import say
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.topic.labels import read_labels
from focused_crawler.topic.topic import load_topic


class Command(FocusedCommand):
    """Writes report.html and prints its figures."""

    usage = "CRAWL_FOLDER [--compare FOLDER]... [--out FILE]"
    options = (
        Option("--compare FOLDER", "another crawl to set beside it", Path, is_repeated=True),
        Option("--out FILE", "where to write (default: CRAWL_FOLDER/report.html)", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        for one in (folder, *opts.compare):
            finish_judging(one)
        summary, *others = read_summaries([folder, *opts.compare], self._judge)
        path = save_report(summary, others, opts.out or folder / "report.html")
        terminal = Terminal()
        terminal.print(figures([summary, *others]))
        terminal.print(*remarks(summary), sep="\n", soft_wrap=True)  # a URL stays whole
        if others and len({crawl.topic for crawl in (summary, *others)}) == 1:
            found = compare_crawls([folder, *opts.compare], self._judge)
            terminal.print(*differences(found), sep="\n", soft_wrap=True)
        elif others:
            say("They are about several topics: each is judged by its own judge, and no two are compared.")
        if fault := _fault_of_labels(run_of(folder)):
            say(f"Figures go without some labels, or all: {fault}")
        say(path)  # not through rich: a path must not be wrapped

    def _judge(self, run: RunInfo) -> TextJudge:
        return TextJudge.of_several(run, self.settings)


def _fault_of_labels(run: RunInfo) -> str:
    """Return what is wrong with the labels of a crawl's topic; empty: nothing, or no topic is there."""
    try:
        folder = load_topic(run.topic_name).folder
    except TopicError:
        return ""
    try:
        return read_labels(folder).fault
    except TopicError as error:
        return str(error)
