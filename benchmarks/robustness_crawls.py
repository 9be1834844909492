"""Crawls of one topic from many start sets: what the paper's Figures 4 to 11 are drawn from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.focus_crawls import Crawl, Crawler
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.judge import truth_of
from focused_crawler.experiment.simulator import FINISHED, simulate
from focused_crawler.experiment.taxonomy import folder_of
from focused_crawler.experiment.training import prepare, relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.page.model import Focus
from focused_crawler.taxonomy.classifier import TaxonomyModel

FOCUS = ("unfocused", "hard_focus", "soft_focus")
"""The paper's crawlers: Figures 4, 5 and 6."""

DEFAULT = "link_classifier"
COMPARED = ("soft_focus", DEFAULT, "unfocused")
"""Whose crawls from two start sets are held against each other; the last is the control."""

PAIR = ("d", "e")
"""The seed sets that share nothing but what all seed sets share."""

OTHER_TIES = "d, other ties"
"""Seed set d once more, with another hash among equals: how far two crawls agree that differ in nothing else."""

DRAWS = 5
PART = 0.3
"""Of all start pages that each of two random halves holds (section 5.3)."""


@dataclass(frozen=True, slots=True)
class Trip:
    """A crawl, page by page in the order fetched. Relevance is the crawler's own, hits are the truth's."""

    topic: str
    strategy: str
    start: str  # seed set, or what `starts_of` calls it
    seeds: NDArray[np.int64]  # those that the web has, by page number
    visits: NDArray[np.int64]
    relevance: NDArray[np.float64]
    hits: NDArray[np.bool_]
    targets: int  # relevant pages of the web
    is_dry: bool


class _Crawls(Protocol):
    def crawl(self, strategy: str, seed_set: str) -> Crawl: ...


class ClassifierCrawler:
    """Crawls that go by the topic's own classifier, told as those by a taxonomy are."""

    def __init__(self, bench: Bench, subject: Subject, pages: int) -> None:
        self._bench, self._subject, self._pages = bench, subject, pages
        self._web = bench.web(subject)
        self._known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
        self._truth = truth_of(bench, subject).among(self._web.urls)

    def crawl(self, strategy: str, seed_set: str) -> Crawl:
        """Make one crawl, with a strategy that knows nothing yet."""
        analyst = analyst_of(self._bench, self._subject, strategy)
        rules = replace(self._bench.config.rules(), delay=0.0, per_host=None)
        seeds = self._subject.seed_sets[seed_set]
        run = simulate(analyst, self._web, seeds, self._pages, rules, relevance=self._known)
        values = [self._known[number] for number in run.visits]
        return Crawl(
            self._subject.topic.name,
            seed_set,
            strategy,
            frozenset(),
            run.visits,
            self._truth[run.visits],
            [Focus(value, "", value >= analyst.threshold) for value in values],
            int(self._truth.sum()),
            run.reason == FINISHED,
        )


def crawl_topic(subject: Subject, bench: Bench, pages: int) -> list[Trip]:
    """Make all crawls of a topic. The taxonomy must be there; the topic's model is made if it is not."""
    prepare(bench, subject)
    named = subject.seed_sets
    subject = replace(subject, seed_sets=starts_of(named))
    model = TaxonomyModel.load(folder_of(bench, subject))
    other = replace(bench, config=replace(bench.config, random_seed=bench.config.random_seed + 1))
    trips = []
    for config in (bench, other):
        focused = Crawler(config, subject, model, [subject.topic.name], pages)
        learning = ClassifierCrawler(config, subject, pages)
        for strategy, start in _plan(named) if config is bench else _with_other_ties():
            crawler: _Crawls = learning if strategy == DEFAULT else focused
            trips.append(_trip(config, subject, crawler.crawl(strategy, start)))
    return trips


def starts_of(named: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the seed sets and, by name, those made of them.

    "d, apart" and "e, apart" lack the pages that all seed sets share; "half 0a" and "half 0b" are disjoint
    random draws of `PART` of all start pages each.

    >>> list(starts_of({"d": ("x", "y"), "e": ("x", "z")}))[:4]
    ['d', 'e', 'd, other ties', 'd, apart']
    """
    starts = dict(named)
    starts[OTHER_TIES] = named[PAIR[0]]
    shared = set.intersection(*map(set, named.values()))
    for name in PAIR:
        starts[apart(name)] = tuple(seed for seed in named[name] if seed not in shared)
    union = sorted({seed for seeds in named.values() for seed in seeds})
    size = max(1, round(PART * len(union)))
    for draw in range(DRAWS):
        drawn = random.Random(draw).sample(union, min(2 * size, len(union)))
        starts[half(draw, "a")], starts[half(draw, "b")] = tuple(drawn[:size]), tuple(drawn[size:])
    return starts


def apart(name: str) -> str:
    """Return the name of a seed set without the pages that all seed sets share."""
    return f"{name}, apart"


def half(draw: int, letter: str) -> str:
    """Return the name of a random half."""
    return f"half {draw}{letter}"


def _plan(named: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield strategy and start of all crawls but those with other ties."""
    for strategy in FOCUS:
        for name in named:
            yield strategy, name
    for name in PAIR:
        yield DEFAULT, name
        for strategy in COMPARED:
            yield strategy, apart(name)
    for strategy in COMPARED[:2]:
        for draw in range(DRAWS):
            yield strategy, half(draw, "a")
            yield strategy, half(draw, "b")


def _with_other_ties() -> Iterator[tuple[str, str]]:
    for strategy in COMPARED:
        yield strategy, OTHER_TIES


def _trip(bench: Bench, subject: Subject, crawl: Crawl) -> Trip:
    web = bench.web(subject)
    numbers = [web.number(seed) for seed in subject.seed_sets[crawl.seed_set]]
    return Trip(
        crawl.topic,
        crawl.strategy,
        crawl.seed_set,
        np.array(sorted({number for number in numbers if number is not None}), dtype=np.int64),
        np.array(crawl.visits, dtype=np.int64),
        crawl.relevance,
        crawl.hits,
        crawl.targets,
        crawl.is_dry,
    )
