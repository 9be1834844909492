"""Precision, recall and accuracy with and without focusing: Table 3 of Subatra Devi 2017, on a recorded web.

    .venv/bin/python benchmarks/focusing.py ../shared/webs/openweb.warc.gz

Each topic is crawled by content_link_sibling, once with each threshold, and breadth-first. Her table counts
the pages of all links that a crawl met: retrieved or not, relevant or not. Hers are relevant if the URL has
the topic's words in it; here the web's ground truth judges, which no crawl sees. Models are trained first,
into --models, and not again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scrapy.settings import Settings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.hmm.settings import HmmSettings
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject, find_subjects
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import prepare, relevances
from focused_crawler.frontier.base import Rules
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ("precision", "recall", "accuracy")
WITHOUT = "breadth_first"
PUBLISHED = {  # percent: precision, recall, accuracy with focusing; the same without
    "Java Bean": (80.0, 84.2, 77.0, 71.7, 78.4, 69.3),
    "J2EE": (78.3, 82.2, 74.1, 69.3, 79.7, 65.4),
    "Java Script": (76.9, 87.1, 75.0, 64.8, 81.2, 64.0),
    "Java AWT": (70.6, 75.3, 72.8, 65.4, 70.9, 60.1),
    "Java Swing": (75.1, 80.0, 76.6, 63.8, 77.6, 65.4),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a crawl retrieved of all it met."""

    topic: str
    crawler: str  # a threshold, or breadth_first
    matrix: ConfusionMatrix

    def measures(self) -> tuple[float, ...]:
        return tuple(getattr(self.matrix, name) for name in MEASURES)

    @property
    def retrieved(self) -> int:
        return self.matrix.true_positive + self.matrix.false_positive


def crawls(
    subject: Subject, bench: Bench, seed_set: str, pages: int, options: Sequence[Mapping[str, object]]
) -> list[Outcome]:
    """Train the topic's model, and make one crawl for each set of options."""
    prepare(bench, subject)
    web = bench.web(subject)
    relevant = truth_of(bench, subject).among(web.urls)
    known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
    outcomes = []
    for given in options:
        analyst = Analyst.make(
            config_of({"FOCUSED_MODELS": str(bench.models(subject))} | given), subject.topic
        )
        seeds = subject.seed_sets[seed_set]
        run = simulate(analyst, web, seeds, pages or int(relevant.sum()), Rules(), relevance=known)
        crawler = str(given.get("FOCUSED_LEARNING_THRESHOLD", WITHOUT))
        outcomes.append(Outcome(subject.topic.name, crawler, retrieved(web, run.visits, relevant)))
    return outcomes


def config_of(given: Mapping[str, object]) -> CrawlConfig:
    """Return the settings of a crawl for which only these are given."""
    settings = Settings(given)
    FocusedCrawlerAddon().update_settings(settings)
    return CrawlConfig.from_settings(settings)


def retrieved(web: AnalysedWeb, visits: Sequence[int], relevant: NDArray[np.bool_]) -> ConfusionMatrix:
    """Count the pages that were fetched or linked from fetched ones: was it fetched, is it relevant?"""
    fetched = set(visits)
    met = fetched.union(*(web.graph.out(page).tolist() for page in visits))
    return ConfusionMatrix.from_pairs((page in fetched, bool(relevant[page])) for page in met)


def by_topic(outcomes: Sequence[Outcome], threshold: str) -> Table:
    """Return a table as hers is, hers below ours."""
    columns = ("focusing", "topic", *MEASURES, "retrieved", "met")
    table = Table(*columns, title=f"Threshold {threshold}, percent", title_justify="left")
    for crawler, title in ((threshold, "with"), (WITHOUT, "without")):
        for outcome in outcomes:
            if outcome.crawler == crawler:
                counts = (f"{outcome.retrieved:,}", f"{outcome.matrix.total:,}")
                table.add_row(title, outcome.topic, *map(percent, outcome.measures()), *counts)
        table.add_section()
    for topic, shares in PUBLISHED.items():
        table.add_row("with (hers)", topic, *map(str, shares[:3]))
    for topic, shares in PUBLISHED.items():
        table.add_row("without (hers)", topic, *map(str, shares[3:]))
    return table


def by_threshold(outcomes: Sequence[Outcome]) -> Table:
    """Her Figure 4, for all topics: what a lower threshold brings and costs."""
    table = Table("threshold", *MEASURES, "relevant retrieved", title="Means over topics, percent")
    for crawler, found in grouped(outcomes):
        means = map(mean, zip(*(outcome.measures() for outcome in found), strict=True))
        relevant = sum(outcome.matrix.true_positive for outcome in found)
        table.add_row(crawler, *map(percent, means), f"{relevant:,}")
    return table


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def grouped(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for crawler in dict.fromkeys(outcome.crawler for outcome in outcomes):
        yield crawler, [outcome for outcome in outcomes if outcome.crawler == crawler]


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return each measure of each crawler, its mean over topics."""
    return {
        f"{name}_{crawler}": mean(getattr(outcome.matrix, name) for outcome in found)
        for crawler, found in grouped(outcomes)
        for name in MEASURES
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument("--pages", type=int, default=0, help="of a crawl (default: the relevant ones)")
    parser.add_argument("--seed-set", default="a")
    parser.add_argument("--thresholds", default="2.1,1,0.5,4,8", help="the first is shown topic by topic")
    parser.add_argument("--weights", default="0.2,0.2,0.3", help="of content, link and siblings")
    parser.add_argument("--models", type=Path, default=ROOT / "models/focusing")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    thresholds = chosen.thresholds.split(",")
    options: list[Mapping[str, object]] = [{"FOCUSED_STRATEGY": WITHOUT}]
    options += [
        {
            "FOCUSED_STRATEGY": "content_link_sibling",
            "FOCUSED_LEARNING_THRESHOLD": threshold,
            "FOCUSED_LEARNING_WEIGHTS": chosen.weights,
        }
        for threshold in thresholds
    ]
    bench = Bench(
        folder=chosen.models,
        config=config_of({}),
        classifier=ClassifierSettings(),
        hmm=HmmSettings(),
    )
    subjects = find_subjects([chosen.web.resolve()], chosen.topics, None)
    bench.web(subjects[0])  # analyses it, before several processes need it
    work = partial(crawls, bench=bench, seed_set=chosen.seed_set, pages=chosen.pages, options=options)
    with ProcessPoolExecutor(chosen.processes) as pool:
        shown = track(pool.map(work, subjects), "topics", len(subjects), console=Console(stderr=True))
        outcomes = [outcome for found in shown for outcome in found]
    console = Console(width=110)
    console.print(by_topic(outcomes, thresholds[0]), by_threshold(outcomes))
    if chosen.json:
        chosen.json.write_text(json.dumps({"figures": figures(outcomes)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
