"""What 16 pages in flight cost a crawl: its harvest against that of the same crawl, one page at a time.

    .venv/bin/python benchmarks/study.py concurrency ../shared/webs/openweb.warc.gz [--models FOLDER]

Real crawls (`scrapy crawl`) of each topic from each seed set, |T| pages but `--pages` at most: at concurrency
1, where each link is chosen knowing all pages before it, and at 16, where it is chosen without those that are
still on their way. So that they are, the web answers after `--latency` seconds then. In flight: URLs that are
out while a page is recorded, with its own. The web's ground truth judges; intervals are 95 % with the topic
as the unit. Without `--models`, which is the folder `models` of an experiment, each topic is trained.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Annotated, Self

from rich.progress import track
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from benchmarks.harness import PROCESSES, STDERR, Names, Processes, Report, scrapy, temporary_folder
from benchmarks.studies.crawls import settings_of, subjects_of, truth_beside
from benchmarks.tables import Rows
from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.edge.meta import LEASE
from focused_crawler.experiment.grid import Subject, choose_seed_sets, choose_strategies

STRATEGIES = "link_classifier,best_first_content_anchor,lpe_soft"
ONE, MANY = 1, 16
TOLERANCE = 0.03
_IN_FLIGHT = "in_flight.txt"


class InFlight:
    """Extension that counts what is in flight whenever a page is recorded."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._out: list[int] = []

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

    def spider_closed(self, spider: Spider) -> None:
        """Write the mean beside the crawl's other results."""
        (crawl_of(self._crawler).folder / _IN_FLIGHT).write_text(str(mean(self._out or [0])))


def measure(
    web: Annotated[Path, "a WARC file with its topics beside it"],
    *,
    topics: Names = "",
    seed_sets: str = "a,b",
    strategies: str = STRATEGIES,
    pages: Annotated[int, "of a crawl, at most"] = 1000,
    latency: Annotated[float, f"seconds, at concurrency {MANY}"] = 0.05,
    models: Annotated[Path | None, "the folder models of an experiment"] = None,
    crawls: Annotated[Path | None, "where to keep the crawls (default: nowhere)"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Train what is needed, and make all crawls."""
    subjects = choose_seed_sets(subjects_of(web, topics), seed_sets)
    todo = settings_of(subjects, choose_strategies(strategies, {}))
    with temporary_folder() as folder, ThreadPoolExecutor(processes) as pool:
        learnt, made = (models or folder / "models").resolve(), (crawls or folder / "crawls").resolve()
        if models is None:
            list(pool.map(partial(_train, models=learnt), subjects))
        crawl = partial(_crawl, models=learnt, crawls=made, most=pages, latency=latency)

        def compared(case: tuple[Subject, str, str]) -> dict[str, object]:
            """Make the same crawl, one page at a time and many."""
            subject, seed_set, strategy = case
            about = {"web": subject.web_name, "topic": subject.topic.name, "seed_set": seed_set}
            return {**about, "strategy": strategy, **pair(*(crawl(case, number) for number in (ONE, MANY)))}

        found = track(pool.map(compared, todo), "crawls", len(todo), console=STDERR)
        return Report({"pairs": Rows(found)})


def _train(subject: Subject, models: Path) -> None:
    settings = {"FOCUSED_WEB": subject.web, "FOCUSED_MODELS": models / subject.web_name}
    scrapy("train", subject.topic.folder, "--replace", settings=settings)


def pair(one: dict[str, float], many: dict[str, float]) -> dict[str, float | None]:
    """Set the crawls side by side; no ratio where the one that fetches one at a time finds nothing."""
    ratio = many["harvest"] / one["harvest"] if one["harvest"] else None
    is_apart, difference = ratio is not None and abs(ratio - 1) > TOLERANCE, many["harvest"] - one["harvest"]
    both = ((ONE, one), (MANY, many))
    found = {f"{name}_{number}": crawl[name] for number, crawl in both for name in ("pages", "harvest")}
    found |= {"in_flight": many["in_flight"], "ratio": ratio, "difference": difference}
    return {**found, "apart": is_apart, "lower": is_apart and difference < 0}


def _crawl(
    case: tuple[Subject, str, str], concurrency: int, *, models: Path, crawls: Path, most: int, latency: float
) -> dict[str, float]:
    subject, seed_set, strategy = case
    job = f"{seed_set}.{strategy}.{concurrency}"
    targets = len(truth_beside(subject))
    arguments = {"topic": subject.topic.folder, "strategy": strategy, "seed_set": seed_set, "job": job}
    settings = {
        "FOCUSED_WEB": subject.web,
        "FOCUSED_WEB_LATENCY": latency if concurrency > 1 else 0.0,
        "FOCUSED_MODELS": models / subject.web_name,
        "FOCUSED_CRAWLS": crawls / subject.web_name,
        "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "EXTENSIONS": json.dumps({f"{InFlight.__module__}.{InFlight.__name__}": 500}),
    }
    more = {"pages": min(targets, most), "profile": "offline"}
    scrapy("crawl", "topic", arguments=arguments | more, settings=settings)
    folder = crawls / subject.web_name / subject.topic.name / job
    totals = json.loads((folder / "run.json").read_text("utf-8"))["totals"]
    in_flight = float((folder / _IN_FLIGHT).read_text("utf-8"))
    return {"pages": totals["pages"], "harvest": totals["harvest_rate"], "in_flight": in_flight}
