"""What 16 pages in flight cost a crawl: its harvest against that of the same crawl, one page at a time.

    .venv/bin/python benchmarks/concurrency.py ../shared/webs/openweb.warc.gz [--models FOLDER] [--json FILE]

Real crawls (`scrapy crawl`) of each topic from each seed set, |T| pages but `--pages` at most: at concurrency
1, where each link is chosen knowing all pages before it, and at 16, where it is chosen without those that are
still on their way. So that they are, the web answers after `--latency` seconds then. In flight: URLs that are
out while a page is recorded, with its own; on the wire: those of them that wait for their answer. The web's
ground truth judges; intervals are 95 % with the topic as the unit. Without `--models`, which is the folder
`models` of an experiment, each topic is trained.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple, Self

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from focused_crawler.edge.extensions.session import crawl_of
from focused_crawler.edge.meta import LEASE
from focused_crawler.experiment.grid import (
    Subject,
    choose_seed_sets,
    choose_strategies,
    find_subjects,
    truth_folder,
)
from focused_crawler.experiment.measures import Case, Setting
from focused_crawler.experiment.statistics import Interval, Resampling
from focused_crawler.virtualweb.truth import GroundTruth

ROOT = Path(__file__).resolve().parent.parent
STRATEGIES = "link_classifier,best_first_content_anchor,lpe_soft"
ONE, MANY = 1, 16
TOLERANCE = 0.03
HARVESTS = (f"harvest at {ONE}", f"at {MANY}")
_IN_FLIGHT = "in_flight.json"


class InFlight:
    """Extension that counts what is in flight whenever a page is recorded."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._out: list[int] = []
        self._on_the_wire: list[int] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        counter = cls(crawler)
        crawler.signals.connect(counter.item_scraped, signals.item_scraped)
        crawler.signals.connect(counter.spider_closed, signals.spider_closed)
        return counter

    def item_scraped(self, response: Response) -> None:
        engine, crawl = self._crawler.engine, crawl_of(self._crawler)
        assert engine.scraper.slot is not None
        requests = engine.downloader.active | engine.scraper.slot.active
        leases = {request.meta.get(LEASE, "") for request in requests} - {response.meta[LEASE]}
        self._out.append(1 + sum(map(crawl.visits.is_out, leases)))
        self._on_the_wire.append(sum(len(slot.transferring) for slot in engine.downloader.slots.values()))

    def spider_closed(self, spider: Spider) -> None:
        """Write the means beside the crawl's other results."""
        means = {"in_flight": mean(self._out or [0]), "on_the_wire": mean(self._on_the_wire or [0])}
        (crawl_of(self._crawler).folder / _IN_FLIGHT).write_text(json.dumps(means))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a crawl came to."""

    pages: int
    harvest: float
    in_flight: float
    on_the_wire: float


class Pair(NamedTuple):
    """The same crawl, one page at a time and many."""

    case: Case
    one: Outcome
    many: Outcome

    @property
    def difference(self) -> float:
        return self.many.harvest - self.one.harvest

    @property
    def ratio(self) -> float:
        """NaN where the crawl that fetches one at a time finds nothing."""
        return self.many.harvest / self.one.harvest if self.one.harvest else float("nan")

    @property
    def is_apart(self) -> bool:
        return abs(self.ratio - 1) > TOLERANCE


class Crawls:
    """Crawls of one web; models and crawls lie in folders."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._options = options
        self._models = options.models or folder / "models"
        self._crawls = options.crawls or folder / "crawls"

    def train(self, subject: Subject) -> None:
        if self._options.models is None:
            settings = {"FOCUSED_WEB": subject.web, "FOCUSED_MODELS": self._models / subject.web_name}
            scrapy("train", str(subject.topic.folder), settings=settings)

    def pair(self, subject: Subject, seed_set: str, strategy: str) -> Pair:
        case = Case(subject.web_name, subject.topic.name, seed_set, strategy)
        return Pair(case, self._crawl(subject, case, ONE), self._crawl(subject, case, MANY))

    def _crawl(self, subject: Subject, case: Case, concurrency: int) -> Outcome:
        job = f"{case.seed_set}.{case.strategy}.{concurrency}"
        arguments = {
            "topic": subject.topic.folder,
            "strategy": case.strategy,
            "seed_set": case.seed_set,
            "pages": min(len(GroundTruth.of_topic(truth_folder(subject)) or ()), self._options.pages),
            "job": job,
            "profile": "offline",
        }
        settings = {
            "FOCUSED_WEB": subject.web,
            "FOCUSED_WEB_LATENCY": self._options.latency if concurrency > 1 else 0.0,
            "FOCUSED_MODELS": self._models / subject.web_name,
            "FOCUSED_CRAWLS": self._crawls / subject.web_name,
            "ROBOTSTXT_OBEY": False,
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "EXTENSIONS": json.dumps({f"benchmarks.concurrency.{InFlight.__name__}": 500}),
        }
        words = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
        scrapy("crawl", "topic", *words, settings=settings)
        return outcome(self._crawls / subject.web_name / subject.topic.name / job)


