"""The tasks of an experiment that take time. Each writes one file, whole, and can run in any process."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass, replace

import numpy as np

from focused_crawler.analysis import Analyst
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.judge import truth_of
from focused_crawler.experiment.results import Case, Setting
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import relevances
from focused_crawler.virtualweb.bounds import Bounds, bounds


@dataclass(frozen=True, slots=True)
class Crawled:
    """What is known of a run when it ends; its URLs are in its file. Who crawls knows no ground truth."""

    case: Case
    pages: int
    cpu_seconds: float
    reason: str


def crawl(bench: Bench, subject: Subject, seed_set: str, strategy: str, budget: int) -> Crawled:
    """Make a run, and write down the URLs it fetched.

    Its time counts frontier, reading of the analysed pages and scoring; pages were classified before.
    """
    case = Case(subject.web_name, subject.topic.name, seed_set, strategy)
    web = bench.web(subject)
    analyst = analyst_of(bench, subject, strategy)
    known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
    rules = replace(bench.config.rules(), delay=0.0, per_host=None)  # nobody is asked
    began = time.process_time()
    run = simulate(analyst, web, subject.seed_sets[seed_set], budget, rules, relevance=known)
    seconds = time.process_time() - began
    write_whole(bench.visits(case), "".join(f"{url}\n" for url in run.urls))
    return Crawled(case, len(run.urls), seconds, run.reason)


def bound(bench: Bench, subject: Subject, seed_set: str, budget: int) -> Setting:
    """Find out what any crawl of a setting can reach, and write it down."""
    web = bench.web(subject)
    truth = truth_of(bench, subject)
    relevant = truth.among(web.urls)
    seeds = [web.number(url) for url in subject.seed_sets[seed_set]]
    found = bounds(web.graph, seeds, relevant, budget)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, targets=len(truth), upper=found.upper, greedy=found.greedy, one_step=found.one_step
    )
    setting = Setting(subject.web_name, subject.topic.name, seed_set)
    write_whole(bench.bounds(setting), buffer.getvalue())
    return setting


def read_bounds(bench: Bench, setting: Setting) -> Bounds:
    """Return what `bound` wrote."""
    with np.load(bench.bounds(setting), allow_pickle=False) as found:
        return Bounds(int(found["targets"]), found["upper"], found["greedy"], found["one_step"])


def analyst_of(bench: Bench, subject: Subject, strategy: str) -> Analyst:
    """Return who judges pages and links; raises ModelError or ConfigError if that cannot be."""
    config = replace(bench.config, strategy=strategy, models=bench.models(subject))
    return Analyst.make(config, subject.topic)
