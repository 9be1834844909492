"""How far the order that learns gets on webs of several kinds, beside others, and what it costs.

    .venv/bin/python benchmarks/adaptive.py [--folder FOLDER] [--webs demo_3,demo_4] [--json FILE]

Areas are those of `scrapy experiment`, all topics and seed sets: under R(n) at |T| over the upper bound. With
--folder the experiments stay there, and go on where they were stopped; all of them take half an hour.

Costs: what the pages of a crawl of openweb cost the strategy (reading links, learning and scoring, scoring
others again), the shortest of several rounds a page, beside `link_classifier`. And pages of a hundred links,
40 of them new, to a made-up web of 20,000 hosts, taken best first, until `--urls` wait in a crawl's database
on disk: what a page costs there; what a URL costs, in the whole crawl, that is scored again and gets another
priority, with the frontier's part for those that it is sent; and the longest time without a pause, all in
CPU time. What the strategy holds is shared among all URLs that wait (`bytes_per_url`), and among those that
it knows, which are 131,072 at most; groups count in both.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Annotated, cast

import numpy as np
from rich.progress import track
from scrapy.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, STDERR, Report, main, temporary_folder
from benchmarks.meter import Meter
from benchmarks.studies.crawls import ClassifierCrawler, Start, experiment, prepared, subjects_of
from benchmarks.tables import Rows
from benchmarks.webs import NAMES, find_web
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.experiment.measures import Setting, Values
from focused_crawler.experiment.statistics import compare
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.link_scoring.base import LearningScorer
from focused_crawler.link_scoring.rescoring import RescoringStrategy
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.safety.process import settle
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.rows import urls_of
from focused_crawler.topic.topic import load_topic

STRATEGY = "adaptive"
PAGE_AND_ANCHOR, CLASSIFIER = BASELINES = ("best_first_content_anchor", "link_classifier")
DEMO = tuple(name for name in NAMES if name.startswith("demo_"))
HOSTS, LINKS, NEW = 20_000, 100, 40
COMMIT = 16
MEASURED = 1_000  # last pages
PAGES_OF, ROUNDS = "cooking", 9
WORDS = ("star", "planet", "telescope", "cake", "market", "football", "garden", "orbit")


def measure(
    *,
    webs: Annotated[str, "names, with commas between; none: the costs alone (default: all)"] = "",
    folder: Annotated[Path | None, "where experiments stay"] = None,
    urls: Annotated[int, "that wait, for the costs"] = 1_000_000,
    processes: int = 2,
) -> Report:
    """Make the experiments and measure the costs."""
    rows = Rows()
    with temporary_folder() as scratch:
        for name in () if webs == "none" else webs.split(",") if webs else NAMES:
            rows += [{**row, "kind": name} for row in runs_on(name, folder or scratch, processes)]
        costs = costs_of_pages(scratch) | costs_at(scratch, urls)
    tables = Rows(row for name in dict.fromkeys(row["kind"] for row in rows) for row in areas(name, rows))
    figures = {**costs, **figures_of(tables)}
    return Report({"areas": tables}, figures)


def runs_on(name: str, folder: Path, processes: int) -> Rows:
    """Return the runs of all strategies on a web."""
    web = find_web(name)
    without = dict(zip(["without"], web.without, strict=False))
    strategies = ",".join((STRATEGY, *BASELINES))
    return experiment(folder / name, str(web.path), strategies=strategies, processes=processes, **without)


def areas(name: str, rows: Rows) -> Iterator[dict[str, object]]:
    """Yield a row a strategy: mean and worst topic, and how far the order that learns is ahead of it."""
    mine = [row for row in rows if row["kind"] == name]
    strategies = tuple(dict.fromkeys(row["strategy"] for row in mine))
    settings = tuple(dict.fromkeys(Setting(row["web"], row["topic"], row["seed_set"]) for row in mine))
    found = {
        (row["strategy"], Setting(row["web"], row["topic"], row["seed_set"])): float(row["area_upper_1"])
        for row in mine
    }
    array = np.array([[found[strategy, setting] for setting in settings] for strategy in strategies])
    values = Values(strategies, settings, array)
    ahead = {one.baseline: one for one in compare(values, *BASELINES) if one.strategy == STRATEGY}
    for strategy, by_topic in values.by_topic().items():
        row = {"web": name, "strategy": strategy, "mean": by_topic.mean(), "worst": by_topic.min()}
        if (one := ahead.get(strategy)) is not None:
            row |= {"ahead": one.difference.mean, "low": one.difference.low, "high": one.difference.high}
            row |= {"least": (values.by_topic()[STRATEGY] - by_topic).min()}
        yield row


def figures_of(tables: Rows) -> dict[str, float]:
    """Return what the tables come to, by the names of the figures."""
    by = {(row["web"], row["strategy"]): row for row in tables}
    figures = {}
    if (own := by.get(("openweb", STRATEGY))) is not None:
        figures |= {"area_openweb": own["mean"], "worst_openweb": own["worst"]}
    if (base := by.get(("openweb_no_directory", PAGE_AND_ANCHOR))) is not None:
        figures["gain_no_directory"] = base["ahead"]
    gains = [by[name, PAGE_AND_ANCHOR]["ahead"] for name in DEMO if (name, PAGE_AND_ANCHOR) in by]
    return figures | ({"gain_demo": float(np.mean(gains))} if gains else {})


def costs_of_pages(folder: Path) -> dict[str, float]:
    """Return what pages of openweb cost, in the order of a crawl."""
    (subject,) = subjects_of(find_web("openweb").path, PAGES_OF)
    crawler = ClassifierCrawler(prepared(folder / "pages", [subject], 1), subject)
    visits = crawler.crawl(STRATEGY, Start("a")).visits.tolist()
    pages, analyst = [crawler.web.page(number) for number in visits], crawler.analyst(STRATEGY)
    for page, number in zip(pages, visits, strict=True):
        page.depth = 1
        analyst.judge(page, crawler.known[number])
    costs = {}
    for name, strategy in (("ms_per_page", STRATEGY), ("ms_per_page_classifier", CLASSIFIER)):
        scorers = (cast("LearningScorer", crawler.analyst(strategy).order.scorer) for _ in range(ROUNDS))
        rounds = [_seconds_of(scorer, pages) for scorer in scorers]
        costs[name] = 1000 * float(np.array(rounds).min(axis=0).mean())
    return costs


def _seconds_of(strategy: LearningScorer, pages: Sequence[Page]) -> list[float]:
    seconds = []
    for page in pages:
        began = time.perf_counter()
        features = strategy.features(page, page.links)
        strategy.learn_from(features)
        strategy.score_from(features)
        if isinstance(strategy, RescoringStrategy):
            for _ in strategy.rescored():
                pass
        seconds.append(time.perf_counter() - began)
    return seconds


def costs_at(folder: Path, urls: int) -> dict[str, float]:
    """Return the costs while so many URLs wait."""
    topic = load_topic(str(ROOT / "topics/asthma"))
    config = replace(CrawlConfig.from_settings(Settings()), strategy=STRATEGY, models=folder / "none")
    analyst = Analyst.make(config, topic)
    strategy = analyst.order.scorer
    assert isinstance(strategy, RescoringStrategy)
    web, meters, whole = MadeUpWeb(), [Meter(), Meter(), Meter()], Meter()
    longest, moved, sent = 0.0, list[int](), list[int]()
    with CrawlDatabase(folder / "crawl.db") as database:
        frontier = SqlFrontier(database, Rules())
        rescoring = Rescoring(analyst, frontier, partial(urls_of, database))
        settle()
        frontier.add([Candidate(web.start, 1.0)])
        pages = urls // NEW
        for number in track(range(pages), "pages", pages, console=STDERR):
            is_measured = number >= pages - MEASURED
            reading, learning, again = meters if is_measured else (Meter(), Meter(), Meter())
            (lease,) = frontier.take(1, float(number))
            page = web.page(lease.url)
            with reading.running():
                features = strategy.features(page, page.links)
            began = time.thread_time()
            with learning.running():
                strategy.learn_from(features)
                scores = strategy.score_from(features)
            paused = time.thread_time()
            links = zip(page.links, scores, strict=True)
            frontier.add(Candidate(link.url, score, 1, page.url) for link, score in links)
            frontier.done(lease.url)
            seen, size = strategy.seen, len(strategy.seen)
            before = {name: seen[name][:size].copy() for name in ("deserved", "priority")}
            again_began = time.thread_time()
            with whole.running(), again.running():
                rescoring.after_page()
            if is_measured:
                longest = max(longest, paused - began, time.thread_time() - again_began)
            for changes, name in ((moved, "deserved"), (sent, "priority")):  # none where some were forgotten
                is_same = len(seen) == size
                changes.append(int((seen[name][:size] != before[name]).sum()) if is_same else 0)
            if number % COMMIT == 0:
                database.commit()
        waiting = len(frontier)
        frontier.close()
    size = _bytes_held(strategy)
    reading, learning, again = meters
    return {
        "urls": waiting,
        "ms_per_made_up_page": 1000 * sum(meter.cpu for meter in meters) / MEASURED,
        "ms_reading": 1000 * reading.cpu / MEASURED,
        "ms_learning": 1000 * learning.cpu / MEASURED,
        "ms_rescoring": 1000 * again.cpu / MEASURED,
        "us_per_rescored_url": 1e6 * whole.cpu / max(sum(moved), 1),
        "rescored_per_page": sum(moved[-MEASURED:]) / MEASURED,
        "sent_per_page": sum(sent[-MEASURED:]) / MEASURED,
        "urls_known": len(strategy.seen),
        "bytes_per_url": size / waiting,
        "bytes_per_url_known": size / len(strategy.seen),
        "longest_hold_ms": 1000 * longest,
    }


def _bytes_held(strategy: RescoringStrategy) -> float:
    """Return all that a strategy holds of URLs and groups, with the order of both."""
    with np.load(io.BytesIO(strategy.memory())) as held:
        arrays = sum(held[name].nbytes for name in held)
        return float(arrays + 4.5 * (len(held["seen_key"]) + len(held["group_key"])))


class MadeUpWeb:
    """Pages of a hundred links, a third within their host: to new pages, and to those of before."""

    def __init__(self) -> None:
        self._chance, self._fresh = Random(0), count()
        self.start = "http://site0.example/0/start"
        self._known = [self.start]

    def page(self, url: str) -> Page:
        """Return a page that was not there before; a host is about something."""
        chance, host = self._chance, int(url.partition("site")[2].partition(".")[0])
        sites = [chance.randrange(HOSTS) if n % 3 else host for n in range(NEW)]
        new = [f"http://site{site}.example/{chance.randrange(9)}/{next(self._fresh)}" for site in sites]
        links = [
            _link(target, chance.choices(WORDS, k=2), chance.choices(WORDS, k=8), n % 7)
            for n, target in enumerate([*new, *chance.choices(self._known, k=LINKS - NEW)])
        ]
        self._known = [*self._known[-2_000:], *new]
        page = Page(url, "", "", Sections(), Outline(is_heading=False), links=links, depth=1)
        page.relevance = min(max(chance.gauss(host % 10 / 9, 0.15), 0.0), 1.0)
        page.is_relevant = page.relevance >= 0.5
        return page


def _link(target: str, anchor: list[str], around: list[str], place: int) -> Link:
    return Link(target, " ".join(anchor), anchor, around, 0, place=place)


if __name__ == "__main__":
    main(measure, __doc__)
