"""Simulated crawls of recorded webs, for all studies: by a topic's own classifier, or by a taxonomy."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scrapy.settings import Settings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject, find_subjects
from focused_crawler.experiment.simulator import FINISHED, Simulation, simulate
from focused_crawler.experiment.training import TaxonomySummary, relevances, train_taxonomy_of
from focused_crawler.experiment.work import analyst_of
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Focus, Page

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


def config_of(given: Mapping[str, object] = {}) -> CrawlConfig:
    """Return the settings of a crawl for which only these are given."""
    settings = Settings(given)
    FocusedCrawlerAddon().update_settings(settings)
    return CrawlConfig.from_settings(settings)


def bench_of(folder: Path) -> Bench:
    """Return the settings of a crawl for which none are given."""
    return Bench(
        folder=folder,
        config=config_of(),
        classifier=ClassifierSettings(),
        hmm=HmmSettings(),
    )


def unsteered(bench: Bench) -> Bench:
    """Leave out what steers a crawl beside its strategy: what is compared are strategies, as the paper's."""
    return replace(bench, config=replace(bench.config, steering=SteeringSettings()))


def taught(bench: Bench, subjects: Sequence[Subject]) -> Bench:
    """Train the taxonomy; return the bench."""
    lesson = train_taxonomy_of(bench, subjects)
    if not isinstance(lesson, TaxonomySummary):
        raise lesson
    print(f"taxonomy of {lesson}", file=sys.stderr)
    return bench


def subjects_of(web: Path, topics: str) -> list[Subject]:
    """Return the topics beside a web, all or those of a comma list."""
    return find_subjects([web.resolve()], topics, None)


def known_to(bench: Bench, subject: Subject) -> dict[int, float]:
    """Return how relevant each page is by the topic's model, which must be there."""
    return dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))


def simulated(
    bench: Bench,
    subject: Subject,
    analyst: Analyst,
    seeds: Sequence[str],
    pages: int,
    known: dict[int, float],
) -> Simulation:
    """Crawl without politeness: nobody is asked."""
    rules = replace(bench.config.rules(), delay=0.0, per_host=None)
    return simulate(analyst, bench.web(subject), seeds, pages, rules, relevance=known)


@dataclass(slots=True)
class Memory:
    """A taxonomy that judges each page once, for all crawls with its marks."""

    taxonomy: MarkedTaxonomy
    known: dict[str, Focus]
    seconds: float = 0.0  # spent on judging

    def judge(self, page: Page) -> Focus:
        """Return what the taxonomy says."""
        if page.url not in self.known:
            began = time.process_time()
            self.known[page.url] = self.taxonomy.judge(page)
            self.seconds += time.process_time() - began
        return self.known[page.url]


class ClassifierCrawler:
    """Crawls that go by the topic's own classifier; the model must be there."""

    marks: frozenset[str] = frozenset()

    def __init__(self, bench: Bench, subject: Subject, pages: int) -> None:
        self._bench, self._subject, self._pages = bench, subject, pages
        self._web = bench.web(subject)

    @cached_property
    def _known(self) -> dict[int, float]:
        return known_to(self._bench, self._subject)

    @cached_property
    def _truth(self) -> Mask:
        return truth_of(self._bench, self._subject).among(self._web.urls)

    def _analyst(self, strategy: str) -> Analyst:
        """Return who judges; the strategy knows nothing yet."""
        return analyst_of(self._bench, self._subject, strategy)

    def _focus(self, analyst: Analyst, visits: Sequence[int]) -> list[Focus]:
        values = [self._known[number] for number in visits]
        return [Focus(value, "", value >= analyst.threshold) for value in values]

    def crawl(self, strategy: str, start: Start) -> Crawl:
        """Make one crawl."""
        analyst, seeds = self._analyst(strategy), self._subject.seed_sets[start.seeds]
        run = simulated(self._bench, self._subject, analyst, seeds, self._pages, self._known)
        focus = self._focus(analyst, run.visits)
        numbers = {number for seed in seeds if (number := self._web.number(seed)) is not None}
        return Crawl(
            self._subject.topic.name,
            strategy,
            start,
            np.array(sorted(numbers), dtype=np.int64),
            np.array(run.visits, dtype=np.int64),
            np.array([one.relevance for one in focus]),
            self._truth[run.visits],
            int(self._truth.sum()),
            run.reason == FINISHED,
            focus,
            self.marks,
        )


class TaxonomyCrawler(ClassifierCrawler):
    """Crawls about one topic, marked in one taxonomy, which judges each page whatever the strategy."""

    def __init__(
        self, bench: Bench, subject: Subject, model: TaxonomyModel, marks: Collection[str], pages: int
    ) -> None:
        super().__init__(bench, subject, pages)
        self._memory = Memory(MarkedTaxonomy(model, frozenset(marks)), {})
        self.marks = self._memory.taxonomy.good

    @property
    def milliseconds(self) -> float:
        """Mean time of a judgement."""
        return 1000 * self._memory.seconds / max(len(self._memory.known), 1)

    @cached_property
    def _known(self) -> dict[int, float]:
        return dict.fromkeys(range(len(self._web)), 0.0)  # nobody here asks the topic's own model

    def _analyst(self, strategy: str) -> Analyst:
        config = replace(self._bench.config, strategy="unfocused", taxonomy=None)
        analyst = Analyst.make(config, self._subject.topic)
        scorer = create(strategy, analyst.model)
        return replace(analyst, scorer=scorer, taxonomy=self._memory)

    def _focus(self, analyst: Analyst, visits: Sequence[int]) -> list[Focus]:
        return [self._memory.judge(self._web.page(number)) for number in visits]
