"""`scrapy seeds`: start pages of a topic, found by many small searches with the words of its thesaurus."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.choice import Seed, save_seeds
from focused_crawler.discovery.harvest import Harvest
from focused_crawler.discovery.search.base import PROVIDERS, SearchProvider, SearchSettings
from focused_crawler.discovery.search.registry import open_provider
from focused_crawler.discovery.seed_search import MOST, SEARCHES, TOP, SeedSearch
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.terminal.discovery import seeds, story
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import INTERRUPTED, place, say
from focused_crawler.safety.settings import read
from focused_crawler.store.job import read_run
from focused_crawler.topic.topic import FILE_NAME, Topic
from focused_crawler.topic.writer import add_seeds

PLATEAU_SEARCHES = 100
SEEDS = 30
PER_SITE = 5


class Command(FocusedCommand):
    """Asks for pages; fetches none."""

    usage = (
        "TOPIC [--provider NAME]... [--agree N] [--web FILE | --crawl FOLDER] [--write] [--csv FILE]"
        " [--plateau FOLDER] [options]"
    )
    options = (
        Option(
            "--provider NAME",
            f"who is asked, once for each: {', '.join(PROVIDERS)} (default: FOCUSED_SEARCH)",
            is_repeated=True,
        ),
        Option("--agree N", "only pages that so many of the providers return", int, 1, len(PROVIDERS)),
        Option(
            "--searches N",
            f"how many (default: {SEARCHES}, with --plateau {PLATEAU_SEARCHES})",
            int,
            most=MOST,
        ),
        Option("--top N", "results that are taken of each search", int, TOP, MOST),
        Option("--n N", "start pages", int, SEEDS, MOST),
        Option("--per-site N", "start pages on one site at most", int, PER_SITE, MOST),
        Option("--web FILE", "search this recorded web (as -s FOCUSED_WEB=FILE does)", Path),
        Option("--crawl FOLDER", "search the pages of this crawl", Path),
        Option("--csv FILE", "write the start pages as CSV, with the searches that found them", Path),
        Option(
            "--plateau FOLDER", "choose none; write relevant pages against number of searches there", Path
        ),
        Option("--write", "add the start pages to topic.toml"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        name = self.only(args, "topic", "asthma (scrapy list shows the names)")
        _check(opts)
        self.override("FOCUSED_WEB", opts.web)
        topic = self.topic(name)
        config = CrawlConfig.from_settings(self.settings)
        searches = opts.searches or (SEARCHES if opts.plateau is None else PLATEAU_SEARCHES)
        search = SeedSearch(topic, config, searches)
        try:
            with ExitStack() as stack:
                providers = [
                    stack.enter_context(closing(provider))
                    for provider in self._providers(search.topic, config, opts)
                ]
                found = Harvest.of([search.ask(provider, opts.top) for provider in providers])
        except KeyboardInterrupt:
            say("stopped; the same command goes on from here", to=sys.stderr)
            self.exitcode = INTERRUPTED
            return
        if not found.answers:
            raise SearchError(found.failures[0][1])
        if opts.plateau is None:
            web = _web(config, opts.crawl, providers)
            _show(search, found, opts, self.to_crawl(topic, web))
        else:
            _show_plateau(search, config, found, providers[0].name, opts)

    def _providers(
        self, topic: Topic, config: CrawlConfig, opts: argparse.Namespace
    ) -> Iterator[SearchProvider]:
        """Open who is asked; raises ConfigError, and SearchError where a key is missing."""
        asked = []
        for name in dict.fromkeys(opts.provider or [None]):
            self.override("FOCUSED_SEARCH", name)
            asked.append(read(SearchSettings, self.settings))
        names = [settings.provider for settings in asked]
        for option, place_to_search in (("--crawl", opts.crawl), ("--web", opts.web)):
            if place_to_search is not None and "local" not in names:
                raise ConfigError(f"{option} is searched by no {names[0]}; use --provider local")
        for settings in asked:
            yield open_provider(settings, topic, config.web, opts.crawl)


def _check(opts: argparse.Namespace) -> None:
    several = len(set(opts.provider)) or 1
    if opts.agree > several:
        raise ConfigError(
            f"--agree is {opts.agree}, of {plural(several, 'provider')}; name each by --provider"
        )
    if opts.plateau is not None and several > 1:
        raise ConfigError("--plateau is of one provider; name one")
    if opts.plateau is not None and (opts.write or opts.csv is not None):
        raise ConfigError("--plateau chooses no start pages; leave --write and --csv out, or it")
    if opts.web is not None and opts.crawl is not None:
        raise ConfigError("--web and --crawl are both to be searched; leave one of them out")


def _web(config: CrawlConfig, crawl: Path | None, providers: Sequence[SearchProvider]) -> str:
    """Return the recorded web that the answers are pages of; empty where they are of the live one."""
    if any(provider.name != "local" for provider in providers):
        return ""
    if crawl is None:
        return place(config.web) if config.web is not None else ""
    run = read_run(crawl)
    return run.web or "" if run is not None else ""


def _show(search: SeedSearch, found: Harvest, opts: argparse.Namespace, to_crawl: str) -> None:
    choice = search.choose(found, opts.per_site, opts.n, opts.agree)
    if choice.seeds:
        Terminal().print(seeds(choice.seeds))
    say(*story(found, choice))
    if opts.csv is not None:
        save_seeds(choice.seeds, opts.csv)
        say(f"Written: {place(opts.csv)}")
    if choice.seeds:
        hint = ["With --write they become start pages."]
        say(*(_written(search.topic, choice.seeds, to_crawl) if opts.write else hint))


def _written(topic: Topic, seeds: list[Seed], to_crawl: str) -> list[str]:
    """Put start pages into the topic's file; return what to say."""
    now = add_seeds(topic, [seed.url for seed in seeds])
    file = place(topic.folder / FILE_NAME)
    return [
        f"{file} has {plural(len(now.seeds), 'start page')} now.",
        f"Next: {to_crawl}",
    ]


def _show_plateau(
    search: SeedSearch, config: CrawlConfig, found: Harvest, provider: str, opts: argparse.Namespace
) -> None:
    from focused_crawler.experiment import plateau  # noqa: PLC0415 - its plots load slowly

    if opts.crawl is not None:
        judging = plateau.judge_of_crawl(opts.crawl)
    elif provider == "local" and config.web is not None:
        judging = plateau.judge_of_web(config.web, search.topic, config)
    else:
        judging = plateau.judge_by_snippets(search.looks)
    with judging as judge:
        steps = plateau.steps_of(found.answers, judge.is_relevant)
    curve = plateau.Plateau(search.topic, provider, opts.top, judge, steps)
    say(curve)
    for path in plateau.save_plateau(curve, opts.plateau):
        say(f"Written: {place(path)}")
