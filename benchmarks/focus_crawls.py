"""Crawls of a recorded web with hard, soft and no focus, and what taxonomy and truth say of each page."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scrapy.settings import Settings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.hmm.settings import HmmSettings
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import FINISHED, simulate
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Focus, Page


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl, page by page in the order fetched."""

    topic: str
    seed_set: str
    strategy: str
    marks: frozenset[str]
    visits: list[int]
    hits: NDArray[np.bool_]  # by the ground truth, which no crawl sees
    focus: list[Focus]
    targets: int  # relevant pages of the web
    is_dry: bool  # it ended because nothing was left to fetch

    @property
    def relevance(self) -> NDArray[np.float64]:
        """R(d) of each page."""
        return np.array([focus.relevance for focus in self.focus])

    def harvest(self, pages: int, values: NDArray[np.float64] | None = None) -> float:
        """Return the mean over the first pages of hits, or of other values; what was not fetched is 0."""
        found = self.hits if values is None else values
        return float(found[:pages].sum() / pages)


@dataclass(slots=True)
class Memory:
    """A taxonomy that judges each page once, for all crawls with its marks."""

    taxonomy: MarkedTaxonomy
    known: dict[str, Focus]
    seconds: float = 0.0  # spent on judging

    def judge(self, page: Page) -> Focus:
        if page.url not in self.known:
            began = time.process_time()
            self.known[page.url] = self.taxonomy.judge(page)
            self.seconds += time.process_time() - began
        return self.known[page.url]


class Crawler:
    """Crawls about one topic, marked in one taxonomy."""

    def __init__(
        self, bench: Bench, subject: Subject, model: TaxonomyModel, marks: Collection[str], pages: int
    ) -> None:
        self._bench, self._subject, self._pages = bench, subject, pages
        self._web = bench.web(subject)
        self._memory = Memory(MarkedTaxonomy(model, frozenset(marks)), {})
        self._blank = dict.fromkeys(range(len(self._web)), 0.0)  # nobody here asks the topic's own model

    @cached_property
    def _truth(self) -> NDArray[np.bool_]:
        return truth_of(self._bench, self._subject).among(self._web.urls)

    @property
    def milliseconds(self) -> float:
        """Mean time of a judgement."""
        return 1000 * self._memory.seconds / max(len(self._memory.known), 1)

    def crawl(self, strategy: str, seed_set: str) -> Crawl:
        """Make one crawl; of each page there is said what the taxonomy says, whatever the strategy."""
        config = replace(self._bench.config, strategy="unfocused", taxonomy=None)
        analyst = Analyst.make(config, self._subject.topic)
        scorer = create(strategy, analyst.model)
        analyst = replace(analyst, scorer=scorer, taxonomy=self._memory)
        rules = replace(config.rules(), delay=0.0, per_host=None)
        seeds = self._subject.seed_sets[seed_set]
        run = simulate(analyst, self._web, seeds, self._pages, rules, relevance=self._blank)
        focus = [self._memory.judge(self._web.page(number)) for number in run.visits]
        return Crawl(
            self._subject.topic.name,
            seed_set,
            strategy,
            self._memory.taxonomy.good,
            run.visits,
            self._truth[run.visits],
            focus,
            int(self._truth.sum()),
            run.reason == FINISHED,
        )


def bench_of(folder: Path) -> Bench:
    """Return the settings of a crawl for which none are given."""
    settings = Settings()
    FocusedCrawlerAddon().update_settings(settings)
    return Bench(
        folder=folder,
        config=CrawlConfig.from_settings(settings),
        classifier=ClassifierSettings(),
        hmm=HmmSettings(),
    )


def unsteered(bench: Bench) -> Bench:
    """Leave out what steers a crawl beside its strategy: what is compared are strategies, as the paper's."""
    return replace(bench, config=replace(bench.config, steering=NO_STEERING))


def mean_of(crawls: Sequence[Crawl], pages: int, *, by_relevance: bool = False) -> float:
    """Return the mean harvest over topics, each the mean over its seed sets."""
    topics = dict.fromkeys(crawl.topic for crawl in crawls)
    means = [
        np.mean([c.harvest(pages, c.relevance if by_relevance else None) for c in crawls if c.topic == topic])
        for topic in topics
    ]
    return float(np.mean(means))
