"""`scrapy experiment`: all strategies on the same pages, side by side."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.table import Table

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.checks import check
from focused_crawler.experiment.folder import ExperimentFolder
from focused_crawler.experiment.grid import choose_seed_sets, choose_strategies, find_subjects
from focused_crawler.experiment.measures import (
    RunTable,
    area,
    harvest_rate,
    milliseconds_per_page,
    target_recall,
)
from focused_crawler.experiment.origin import origin, origin_of_taxonomies
from focused_crawler.experiment.runner import Experiment
from focused_crawler.experiment.variants import with_examples, without_hosts
from focused_crawler.experiment.work import analyst_of
from focused_crawler.link_scoring.registry import path_of
from focused_crawler.report.live import Bars
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.report.terminal.tables import table as terminal_table
from focused_crawler.safety.errors import ConfigError, ModelError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import INTERRUPTED, say
from focused_crawler.safety.settings import read
from focused_crawler.safety.workers import MOST_PROCESSES, Pool
from focused_crawler.store.judges import THESAURUS, VSM


class Command(FocusedCommand):
    """Crawls virtual webs, and writes tables, plots and a report."""

    usage = "--web WEB.warc.gz [--web WEB2.warc.gz]... [--strategies NAME,NAME] --out FOLDER"
    options = (
        Option("--web FILE", "a virtual web; may be repeated", Path, is_repeated=True),
        Option(
            "--topics TOPICS",
            "names, topic folders or folders of these (default: all beside the web)",
            default="",
        ),
        Option("--strategies STRATEGIES", "names, with commas between (default: all)", default=""),
        Option(
            "--seed-sets SEED_SETS", "names, with commas between (default: all that a topic has)", default=""
        ),
        Option(
            "--pages N",
            "budget of a run (default: twice the relevant pages, 5,000 at most; the web at most)",
            int,
        ),
        Option("--without HOST", "the web as if this host did not exist; may be repeated", is_repeated=True),
        Option(
            "--examples N+N",
            "relevant and other examples to learn from (default: all of a topic)",
            default="",
        ),
        Option("--random-seed N", "another seed orders equals in another way (default: 0)"),
        Option("--processes N", "runs at a time (default: one a processor)", int, most=MOST_PROCESSES),
        Option(
            "--taxonomy FOLDER",
            "what hard_focus and soft_focus go by (default: a leaf for each topic of the web)",
        ),
        Option("--judge FOLDER", "topics to judge by where a web has no ground truth", Path),
        Option("--out FOLDER", "where to write; the same command goes on there", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if args or opts.out is None:
            wrong = f"{args[0]!r} stands alone" if args else "no folder to write to"
            raise ConfigError(f"{wrong}; type scrapy experiment {self.usage}")
        pages = opts.pages or 0
        bench = self._bench(opts)
        own = bench.config.link_scorers
        strategies = choose_strategies(opts.strategies, own)
        subjects = choose_seed_sets(find_subjects(opts.web, opts.topics, opts.judge), opts.seed_sets)
        subjects, left_out = without_hosts(with_examples(subjects, opts.examples), opts.without)
        for line in left_out:
            _say(line)
        for name in filter(partial(path_of, extra=own), strategies):
            with suppress(ModelError):  # one that cannot be made is reported at once; models come later
                analyst_of(bench, subjects[0], name)
        made_of = origin(bench, subjects, pages) | origin_of_taxonomies(bench, subjects, strategies)
        with ExperimentFolder(bench.folder, made_of) as folder:
            experiment = Experiment(bench, folder, subjects, pages)
            try:
                with Pool(opts.processes or _processors()) as pool:
                    _prepare(experiment, pool, strategies)
                    strategies = _able(experiment, strategies, strategies if opts.strategies else own)
                    _run(experiment, pool, strategies)
                self._report(experiment, bench, strategies)
            except KeyboardInterrupt:
                _say("stopped; the same command goes on from here")
                self.exitcode = INTERRUPTED

    def _bench(self, opts: argparse.Namespace) -> Bench:
        self.override("FOCUSED_RANDOM_SEED", opts.random_seed)
        self.override("FOCUSED_TAXONOMY", opts.taxonomy)
        settings = self.settings.copy()
        FocusedCrawlerAddon().update_settings(settings)  # refuses misspelt ones
        classifier = _learning(read(ClassifierSettings, settings))
        config = replace(CrawlConfig.from_settings(settings), lists="off")  # runs depend on none before them
        if (listings := config.steering.listings) != "off":
            raise ConfigError(
                f"FOCUSED_LISTINGS is {listings}, and an experiment counts what links lead to: its bounds"
                " know no sitemaps and feeds; type -s FOCUSED_LISTINGS=off"
            )
        return Bench(
            folder=opts.out,
            config=config,
            classifier=classifier,
            hmm=read(HmmSettings, settings),
        )

    def _report(self, experiment: Experiment, bench: Bench, strategies: tuple[str, ...]) -> None:
        """Write tables and report, print the means, and name what cannot be."""
        # Plots take a second to import: no command that draws none should wait for them.
        from focused_crawler.experiment.report import write_report, write_tables  # noqa: PLC0415

        runs, bounds = experiment.results(strategies), experiment.bounds()
        write_tables(bench.folder, runs, bounds, experiment.judged_by())
        checks = check(runs, bounds)
        write_report(bench.folder, runs, bounds, experiment.about(), checks)
        table = RunTable.of(runs, bounds)
        Terminal().print(_means(table))
        for setting, why in table.left_out.items():
            _say(f"{'.'.join(setting)} counts in no figure: {why}")
        say(bench.folder / "report.html")
        for line in checks.violations:
            say(f"violation: {line}", to=sys.stderr)
        self.exitcode = 1 if checks.violations else 0


def _processors() -> int:
    """Return how many there are for this process; of the machine, where the system (macOS) says no more."""
    mine = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if mine is None else len(mine(0))


def _learning(settings: ClassifierSettings) -> ClassifierSettings:
    """Return the settings to train by: what vsm judges is trained by default, as HMMs and blocks need it."""
    if settings.classifier == VSM and VSM not in settings.classifiers:
        return replace(settings, classifier=ClassifierSettings().classifier)
    if settings.classifier == THESAURUS and THESAURUS not in settings.classifiers:
        raise ConfigError(
            "FOCUSED_CLASSIFIER is thesaurus, which learns nothing, and an experiment trains what judges its"
            " pages; compare it as a strategy:"
            " -s FOCUSED_CLASSIFIER=ratio_regression --strategies thesaurus,lpe"
        )
    return settings


def _prepare(experiment: Experiment, pool: Pool, strategies: tuple[str, ...]) -> None:
    """Open the webs, train the models and find out what is relevant."""
    for note in experiment.check_seeds():
        _say(note)
    notes = []
    with Bars() as bars:
        bar = bars.add("models", len(experiment.subjects))
        for note in experiment.prepare(pool):
            notes.append(note)
            bars.advance(bar, note=note)
    notes += experiment.prepare_taxonomies(pool, strategies)
    for note in sorted(notes):
        _say(note)
    experiment.judge()


def _able(experiment: Experiment, strategies: tuple[str, ...], must: Collection[str]) -> tuple[str, ...]:
    """Return the strategies that can be made; raise what hinders one that was asked for by name."""
    obstacles = experiment.obstacles(strategies)
    for name, error in obstacles.items():
        if name in must:
            raise error
        _say(f"{name} is left out: {error}")
    for name, where in experiment.untrained.items():
        _say(f"{name} on {', '.join(where)}")
    return tuple(name for name in strategies if name not in obstacles)


def _run(experiment: Experiment, pool: Pool, strategies: tuple[str, ...]) -> None:
    """Make the runs that are missing."""
    if earlier := experiment.take_over(strategies):
        _say(f"{plural(earlier, 'run')} made before")
    began, fetched, done = time.monotonic(), 0, 0
    with Bars() as bars:
        bar = bars.add("runs", experiment.left(strategies))
        for run in experiment.run(pool, strategies):
            if run is not None:
                fetched += len(run.hits)
                done += 1
                speed = fetched / (time.monotonic() - began)
                bars.advance(bar, run.budget, f"{plural(done, 'run')}, {speed:,.0f} pages/s")


def _means(table: RunTable) -> Table:
    """Return the strategies with their means, the best first."""
    measures = (area(), harvest_rate, target_recall, milliseconds_per_page)
    columns = [table.values(measure) for measure in measures]
    means = [values.means() for values in columns]
    rows = ((strategy, *(f"{mean[strategy]:.3f}" for mean in means)) for strategy in columns[0].ranking())
    names = ("|strategy", ">area", ">harvest rate", ">target recall", ">ms a page")
    title = "Means over topics (area: under R(n) for n up to |T|, as a share of the upper bound's)"
    return terminal_table(*names, rows=rows, title=title)


def _say(line: str) -> None:
    say(line, to=sys.stderr)
