"""How much of what is relevant a fleet has found, page for page, beside one worker and beside no fleet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from rich.table import Table

from benchmarks.fleet_crawls import ROOT, Order, RecordedPage, left_by, started, wait_for
from benchmarks.fleet_servers import Servers
from focused_crawler.experiment.grid import Subject, choose_seed_sets, find_subjects, truth_folder
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.truth import GroundTruth

OPEN_WEB = ROOT.parent / "shared/webs/openweb.warc.gz"
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


@dataclass(frozen=True)
class Found:
    """Target recall of the same crawl by each way, after |T| pages and after 2 |T|."""

    topic: str
    seed_set: str
    targets: int
    recall: dict[Way, tuple[float, ...]]

    def ratio(self, way: Way, to: Way, place: int = 0) -> float:
        """NaN where the other one finds nothing."""
        other = self.recall[to][place]
        return self.recall[way][place] / other if other else float("nan")


def recalls(pages: Sequence[RecordedPage], targets: int) -> tuple[float, ...]:
    """Return target recall after |T| pages and after 2 |T|, in order of recording."""
    return tuple(sum(page.is_target for page in pages[: times * targets]) / targets for times in TIMES)


def subjects(topics: str, folder: Path) -> list[Subject]:
    """Return topics of the real web if it is there, else of the demo web."""
    if not OPEN_WEB.is_file():
        folder.mkdir()
        return choose_seed_sets(find_subjects([write_demo_web(folder)], "", None), "")
    return choose_seed_sets(find_subjects([OPEN_WEB], topics, None), SEED_SETS)


class Crawls:
    """Crawls of recorded webs by all ways."""

    def __init__(self, servers: Servers, folder: Path) -> None:
        self._servers, self._folder = servers, folder
        folder.mkdir()

    def measure(self, found: Sequence[Subject]) -> Iterator[Found]:
        for subject in found:
            self._train(subject)
            targets = len(GroundTruth.of_topic(truth_folder(subject)) or ())
            for seed_set in subject.seed_sets:
                yield Found(
                    subject.topic.name,
                    seed_set,
                    targets,
                    {way: self._recall(subject, seed_set, way, targets) for way in WAYS},
                )

    def _settings(self, subject: Subject) -> dict[str, object]:
        return {
            "FOCUSED_WEB": subject.web,
            "FOCUSED_MODELS": self._folder / "models",
            "ROBOTSTXT_OBEY": False,
        }

    def _train(self, subject: Subject) -> None:
        order = Order(subject.topic.folder, "", self._folder / "crawls", settings=self._settings(subject))
        log = self._folder / "training.log"
        with started([order.training()], log) as processes:
            wait_for(processes, log)

    def _recall(self, subject: Subject, seed_set: str, way: Way, targets: int) -> tuple[float, ...]:
        order = Order(
            topic=subject.topic.folder,
            job=f"{seed_set}-{way.workers}-{way.in_flight}-{way.latency:g}",
            crawls=self._folder / "crawls",
            arguments={"seed_set": seed_set, "pages": TIMES[-1] * targets},
            settings={
                **self._settings(subject),
                "FOCUSED_WEB_LATENCY": way.latency,
                "CONCURRENT_REQUESTS": way.in_flight // max(way.workers, 1),
            },
            addresses=self._servers.addresses if way.workers else None,
        )
        log = self._folder / f"{subject.topic.name}-{order.job}.log"
        with started([order.worker()] * max(way.workers, 1), log) as processes:
            wait_for(processes, log)
        return recalls(left_by(order).pages, targets)


def quality_table(found: Sequence[Found]) -> Table:
    """Return two rows a crawl, target recall by each way at |T| and at 2 |T| pages, and ratios."""
    ratios = [f"{way.workers or 'none'} to {to.workers or 'none'}, {way.load}" for way, to in PAIRS]
    table = Table("topic", "seeds", "pages", *(way.name for way in WAYS), *ratios)
    for row in found:
        for place, times in enumerate(TIMES):
            recall = (f"{row.recall[way][place]:.3f}" for way in WAYS)
            parts = (f"{row.ratio(way, to, place):.3f}" for way, to in PAIRS)
            table.add_row(row.topic, row.seed_set, f"{times * row.targets:,}", *recall, *parts)
    table.add_section()
    for place, times in enumerate(TIMES):
        recall = (f"{mean(row.recall[way][place] for row in found):.3f}" for way in WAYS)
        parts = (f"{mean_ratio(found, way, to, place):.3f}" for way, to in PAIRS)
        table.add_row("mean", "", f"{times} |T|", *recall, *parts)
    return table


def mean_ratio(found: Sequence[Found], way: Way, to: Way, place: int = 0) -> float:
    """Return the mean of the ratios at |T| or 2 |T|; crawls in which the other finds nothing do not count."""
    ratios = [row.ratio(way, to, place) for row in found if row.recall[to][place]]
    return mean(ratios) if ratios else float("nan")
