"""Simulated crawls of recorded webs, for all studies: by a topic's own classifier, or by a taxonomy."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scrapy.settings import Settings

from benchmarks.harness import in_processes, scrapy_aloud, temporary_folder
from benchmarks.tables import Rows
from benchmarks.webs import find_web
from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.link_order import LinkOrder
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject, choose_seed_sets, find_subjects, truth_folder
from focused_crawler.experiment.measures import FINISHED
from focused_crawler.experiment.simulator import Simulation, simulate
from focused_crawler.experiment.training import (
    TaxonomySummary,
    folder_of,
    prepare,
    relevances,
    train_taxonomy_of,
)
from focused_crawler.experiment.variants import with_examples, without_hosts
from focused_crawler.experiment.work import analyst_of
from focused_crawler.link_scoring.registry import create, options_of
from focused_crawler.page.model import Focus, Page
from focused_crawler.virtualweb.truth import GroundTruth

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


class Start(NamedTuple):
    """What a crawl begins with."""

    seeds: str  # name of a seed set
    ties: int = 0  # which hash orders equals; two crawls that are to be independent differ in it


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl, page by page in the order fetched. Relevance is the crawler's own, hits are the truth's."""

    topic: str
    strategy: str
    start: Start
    seeds: Numbers  # those that the web has, by page number
    visits: Numbers
    relevance: Floats
    hits: Mask
    targets: int  # relevant pages of the web
    is_dry: bool  # it ended because nothing was left to fetch
    focus: Sequence[Focus] = ()  # what a taxonomy says of each page
    marks: frozenset[str] = frozenset()

    def harvest(self, pages: int, values: Floats | None = None) -> float:
        """Return the mean over the first pages of hits, or of other values; what was not fetched is 0."""
        found = self.hits if values is None else values
        return float(found[:pages].sum() / pages)


# What there is to crawl


def rows_of_webs(
    crawl: Callable[[Bench, tuple[Subject, str]], Iterable[Mapping[str, object]]],
    webs: str,
    seed_sets: str,
    processes: int,
    out: Path | None = None,
    topics: str = "",
    examples: str = "",
) -> Rows:
    """Return the rows that a study has of each topic and seed set of webs, and which web each is of.

    `webs`, `seed_sets` and `topics` are comma lists, of all topics for ""; `out`: where models stay.
    """
    rows = Rows()
    with temporary_folder() as scratch:
        for name in webs.split(","):
            web = find_web(name)
            found = with_examples(choose_seed_sets(subjects_of(web.path, topics), seed_sets), examples)
            subjects, _ = without_hosts(found, web.without)
            bench = prepared((out or scratch) / f"{name}{examples}", subjects, processes)
            tasks = [(subject, seeds) for subject in subjects for seeds in subject.seed_sets]
            for made in in_processes(partial(crawl, bench), tasks, processes, name):
                rows += [{"web": name, **row} for row in made]
    return rows


def bench_of(folder: Path, given: Mapping[str, object] = {}) -> Bench:
    """Return the settings of a crawl for which only these are given."""
    settings = Settings(given)
    FocusedCrawlerAddon().update_settings(settings)
    config = CrawlConfig.from_settings(settings)
    return Bench(folder=folder, config=config, classifier=ClassifierSettings(), hmm=HmmSettings())


def unsteered(bench: Bench) -> Bench:
    """Leave out what steers a crawl beside its strategy: what is compared are strategies, as the paper's."""
    return replace(bench, config=replace(bench.config, steering=NO_STEERING))


def taught(bench: Bench, subjects: Sequence[Subject]) -> Bench:
    """Train the taxonomy; return the bench."""
    lesson = train_taxonomy_of(bench, subjects)
    if not isinstance(lesson, TaxonomySummary):
        raise lesson
    print(f"taxonomy of {lesson}", file=sys.stderr)
    return bench


def prepared(
    folder: Path, subjects: Sequence[Subject], processes: int, given: Mapping[str, object] = {}
) -> Bench:
    """Return a bench where the web is analysed and the model of each topic is trained."""
    bench = bench_of(folder, given)
    bench.web(subjects[0])  # before several processes need it
    in_processes(partial(prepare, bench), subjects, processes, "training")
    return bench


def subjects_of(web: Path, topics: str = "") -> list[Subject]:
    """Return the topics beside a web, all or those of a comma list."""
    return find_subjects([web.resolve()], topics, None)


def truth_beside(subject: Subject) -> GroundTruth:
    """Return what is relevant by the web's own ground truth."""
    truth = GroundTruth.of_topic(truth_folder(subject))
    assert truth is not None
    return truth


def settings_of(subjects: Sequence[Subject], strategies: Sequence[str]) -> list[tuple[Subject, str, str]]:
    """Return what is to be crawled: topic, seed set, strategy."""
    return [
        (subject, seeds, name) for name in strategies for subject in subjects for seeds in subject.seed_sets
    ]


