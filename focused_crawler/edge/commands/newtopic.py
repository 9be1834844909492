"""`scrapy newtopic`: a topic folder from words, with start pages or without."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, say
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.topic import FILE_NAME, Topic, title_of
from focused_crawler.topic.writer import WrongValue, write_topic

ENOUGH_EXAMPLES = 12  # of each kind; a model trained on fewer is hardly to be trusted
_OPTIONS = {"name": "NAME", "keywords": "--keyword", "seeds": "--seed"}
"""What the command calls a field of a topic that it has another name for."""


class Command(FocusedCommand):
    """Writes the folder; fetches nothing."""

    usage = "NAME --keyword WORD [--seed URL] [options]"
    options = (
        Option("--keyword WORD", "a word or phrase of the topic (repeat it)", is_repeated=True),
        Option(
            "--seed URL", "a start page (repeat it); without any, scrapy seeds finds some", is_repeated=True
        ),
        Option("--relevant URL|FILE", "a page about the topic, or a saved one (repeat it)", is_repeated=True),
        Option(
            "--other URL|FILE", "a page that is not about it, or a saved one (repeat it)", is_repeated=True
        ),
        Option("--title TITLE", "what people call the topic"),
        Option("--description DESCRIPTION", "a sentence or two in the topic's own words", default=""),
        Option("--language LANGUAGE", "two letters: the language of its pages (en)", default="en"),
        Option("--into DIR", "where to make its folder (topics/)", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise ConfigError("give one name, as in: scrapy newtopic asthma --keyword asthma")
        into = topics_folder() if opts.into is None else opts.into
        topic = Topic(
            name=args[0],
            folder=into / args[0],
            title=title_of(args[0]) if opts.title is None else opts.title,
            description=opts.description,
            language=opts.language,
            keywords=tuple(opts.keyword),
            seeds=tuple(opts.seed),
            relevant_examples=tuple(opts.relevant),
            other_examples=tuple(opts.other),
        )
        try:
            made = write_topic(topic)
        except WrongValue as error:
            option = _OPTIONS.get(error.field, f"--{error.field}")
            raise TopicError(f"{option}: {error.problem}") from None
        say(*_what_next(made, has_own_spider=opts.into is None))


def _what_next(topic: Topic, has_own_spider: bool) -> list[str]:
    """Return what was made and the commands that use it."""
    path = place(topic.folder)
    crawl = topic.name if has_own_spider else f"topic -a topic={shlex.quote(path)}"
    name = topic.name if has_own_spider else shlex.quote(path)
    relevant, other = len(topic.relevant_examples), len(topic.other_examples)
    lines = [
        f"Made {path}/{FILE_NAME}: {plural(len(topic.keywords), 'keyword')}, "
        f"{plural(len(topic.seeds), 'start page')}, {relevant} relevant and {other} other examples.",
        "Until it is trained its words judge the pages.",
        "Next:",
        *([] if topic.seeds else [f"  scrapy seeds {name} --write"]),
        f"  scrapy crawl {crawl}",
        f"  scrapy train {name}",
    ]
    if min(relevant, other) < ENOUGH_EXAMPLES:
        lines.append(
            f"Training wants {ENOUGH_EXAMPLES} or more examples of each kind: add them to {FILE_NAME}."
        )
    return lines
