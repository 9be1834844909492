"""Crawls of one topic from many start sets: what the paper's Figures 4 to 11 are drawn from."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.focus_crawls import Crawl, Crawler
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import FINISHED, simulate
from focused_crawler.experiment.taxonomy import folder_of
from focused_crawler.experiment.training import prepare, relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.page.model import Focus

FOCUS = ("unfocused", "hard_focus", "soft_focus")
"""The paper's crawlers: Figures 4, 5 and 6."""

DEFAULT = "link_classifier"
COMPARED = ("soft_focus", DEFAULT, "unfocused")
"""Whose crawls from two start sets are held against each other; the last is the control."""

HALVED = COMPARED[:2]
"""Who crawls from random parts of all start pages as well."""


class Start(NamedTuple):
    """What a crawl begins with."""

    seeds: str  # seed set, or what `starts_of` calls it
    ties: int = 0  # which hash orders equals; two crawls that are to be independent differ in it


D, E = Start("d"), Start("e", ties=1)
"""The two crawls of all comparisons, from the seed sets that share nothing but what all seed sets share."""

OUTSIDE = Start("c")
"""The seed set that lies off the topic: from there it is a way to go. Left out where a topic has none."""

DRAWS = 5
PART = 0.3
"""Of all start pages that each of two random halves holds (section 5.3)."""


@dataclass(frozen=True, slots=True)
class Trip:
    """A crawl, page by page in the order fetched. Relevance is the crawler's own, hits are the truth's."""

    topic: str
    strategy: str
    start: Start
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
    plan = list(plan_of(subject.seed_sets))
    subject = replace(subject, seed_sets=starts_of(subject.seed_sets))
    model = TaxonomyModel.load(folder_of(bench, subject))
    trips = []
    for ties in (0, 1):
        other = replace(bench, config=replace(bench.config, random_seed=bench.config.random_seed + ties))
        focused = Crawler(other, subject, model, [subject.topic.name], pages)
        learning = ClassifierCrawler(other, subject, pages)
        for strategy, start in plan:
            if start.ties == ties:
                crawler: _Crawls = learning if strategy == DEFAULT else focused
                trips.append(_trip(bench, subject, crawler.crawl(strategy, start.seeds), start))
    return trips


def starts_of(named: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the seed sets and, by name, those made of them.

    "d, apart" and "e, apart" lack the pages that all seed sets share; "half 0a" and "half 0b" are disjoint
    random draws of `PART` of all start pages each.

    >>> starts_of({"d": ("x", "y"), "e": ("x", "z")})["e, apart"]
    ('z',)
    """
    starts = dict(named)
    shared = set.intersection(*map(set, named.values()))
    for start in (D, E):
        kept = tuple(seed for seed in named[start.seeds] if seed not in shared)
        starts[apart(start).seeds] = kept
    union = sorted({seed for seeds in named.values() for seed in seeds})
    size = max(1, round(PART * len(union)))
    for draw, (first, second) in enumerate(halves()):
        drawn = random.Random(draw).sample(union, 2 * size)
        starts[first.seeds], starts[second.seeds] = tuple(drawn[:size]), tuple(drawn[size:])
    return starts


def apart(start: Start) -> Start:
    """Return the same without the pages that all seed sets share."""
    return start._replace(seeds=f"{start.seeds}, apart")


def halves() -> list[tuple[Start, Start]]:
    """Return the pairs of random parts of all start pages."""
    return [(Start(f"half {draw}a"), Start(f"half {draw}b", ties=1)) for draw in range(DRAWS)]


def plan_of(named: Collection[str]) -> Iterator[tuple[str, Start]]:
    """Yield strategy and start of all crawls."""
    for strategy in FOCUS:
        yield from ((strategy, Start(name)) for name in named)
    yield DEFAULT, D
    for strategy in COMPARED:
        yield from ((strategy, start) for start in (E, D._replace(ties=1), apart(D), apart(E)))
    yield from ((DEFAULT, start) for start in (E._replace(ties=0), OUTSIDE) if start.seeds in named)
    for strategy in HALVED:
        yield from ((strategy, start) for pair in halves() for start in pair)


def _trip(bench: Bench, subject: Subject, crawl: Crawl, start: Start) -> Trip:
    web = bench.web(subject)
    numbers = [web.number(seed) for seed in subject.seed_sets[start.seeds]]
    return Trip(
        crawl.topic,
        crawl.strategy,
        start,
        np.array(sorted({number for number in numbers if number is not None}), dtype=np.int64),
        np.array(crawl.visits, dtype=np.int64),
        crawl.relevance,
        crawl.hits,
        crawl.targets,
        crawl.is_dry,
    )
