"""What all commands of the project share: errors end in one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from focused_crawler.edge.arguments import apply_profile
from focused_crawler.edge.entry import CommandEntry, check_options, report_error
from focused_crawler.edge.scrapy_settings import check_first_loaded, check_log
from focused_crawler.report.live import with_bar
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.printable import leaving_when_stopped, place, printable
from focused_crawler.safety.progress import show_by
from focused_crawler.safety.settings import text_of
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.foreign import explaining
from focused_crawler.store.opening import remember_address
from focused_crawler.topic.topic import Topic, load_topic, topic_names, typed

LONGEST_USAGE = 300
"""Characters of a usage that an error shows; of a longer one it shows the part that was meant."""

_PLACES = "FOCUSED_WEB", "FOCUSED_MODELS", "FOCUSED_CRAWLS"
"""Where what one command reads or writes lies, and what to type next has to find it."""

_UNBROKEN = "\N{NO-BREAK SPACE}"
"""After a colon: Scrapy makes a heading of a line of help that ends with one."""


class Option(NamedTuple):
    """An option of a command.

    `words`: as its help shows it; "--json FILE" takes a value, "--all" takes none. `kind`: str, Path, or int:
    a whole number from `least` to `most`, whose default is added to the help. `more`: what argparse takes.
    """

    words: str
    help: str
    kind: Callable[[str], Any] = str
    default: Any = None
    most: int = 1_000_000_000
    least: int = 1
    is_repeated: bool = False
    more: Mapping[str, Any] = MappingProxyType({})

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Let a parser know the option."""
        name, _, metavar = self.words.partition(" ")
        meaning = self.help.replace(": ", f":{_UNBROKEN}")
        if not metavar:
            parser.add_argument(name, action="store_true", help=meaning)
            return
        keywords: dict[str, Any] = {"metavar": metavar, "help": meaning, "default": self.default}
        if self.is_repeated:
            keywords |= {"action": "append", "default": []}
        if self.kind is not int:
            keywords["type"] = self.kind
        elif self.default is not None:
            keywords["help"] += f" (default:{_UNBROKEN}{self.default})"
        parser.add_argument(name, **{**keywords, **self.more})

    def convert(self, opts: argparse.Namespace) -> None:
        """Make a whole number of what was typed; raises ConfigError, where argparse would show the usage."""
        option = self.words.partition(" ")[0]
        name = option.removeprefix("--").replace("-", "_")
        if self.kind is int and isinstance(text := getattr(opts, name), str):
            is_short = text.isascii() and text.isdecimal() and len(text) < 20
            if not (is_short and self.least <= int(text) <= self.most):
                given = printable(text[:40])
                raise ConfigError(
                    f"{option} is {given}; give a whole number from {self.least} to {self.most}"
                )
            setattr(opts, name, int(text))


PROGRESS = Option(
    "--progress FILE", "write how far it is there, as JSON: what is counted, how many, of", Path
)
"""For commands that take long, and another program that shows them."""

Action = Callable[[list[str], argparse.Namespace], None]


