from __future__ import annotations

import argparse
import os
import sys

from scrapy.commands.list import Command as ScrapyListCommand
from scrapy.spiderloader import get_spider_loader

from focused_crawler.edge.entry import NamesProgram, report_error
from focused_crawler.edge.scrapy_settings import check_spiders
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.printable import say
from focused_crawler.topic.topic import load_topic, topic_names


class Command(NamesProgram, ScrapyListCommand):
    """The names alone where they are piped, as scripts expect; with the topics' titles on a terminal."""

    def short_desc(self) -> str:
        return "List the topics that can be crawled by name, with their titles"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            check_spiders(self.settings)
        except ConfigError as error:
            sys.exit(report_error(error))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not sys.stdout.isatty():
            try:
                super().run(args, opts)
                sys.stdout.flush()
            except BrokenPipeError:  # who reads the output has had enough, as head has
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                self.exitcode = 1
            return
        assert self.settings is not None
        topics = set(topic_names())
        names = sorted(get_spider_loader(self.settings).list())
        width = max(map(len, names), default=0)
        for name in names:
            say(f"{name:<{width}}  {_title(name) if name in topics else ''}".rstrip())


def _title(name: str) -> str:
    try:
        return load_topic(name).title
    except TopicError as error:  # the others are listed all the same
        return f"cannot be read: {error}"
