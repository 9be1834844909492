"""How much of what is relevant a fleet has found, page for page, beside one worker and beside no fleet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import OPEN_WEB, places, scrapy
from benchmarks.studies.crawls import truth_beside
from focused_crawler.experiment.grid import Subject, choose_seed_sets, find_subjects
from focused_crawler.link_scoring.registry import DEFAULT
from focused_crawler.virtualweb.demo import write_demo_web
from tests.crawls.processes import Order, RecordedPage, left_by, started, wait_for

TOPICS = "databases,health,mathematics"
SEED_SETS = "a,b"
LATENCY = 0.05  # seconds
TIMES = (1, 2)  # of |T| pages


class Way(NamedTuple):
    """Who crawls."""

    workers: int  # 0: no fleet
    in_flight: int  # pages in all
    latency: float = LATENCY  # seconds a page

    @property
    def name(self) -> str:
        who = {0: "no fleet", 1: "1 worker"}.get(self.workers, f"{self.workers} workers")
        return f"{who}, {self.load}"

    @property
    def load(self) -> str:
        slowly = f", {self.latency:g} s" if self.latency != LATENCY else ""
        return f"{self.in_flight} in flight{slowly}"


PLAIN, ONE, FOUR = Way(0, 16), Way(1, 16), Way(4, 16)
ONE_OF_MANY, FOUR_OF_MANY = Way(1, 64), Way(4, 64)
ONE_SLOWLY, FOUR_SLOWLY = Way(1, 16, 0.5), Way(4, 16, 0.5)  # where waiting binds, and no CPU does
WAYS = (PLAIN, ONE, FOUR, ONE_OF_MANY, FOUR_OF_MANY, ONE_SLOWLY, FOUR_SLOWLY)
PAIRS = ((ONE, PLAIN), (FOUR, ONE), (FOUR_OF_MANY, ONE_OF_MANY), (FOUR_SLOWLY, ONE_SLOWLY))
"""Crawls that differ in who crawls alone. What is in flight was chosen without what the rest of it brings."""


LOADS = "16,64,slow"
_OF_LOADS = {
    "16": (PLAIN, ONE, FOUR),
    "64": (ONE_OF_MANY, FOUR_OF_MANY),
    "slow": (ONE_SLOWLY, FOUR_SLOWLY),
}


def ways_of(loads: str) -> tuple[Way, ...]:
    """Return the ways to crawl under loads: pages in flight in all, or `slow` for the slow web."""
    return tuple(way for load in loads.split(",") for way in _OF_LOADS[load])


def recalls(pages: Sequence[RecordedPage], targets: int) -> tuple[float, ...]:
    """Return target recall after |T| pages and after 2 |T|, in order of recording."""
    return tuple(sum(page.is_target for page in pages[: times * targets]) / targets for times in TIMES)


def subjects(topics: str, seed_sets: str, folder: Path) -> list[Subject]:
    """Return topics of the real web if it is there, else of the demo web."""
    if not OPEN_WEB.is_file():
        folder.mkdir()
        return choose_seed_sets(find_subjects([write_demo_web(folder)], "", None), "")
    return choose_seed_sets(find_subjects([OPEN_WEB], topics, None), seed_sets)


class Crawls:
    """Crawls of recorded webs by all ways."""

    def __init__(
        self, database: str, folder: Path, ways: Sequence[Way] = WAYS, strategy: str = DEFAULT
    ) -> None:
        self._database, self._folder, self._ways, self._strategy = database, folder, ways, strategy
        folder.mkdir()

    def measure(self, found: Sequence[Subject]) -> Iterator[dict[str, object]]:
        """Yield target recall of each crawl after |T| pages and after 2 |T|, by way and by pair of ways."""
        for subject in found:
            scrapy("train", subject.topic.folder, "--replace", settings=places(subject.web, self._folder))
            targets = len(truth_beside(subject))
            for seed_set in subject.seed_sets:
                recall = {way: self._recall(subject, seed_set, way, targets) for way in self._ways}
                about = {"topic": subject.topic.name, "seed_set": seed_set}
                yield from (about | row for row in rows_of(recall, targets))

    def _recall(self, subject: Subject, seed_set: str, way: Way, targets: int) -> tuple[float, ...]:
        order = Order(
            topic=subject.topic.folder,
            job=f"{seed_set}-{way.workers}-{way.in_flight}-{way.latency:g}",
            crawls=self._folder / "crawls",
            arguments={"strategy": self._strategy, "seed_set": seed_set, "pages": TIMES[-1] * targets},
            settings={
                **places(subject.web, self._folder),
                "ROBOTSTXT_OBEY": False,
                "FOCUSED_WEB_LATENCY": way.latency,
                "CONCURRENT_REQUESTS": way.in_flight // max(way.workers, 1),
            },
            database=self._database if way.workers else "",
        )
        log = self._folder / f"{subject.topic.name}-{order.job}.log"
        with started([order.worker()] * max(way.workers, 1), log) as processes:
            wait_for(processes, log)
        return recalls(left_by(order).pages, targets)


def rows_of(recall: dict[Way, tuple[float, ...]], targets: int) -> Iterator[dict[str, object]]:
    """Yield what each way found, and ratios; there is none where the other way finds nothing."""
    for place, times in enumerate(TIMES):
        at = {"at": f"{times} |T|", "pages": times * targets}
        for way, values in recall.items():
            yield {**at, "way": way.name, "recall": values[place]}
        for way, to in PAIRS:
            if way not in recall or to not in recall:
                continue
            pair = f"{way.workers or 'none'} to {to.workers or 'none'}, {way.load}"
            other = recall[to][place]
            yield {**at, "pair": pair, "ratio": recall[way][place] / other if other else None}
