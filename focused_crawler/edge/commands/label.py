"""`scrapy label TOPIC`: a person says of a crawl's pages, by single keys, whether they are relevant."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.label_desk import NUMBER, LabelDesk
from focused_crawler.discovery.label_queues import CRAWLED_QUEUES, NothingLeft
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.edge.labelling import LabelSession
from focused_crawler.edge.suggesting import labels_of
from focused_crawler.report.labelling import cards_of, listed
from focused_crawler.report.sampling.as_labels import import_labels
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.formats import plural, tidy
from focused_crawler.safety.printable import place, say
from focused_crawler.safety.settings import read_one
from focused_crawler.store.job import run_of
from focused_crawler.store.job_folder import last_crawl
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.label import LONGEST_NAME, person_problem, user_name
from focused_crawler.topic.labels import FILE, Labels, append, read_labels, undo
from focused_crawler.topic.topic import Topic

MOST = 10_000


class Command(FocusedCommand):
    """Reads a crawl, also beside its running process; writes the topic's labels and nothing else."""

    usage = (
        "TOPIC [--crawl FOLDER] [--queue QUEUE] [--by NAME] [--number N] [--again]"
        " | TOPIC --import FILE.csv [--by NAME] | TOPIC --undo [--by NAME] | TOPIC --list"
    )
    options = (
        Option("--crawl FOLDER", "whose pages (default: the topic's last crawl)", Path),
        Option("--queue QUEUE", f"{', '.join(CRAWLED_QUEUES)} (default: {CRAWLED_QUEUES[0]})"),
        Option("--by NAME", "who labels (default: the user's name on this machine)"),
        Option("--number N", "pages", int, NUMBER, MOST),
        Option("--again", "pages that this person has labelled come once more"),
        Option(
            "--import FILE",
            "take labels from a judged sheet of scrapy sample, or a CSV file with url and label (repeat it)",
            Path,
            is_repeated=True,
        ),
        Option("--undo", "take back the newest label of this person"),
        Option("--list", "show what is labelled, by whom, and how far people agree"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        topic = self.topic(self.only(args, "topic", "asthma (scrapy list shows the names)"))
        files = getattr(opts, "import")
        if (bool(files) + opts.undo + opts.list + (opts.queue is not None)) > 1:
            raise ConfigError("give one of --queue, --import, --undo and --list")
        if opts.queue not in {None, *CRAWLED_QUEUES}:
            raise ConfigError(f"--queue is {opts.queue}; use one of {', '.join(CRAWLED_QUEUES)}")
        if opts.by is not None and (problem := person_problem(opts.by)):
            raise ConfigError(f"--{problem}")
        labels = labels_of(topic)
        if opts.list:
            for part in listed(labels):
                Terminal().print(part)
        elif opts.undo:
            _undo(topic, _person(opts))
        elif files:
            _import(topic, labels, files, opts)
            say(f"Next: scrapy train {self.to_type(topic)}")
        else:
            self._label(topic, labels, opts)

    def _label(self, topic: Topic, labels: Labels, opts: argparse.Namespace) -> None:
        folder = opts.crawl or last_crawl(read_one(CrawlConfig, "crawls", self.settings), topic)
        desk, by = LabelDesk.of(folder, topic, self.settings), _person(opts)
        queue = opts.queue or CRAWLED_QUEUES[0]
        with read_crawl(folder) as database:
            try:
                pages = desk.queues(database, labels, by, again=opts.again).pages(queue, opts.number)
            except NothingLeft as error:
                if not database.rows("SELECT 1 FROM pages LIMIT 1"):
                    raise CrawlError(
                        f"{folder} has no pages yet; let it crawl first, or name another with --crawl"
                    ) from None
                again = "" if opts.again else ", or see labelled pages once more with --again"
                raise NothingLeft(f"{error}{again}") from None
            cards = cards_of(database, desk.analyst, desk.run.judge)
            session = LabelSession(topic=topic, cards=cards, sitting=desk.sitting(queue, by, pages))
            session.run()
        say(session.sitting.outcome())
        if session.sitting.said:
            say(f"Next: scrapy train {self.to_type(topic)}")


def _person(opts: argparse.Namespace) -> str:
    """Return who labels; raises ConfigError where nobody is known."""
    if opts.by:
        return str(opts.by)
    name = user_name()
    if not name:
        raise ConfigError("this machine knows no name for you; say who labels, with --by NAME")
    return name


def _undo(topic: Topic, by: str) -> None:
    label = undo(topic.folder, by)
    if label is None:
        raise ConfigError(f"{by} has no label in {place(topic.folder / FILE)}; name another with --by NAME")
    say(f"Taken back: {label.label}, of {label.url} ({label.at}, {by}).")


def _import(topic: Topic, labels: Labels, files: list[Path], opts: argparse.Namespace) -> None:
    crawl = tidy(run_of(opts.crawl).job, LONGEST_NAME) if opts.crawl else ""
    user = _person(opts)
    for path in files:
        found = import_labels(path, labels, opts.by or "", user, crawl)
        append(topic.folder, found.labels)
        labels = read_labels(topic.folder)
        people = Counter(label.by for label in found.labels)
        said = Counter(label.label for label in found.labels)
        counts = ", ".join(f"{number} {answer}" for answer, number in said.items())
        names = f" of {', '.join(people)}" if people else ""
        say(
            f"{place(path)}: {plural(len(found.labels), 'new label')}{names}{counts and f' ({counts})'};"
            f" {found.known} were there, {plural(found.blank, 'row')} not judged."
        )
