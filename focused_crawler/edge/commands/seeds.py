"""`scrapy seeds`: start pages of a topic, found by many small searches with the words of its thesaurus."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from rich.console import Console

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.search.registry import PROVIDERS, SearchSettings
from focused_crawler.edge.command import FocusedCommand, whole_number
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.printable import place
from focused_crawler.safety.settings import read
from focused_crawler.store.job import read_run, read_run_of
from focused_crawler.topic.topic import FILE_NAME, Topic, load_topic, typed
from focused_crawler.topic.writer import add_seeds

if TYPE_CHECKING:
    from focused_crawler.discovery.choice import Seed
    from focused_crawler.discovery.harvest import Harvest
    from focused_crawler.discovery.search.base import SearchProvider
    from focused_crawler.discovery.seed_search import SeedSearch
    from focused_crawler.experiment.plateau import PlateauJudge

# ruff: noqa: PLC0415 - Scrapy imports all commands at every start, and few need a thesaurus or plots.

SEARCHES = 30
PLATEAU_SEARCHES = 100
TOP = 10
SEEDS = 30
PER_SITE = 5
MOST = 1000
INTERRUPTED = 128 + signal.SIGINT


class Command(FocusedCommand):
    """Asks for pages; fetches none."""

    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - Scrapy's own attribute

    def syntax(self) -> str:
        return (
            "TOPIC [--provider NAME] [--web FILE | --crawl FOLDER] [--write] [--csv FILE] [--plateau FOLDER]"
            " [options]"
        )

    def short_desc(self) -> str:
        return "Find start pages of a topic by many small searches with its words"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for option, metavar, help_text in (
            ("--provider", "NAME", f"who is asked: {', '.join(PROVIDERS)} (default: FOCUSED_SEARCH)"),
            ("--searches", "N", f"how many (default: {SEARCHES}, with --plateau {PLATEAU_SEARCHES})"),
            ("--top", "N", f"results that are taken of each search (default: {TOP})"),
            ("--n", "N", f"start pages (default: {SEEDS})"),
            ("--per-site", "N", f"start pages on one site at most (default: {PER_SITE})"),
        ):
            parser.add_argument(option, metavar=metavar, help=help_text)
        for option, metavar, help_text in (
            ("--web", "FILE", "search this recorded web (as -s FOCUSED_WEB=FILE does)"),
            ("--crawl", "FOLDER", "search the pages of this crawl"),
            ("--csv", "FILE", "write the start pages as CSV, with the searches that found them"),
            ("--plateau", "FOLDER", "choose none; write relevant pages against number of searches there"),
        ):
            parser.add_argument(option, metavar=metavar, help=help_text, type=Path)
        parser.add_argument("--write", action="store_true", help="add the start pages to topic.toml")

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.discovery.seed_search import SeedSearch

        assert self.settings is not None
        _check(args, opts)
        if opts.provider is not None:
            self.settings.set("FOCUSED_SEARCH", opts.provider, priority="cmdline")
        if opts.web is not None:
            self.settings.set("FOCUSED_WEB", str(opts.web), priority="cmdline")
        wanted = _Wanted.read(opts)
        config = CrawlConfig.from_settings(self.settings)
        search = SeedSearch(load_topic(args[0]), config, wanted.searches)
        try:
            with closing(self._provider(search.topic, config, opts)) as provider:
                found = search.ask(provider, wanted.top)
        except KeyboardInterrupt:
            print("stopped; the same command goes on from here", file=sys.stderr)
            self.exitcode = INTERRUPTED
            return
        if not found.answers:
            raise SearchError(found.failures[0][1])
        if opts.plateau is None:
            _show(search, found, wanted, opts, _web(config, opts.crawl, provider.name))
        else:
            _show_plateau(search, config, found, provider.name, opts)

    def _provider(self, topic: Topic, config: CrawlConfig, opts: argparse.Namespace) -> SearchProvider:
        """Open who is asked; raises ConfigError, and SearchError where a key is missing."""
        from focused_crawler.discovery.search.registry import open_provider

        def open_local() -> SearchProvider:
            return _local(topic, config.web, opts.crawl)

        assert self.settings is not None
        settings = read(SearchSettings, self.settings)
        for option, place_to_search in (("--crawl", opts.crawl), ("--web", opts.web)):
            if place_to_search is not None and settings.provider != "local":
                raise ConfigError(f"{option} is searched by no {settings.provider}; use --provider local")
        return open_provider(settings, open_local, language=topic.language)


def _local(topic: Topic, web: Path | None, crawl: Path | None) -> SearchProvider:
    from focused_crawler.discovery.search.local import search_crawl, search_web

    if crawl is not None:
        read_run_of(crawl, topic.name)
        return search_crawl(crawl)
    if web is not None:
        return search_web(web, topic.language)
    raise ConfigError(
        f"nothing to search: scrapy seeds {typed(topic)} --provider ddgs asks the live web,"
        " --web FILE.warc.gz a recorded one, --crawl FOLDER the pages of a crawl"
    )


def _check(args: list[str], opts: argparse.Namespace) -> None:
    if len(args) != 1:
        raise ConfigError("name one topic, as in scrapy seeds asthma (scrapy list shows the names)")
    if opts.plateau is not None and (opts.write or opts.csv is not None):
        raise ConfigError("--plateau chooses no start pages; leave --write and --csv out, or it")
    if opts.web is not None and opts.crawl is not None:
        raise ConfigError("--web and --crawl are both to be searched; leave one of them out")


class _Wanted(NamedTuple):
    """How many."""

    searches: int
    top: int
    n: int
    per_site: int

    @classmethod
    def read(cls, opts: argparse.Namespace) -> Self:
        """Read the options that are numbers; raises ConfigError."""
        searches = SEARCHES if opts.plateau is None else PLATEAU_SEARCHES
        defaults = {"searches": searches, "top": TOP, "n": SEEDS, "per_site": PER_SITE}
        return cls(**{name: _whole(opts, name, default) for name, default in defaults.items()})


def _whole(opts: argparse.Namespace, name: str, default: int) -> int:
    text: str | None = getattr(opts, name)
    return default if text is None else whole_number(f"--{name.replace('_', '-')}", text, MOST)


def _web(config: CrawlConfig, crawl: Path | None, provider: str) -> str:
    """Return the recorded web that the answers are pages of; empty where they are of the live one."""
    if provider != "local":
        return ""
    if crawl is None:
        return place(config.web) if config.web is not None else ""
    run = read_run(crawl)
    return run.web or "" if run is not None else ""


def _show(search: SeedSearch, found: Harvest, wanted: _Wanted, opts: argparse.Namespace, web: str) -> None:
    from focused_crawler.discovery.choice import save_seeds
    from focused_crawler.report.terminal.discovery import seeds, story

    choice = search.choose(found, wanted.per_site, wanted.n)
    if choice.seeds:
        Console(highlight=False).print(seeds(choice.seeds))
    print(*story(found, choice), sep="\n")
    if opts.csv is not None:
        save_seeds(choice.seeds, opts.csv)
        print(f"Written: {place(opts.csv)}")
    if choice.seeds:
        hint = "With --write they become start pages."
        print(_written(search.topic, choice.seeds, web) if opts.write else hint)


def _written(topic: Topic, seeds: list[Seed], web: str) -> str:
    """Put start pages into the topic's file and say so."""
    now = add_seeds(topic, [seed.url for seed in seeds])
    file = place(topic.folder / FILE_NAME)
    there = f" -s {shlex.quote(f'FOCUSED_WEB={web}')}" if web else ""
    next_command = f"scrapy crawl topic -a topic={typed(topic)}{there}"
    return f"{file} has {len(now.seeds)} start pages now.\nNext: {next_command}"


def _judge(
    search: SeedSearch, config: CrawlConfig, crawl: Path | None, provider: str
) -> AbstractContextManager[PlateauJudge]:
    from focused_crawler.experiment.plateau import judge_by_snippets, judge_of_crawl, judge_of_web

    if crawl is not None:
        return judge_of_crawl(crawl)
    if provider == "local" and config.web is not None:
        return judge_of_web(config.web, search.topic, config)
    return judge_by_snippets(search.looks)


def _show_plateau(
    search: SeedSearch, config: CrawlConfig, found: Harvest, provider: str, opts: argparse.Namespace
) -> None:
    from focused_crawler.experiment.plateau import Plateau, save_plateau, steps_of

    with _judge(search, config, opts.crawl, provider) as judge:
        steps = steps_of(found.answers, judge.is_relevant)
    top = _Wanted.read(opts).top
    plateau = Plateau(search.topic, provider, top, judge, steps)
    print(plateau)
    for path in save_plateau(plateau, opts.plateau):
        print(f"Written: {place(path)}")