class FocusedCommand(CommandEntry):
    """A command whose `main` may raise `FocusedCrawlerError`; it has its options from a table."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    checks_names: ClassVar[bool] = True  # of settings; False: it reports them itself
    settings: Settings  # set by Scrapy, as crawler_process is
    _parser: argparse.ArgumentParser | None = None

    def syntax(self) -> str:
        return self.usage

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for option in self.options:
            option.add_to(parser)
        self._parser = parser

    @abstractmethod
    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the command's work."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        show_by(with_bar)
        try:
            remember_address(str(self.settings.get("FOCUSED_DATABASE") or "") if self.settings else "")
            if self._parser is not None:
                check_options(args, self._parser._option_string_actions)
            if self.checks_names and any(str(name).startswith("FOCUSED_") for name in self.settings or ()):
                from focused_crawler.edge.setting_names import check_names  # noqa: PLC0415 - loads all strategies

                check_names(self.settings)
            for option in self.options:
                option.convert(opts)
            with leaving_when_stopped(), explaining(), explaining_extras():
                self.main(args, opts)
            sys.stdout.flush()
        except FocusedCrawlerError as error:
            self.exitcode = report_error(error)
        except BrokenPipeError:  # who reads the output has had enough, as head has
            _print_no_more()
            self.exitcode = 1
        except OSError as error:  # a name that is too long, a folder that may not be read
            if error.filename is None:
                raise
            name = place(Path(os.fsdecode(error.filename)))
            problem = f"{name}: cannot be used: {error.strerror}; name another"
            self.exitcode = report_error(ConfigError(problem))

    def only(self, args: Sequence[str], what: str, example: str) -> str:
        """Return the one argument of a command; raises ConfigError that shows an example."""
        if len(args) != 1:
            raise ConfigError(f"name one {what}, as in: scrapy {self._name} {example}")
        return args[0]

    def act(
        self, args: list[str], opts: argparse.Namespace, actions: Mapping[str, tuple[Action, int, int]]
    ) -> None:
        """Do what the first argument names; each action takes so many more, from least to most."""
        action, least, most = actions.get(args[0] if args else "", (None, 0, 0))
        if action is None or not least < len(args) <= most + 1:
            given = " ".join(args) or "nothing"
            usage = self.usage
            if len(usage) > LONGEST_USAGE:
                ways = [way for way in usage.split(" | ") if args and way.split(" ")[0] == args[0]]
                usage = " | ".join(ways) or f"{', '.join(actions)}; -h shows what each takes"
            raise ConfigError(f"use one of: scrapy {self._name} {usage}; not {given}")
        action(args[1:], opts)

    def topic(self, name: str) -> Topic:
        """Return a topic; from here on the settings are those of its crawls. Raises the errors of both."""
        topic = load_topic(name)
        apply_profile(self.settings, topic)
        return topic

    def override(self, name: str, value: object) -> None:
        """Set what an option says as `-s` would; None leaves the setting alone."""
        if value is not None:
            self.settings.set(name, str(value), priority="cmdline")

    def text(self, name: str) -> str:
        """Return a setting as it was typed, unchecked."""
        from focused_crawler.crawl.config import DEFAULTS  # noqa: PLC0415 - loads all strategies

        return text_of(self.settings, name, DEFAULTS[name])

    def to_type(self, topic: Topic) -> str:
        """Return a topic as another command is given it, with where this one was told that things lie."""
        return f"{typed(topic)}{self._places()}"

    def to_crawl(self, topic: Topic, web: str | None = None) -> str:
        """Return the command that crawls a topic; `web`: on this one, "": on the live one."""
        name = typed(topic)
        spider = name if name in topic_names() else f"topic -a topic={name}"
        return f"scrapy crawl {spider}{self._places(web)}"

    def _places(self, web: str | None = None) -> str:
        given = {name: self.settings.get(name) for name in _PLACES if self._is_typed(name)}
        if web is not None:
            given["FOCUSED_WEB"] = web
        return "".join(f" -s {shlex.quote(f'{name}={value}')}" for name, value in given.items() if value)

    def _is_typed(self, name: str) -> bool:
        return (self.settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]

    @property
    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]


def _print_no_more() -> None:
    """Let what is still to be printed go nowhere, where that cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class FetchingCommand(FocusedCommand):
    """A command that fetches through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    requires_crawler_process = True
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    crawler_process: CrawlerProcessBase

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        try:
            check_log(self.settings)  # Scrapy opens the log before the command begins
            check_first_loaded(self.settings)
        except FocusedCrawlerError as error:
            sys.exit(report_error(error))


def save_json(record: object, path: Path) -> None:
    """Write what --json asks for; raises ConfigError."""
    text = json.dumps(record, indent=2, ensure_ascii=False)
    try:
        with unfinished(path) as file:
            file.write_text(f"{text}\n", "utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); name another file with --json FILE"
        ) from None


def crawl_to_end(process: CrawlerProcessBase, crawler: Crawler, **arguments: Any) -> None:
    """Run a crawl, and raise what prevented its start."""
    outcome = process.crawl(crawler, **arguments)
    assert isinstance(outcome, asyncio.Task)  # the project runs on the asyncio reactor
    process.start()
    if outcome.done() and not outcome.cancelled():
        outcome.result()