# Experiments


def experiment(folder: Path, webs: str, settings: Mapping[str, object] = {}, **options: object) -> Rows:
    """Make a `scrapy experiment`, or go on with it; return the rows of its summary."""
    words = [word for web in webs.split(",") for word in ("--web", web)]
    more = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    scrapy_aloud("experiment", "--out", folder, *words, *more, settings=settings)
    with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
        return Rows(csv.DictReader(file))


def visits_of(folder: Path, run: Mapping[str, str]) -> list[str]:
    """Return the URLs that a run of an experiment fetched, in order."""
    name = ".".join(run[part] for part in ("web", "topic", "seed_set", "strategy"))
    return (folder / "visits" / f"{name}.txt").read_text("utf-8").splitlines()


# Crawls


@dataclass(slots=True)
class Memory:
    """A taxonomy that judges each page once, for all crawls with its marks."""

    taxonomy: MarkedTaxonomy
    known: dict[str, Focus] = field(default_factory=dict)

    def judge(self, page: Page) -> Focus:
        """Return what the taxonomy says."""
        if page.url not in self.known:
            self.known[page.url] = self.taxonomy.judge(page)
        return self.known[page.url]


class ClassifierCrawler:
    """Crawls about a topic by its own classifier; the model must be there."""

    marks: frozenset[str] = frozenset()

    def __init__(self, bench: Bench, subject: Subject, pages: int = 0) -> None:
        self._bench, self._subject = bench, subject
        self.web = bench.web(subject)
        self.relevant = truth_of(bench, subject).among(self.web.urls)
        self.targets = int(self.relevant.sum())
        self.pages = pages or self.targets

    @cached_property
    def known(self) -> dict[int, float]:
        """How relevant each page is by the topic's model."""
        folder = self._bench.models(self._subject) / self._subject.topic.name
        return dict(enumerate(relevances(folder).tolist()))

    def analyst(self, strategy: str, ties: int = 0) -> Analyst:
        """Return who judges; the strategy knows nothing yet. A taxonomy's `random` differs with ties."""
        return analyst_of(self._bench, self._subject, strategy)

    def simulated(self, analyst: Analyst, start: Start, more: Sequence[str] = ()) -> Simulation:
        """Crawl from a seed set and other pages, without politeness: nobody is asked."""
        config = self._bench.config
        rules = replace(config.rules(), delay=0.0, per_host=None, seed=config.random_seed + start.ties)
        seeds = [*self._subject.seed_sets[start.seeds], *more]
        return simulate(analyst, self.web, seeds, self.pages, rules, relevance=self.known)

    def seeds(self, name: str) -> Numbers:
        """Return those of a seed set that the web has, by page number."""
        numbers = map(self.web.number, self._subject.seed_sets[name])
        return np.array(sorted({number for number in numbers if number is not None}), dtype=np.int64)

    def crawl(self, strategy: str, start: Start) -> Crawl:
        """Make one crawl."""
        analyst = self.analyst(strategy, start.ties)
        run = self.simulated(analyst, start)
        focus = self._focus(analyst, run.visits)
        visits, hits = np.array(run.visits, dtype=np.int64), self.relevant[run.visits]
        relevance, is_dry = np.array([one.relevance for one in focus]), run.reason == FINISHED
        about = (self._subject.topic.name, strategy, start, self.seeds(start.seeds))
        return Crawl(*about, visits, relevance, hits, self.targets, is_dry, focus, self.marks)

    def _focus(self, analyst: Analyst, visits: Sequence[int]) -> list[Focus]:
        values = [self.known[number] for number in visits]
        return [Focus(value, "", value >= analyst.model.threshold) for value in values]


class TaxonomyCrawler(ClassifierCrawler):
    """Crawls about one topic, marked in one taxonomy, which judges each page whatever the strategy."""

    def __init__(self, bench: Bench, subject: Subject, marks: Collection[str], pages: int) -> None:
        super().__init__(bench, subject, pages)
        model = TaxonomyModel.load(folder_of(bench, subject))
        self._memory = Memory(MarkedTaxonomy(model, frozenset(marks)))
        self.marks = self._memory.taxonomy.good

    @cached_property
    def known(self) -> dict[int, float]:
        """Nothing: nobody here asks the topic's own model."""
        return dict.fromkeys(range(len(self.web)), 0.0)

    def analyst(self, strategy: str, ties: int = 0) -> Analyst:
        config = replace(self._bench.config, strategy="unfocused", taxonomy=None)
        analyst = Analyst.make(config, self._subject.topic)
        options = replace(options_of(strategy, ()), random_seed=config.random_seed + ties)
        order = LinkOrder(strategy, create(strategy, analyst.model, options))
        return replace(analyst, order=order, taxonomy=self._memory)

    def _focus(self, analyst: Analyst, visits: Sequence[int]) -> list[Focus]:
        return [self._memory.judge(self.web.page(number)) for number in visits]