def scrapy(*words: str, settings: dict[str, object]) -> None:
    """Run a scrapy command; its own words on failure."""
    options = [f"{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "scrapy", *words, "-s", "LOG_LEVEL=ERROR"]
    command += [word for option in options for word in ("-s", option)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # processes share the cores
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")


def outcome(folder: Path) -> Outcome:
    totals = json.loads((folder / "run.json").read_text("utf-8"))["totals"]
    counted = json.loads((folder / _IN_FLIGHT).read_text("utf-8"))
    return Outcome(pages=totals["pages"], harvest=totals["harvest_rate"], **counted)


def mean_of(pairs: Sequence[Pair], value: str) -> Interval:
    """Return the mean over topics of the means over seed sets and strategies; NaN is left out."""
    found: dict[Setting, list[float]] = {}
    for pair in pairs:
        if not math.isnan(number := attrgetter(value)(pair)):
            found.setdefault(pair.case.setting, []).append(number)
    return Resampling.of(list(found)).interval(np.array([mean(numbers) for numbers in found.values()]))


def grouped(pairs: Sequence[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    """Return the pairs of each strategy, and all."""
    for name in dict.fromkeys(pair.case.strategy for pair in pairs):
        yield name, [pair for pair in pairs if pair.case.strategy == name]
    yield "all", list(pairs)


def by_case(pairs: Sequence[Pair]) -> Table:
    """Return a row a pair."""
    table = Table("topic", "seed set", "strategy", "pages", *HARVESTS, "ratio", "in flight", "on the wire")
    for case, one, many in pairs:
        pages = " and ".join(f"{pages:,}" for pages in dict.fromkeys((one.pages, many.pages)))
        harvests = f"{one.harvest:.3f}", f"{many.harvest:.3f}", f"{Pair(case, one, many).ratio:.3f}"
        table.add_row(*case[1:], pages, *harvests, f"{many.in_flight:.1f}", f"{many.on_the_wire:.1f}")
    return table


def by_strategy(pairs: Sequence[Pair]) -> Table:
    """Return a row a strategy: means over topics, and how many pairs are further apart than they may."""
    apart = f"more than {TOLERANCE:.0%} apart"
    table = Table("strategy", *HARVESTS, "ratio", "difference", apart, "and lower", title="Means over topics")
    for name, found in grouped(pairs):
        harvests = (f"{mean_of(found, value).mean:.3f}" for value in ("one.harvest", "many.harvest"))
        changes = shown(mean_of(found, "ratio")), shown(mean_of(found, "difference"), "+")
        far = [pair for pair in found if pair.is_apart]
        lower = sum(pair.difference < 0 for pair in far)
        table.add_row(name, *harvests, *changes, f"{len(far)} of {len(found)}", str(lower))
    return table


def shown(interval: Interval, sign: str = "") -> str:
    text = f"{interval.mean:{sign}.3f}"
    return f"{text} ({interval.low:{sign}.3f} to {interval.high:{sign}.3f})" if interval.is_known else text


def figures(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return what the tables say in numbers; intervals only where there are two topics or more."""
    values = {
        f"harvest_{ONE}": "one.harvest",
        f"harvest_{MANY}": "many.harvest",
        "in_flight": "many.in_flight",
    }
    found = {name: mean_of(pairs, value).mean for name, value in values.items()}
    for name, value in ((f"ratio_{MANY}", "ratio"), ("difference", "difference")):
        found[name], found[f"{name}_low"], found[f"{name}_high"] = mean_of(pairs, value)
    *strategies, _ = grouped(pairs)
    found |= {f"ratio_{MANY}_{name}": mean_of(few, "ratio").mean for name, few in strategies}
    found |= {"pairs": len(pairs), "pairs_apart": sum(pair.is_apart for pair in pairs)}
    return {name: number for name, number in found.items() if not math.isnan(number)}


def measure(options: argparse.Namespace, folder: Path) -> list[Pair]:
    """Train what is needed, and make all crawls."""
    subjects = choose_seed_sets(
        find_subjects([options.web.resolve()], options.topics, None), options.seed_sets
    )
    crawls = Crawls(folder, options)
    todo = [
        (subject, seed_set, strategy)
        for subject in subjects
        for seed_set in subject.seed_sets
        for strategy in choose_strategies(options.strategies, {})
    ]
    with ThreadPoolExecutor(options.processes) as pool:
        list(pool.map(crawls.train, subjects))
        pairs = pool.map(lambda case: crawls.pair(*case), todo)
        return list(track(pairs, "crawls", len(todo), console=Console(stderr=True)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument("--seed-sets", default="a,b")
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--pages", type=int, default=1000, help="of a crawl, at most")
    parser.add_argument("--latency", type=float, default=0.05, help=f"seconds, at concurrency {MANY}")
    parser.add_argument("--models", type=Path, help="the folder models of an experiment")
    parser.add_argument("--crawls", type=Path, help="where to keep the crawls (default: nowhere)")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    for name in ("models", "crawls"):
        if (path := getattr(options, name)) is not None:
            setattr(options, name, path.resolve())
    with TemporaryDirectory() as folder:
        pairs = measure(options, Path(folder))
    Console(width=150).print(by_case(pairs), by_strategy(pairs))
    if options.json:
        options.json.write_text(json.dumps({"figures": figures(pairs)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
