"""`scrapy lists`: the good sites and hubs of a topic over its crawls, and a person's marks."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.text import Text

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.edit import check_marks, forget, import_marks, mark, write_csv
from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import update_lists
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.terminal.crawl import listed
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable, say
from focused_crawler.topic.topic import Topic, typed

CHANGES = ("keep", "ban", "note", "import_file", "update", "forget")


class Command(FocusedCommand):
    """Without an option it shows the lists; each option changes them."""

    usage = "TOPIC [--all] [--keep SITE] [--ban SITE] [--note TEXT] [--export FILE] ..."
    options = (
        Option("--all", "also those with too few relevant pages"),
        Option(
            "--keep SITE",
            "start from a site, or from a hub (the URL of a page), whatever is counted",
            is_repeated=True,
        ),
        Option("--ban SITE", "never start from it, whatever is counted", is_repeated=True),
        Option("--note TEXT", "a note for what is kept or banned with it"),
        Option("--export FILE", "write all of it as CSV", Path),
        Option("--import FILE", "read marks and notes from CSV", Path, more={"dest": "import_file"}),
        Option("--update CRAWL", "count the crawl in this folder, anew if it was", Path),
        Option("--forget CRAWL", "drop the numbers of a crawl, by its folder or name"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        name = self.only(args, "topic", "asthma")
        if opts.note is not None and not (opts.keep or opts.ban):
            raise ConfigError("--note belongs to a site: name it with --keep SITE or --ban SITE")
        check_marks(opts.keep, opts.ban)
        topic = self.topic(name)
        models = CrawlConfig.from_settings(self.settings).models
        path = lists_path(topic, models)
        if opts.update:
            found = update_lists(topic, models, opts.update)
            numbers = f"{plural(found.pages, 'page')}, {count(found.relevant)} relevant"
            say(f"{printable(found.job)} counted: {numbers}")
        if not path.exists() and not (opts.keep or opts.ban or opts.import_file):
            raise TopicError(_nothing(topic))
        is_changed = any(getattr(opts, name) for name in CHANGES)
        with Lists(path, read_only=not is_changed) as lists:
            if is_changed:
                _change(lists, opts)
            if opts.export:
                write_csv(lists, opts.export)
                say(opts.export)
            elif not is_changed:
                _show(lists, has_all=opts.all)


def _change(lists: Lists, opts: argparse.Namespace) -> None:
    if opts.forget:
        say(f"{plural(forget(lists, opts.forget), 'crawl')} forgotten")
    if opts.import_file:
        say(f"{plural(import_marks(lists, opts.import_file), 'row')} read")
    for name in opts.keep:
        say(f"{printable(mark(lists, name, 'kept', opts.note))} is kept")
    for name in opts.ban:
        say(f"{printable(mark(lists, name, 'banned', opts.note))} is banned")


def _show(lists: Lists, *, has_all: bool) -> None:
    terminal = Terminal()
    for part in listed(lists, has_all=has_all):
        terminal.print(part, soft_wrap=isinstance(part, Text))


def _nothing(topic: Topic) -> str:
    return (
        f"{topic.name} has no lists yet: a crawl of the live web makes them when it is over,"
        f" scrapy lists {typed(topic)} --update CRAWL_FOLDER counts another one, --keep SITE begins by hand"
    )
