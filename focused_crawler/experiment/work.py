"""The tasks of an experiment that take time. Each writes one file, whole, and can run in any process."""

from __future__ import annotations

import io
import time
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.folder import Record, write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.measures import Case, Setting
from focused_crawler.experiment.origin import code_of
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import relevances
from focused_crawler.link_scoring.registry import path_of
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError, WrongScores
from focused_crawler.virtualweb.bounds import Bounds, bounds

_DAMAGE = (OSError, EOFError, KeyError, RuntimeError, TypeError, ValueError, BadZipFile, zlib.error)
"""What numpy and zipfile raise for a file of arrays that is missing or not whole."""


def crawl(bench: Bench, subject: Subject, seed_set: str, strategy: str, budget: int) -> Record:
    """Make a run, write the URLs it fetched and return its record, without ground truth: nothing is judged.

    Its time counts frontier, reading of the analysed pages and scoring; pages were classified before.
    Raises CrawlError if a user's own strategy fails.
    """
    case = Case(subject.web_name, subject.topic.name, seed_set, strategy)
    web = bench.web(subject)
    analyst = analyst_of(bench, subject, strategy)
    known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
    rules = replace(bench.config.rules(), delay=0.0, per_host=None)  # no server is asked
    began = time.process_time()
    with _errors_of(bench, case):
        run = simulate(analyst, web, subject.seed_sets[seed_set], budget, rules, relevance=known)
    seconds = time.process_time() - began
    write_whole(bench.visits(case), "".join(f"{url}\n" for url in run.urls))
    code = code_of(path_of(strategy, bench.config.link_scorers))
    return Record(*case, len(run.urls), 0, round(seconds, 3), run.reason, code)


def bound(bench: Bench, subject: Subject, seed_set: str, budget: int) -> Setting:
    """Compute the bounds of a setting and write them."""
    web = bench.web(subject)
    truth = truth_of(bench, subject)
    seeds = [web.number(url) for url in subject.seed_sets[seed_set]]
    found = bounds(web.graph, seeds, truth.targets(web.urls), budget)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, targets=len(truth), upper=found.upper, greedy=found.greedy, one_step=found.one_step
    )
    setting = Setting(subject.web_name, subject.topic.name, seed_set)
    write_whole(bench.bounds(setting), buffer.getvalue())
    return setting


def read_bounds(bench: Bench, setting: Setting, budget: int) -> Bounds | None:
    """Return what `bound` wrote; None if that is missing or not whole."""
    try:
        with np.load(io.BytesIO(bench.bounds(setting).read_bytes()), allow_pickle=False) as file:
            found = Bounds(int(file["targets"]), file["upper"], file["greedy"], file["one_step"])
    except _DAMAGE:
        return None
    curves = (found.upper, found.greedy, found.one_step)
    return found if all(curve.shape == (budget + 1,) for curve in curves) else None


def analyst_of(bench: Bench, subject: Subject, strategy: str) -> Analyst:
    """Return the analyst of a strategy; raises ModelError, ConfigError or TopicError.

    A taxonomy is used by strategies that need one. In a flat one of the web's topics each topic is its own
    leaf, whatever it marks in another.
    """
    config = replace(bench.config, strategy=strategy, models=bench.models(subject), taxonomy=None)
    is_flat = bench.config.taxonomy is None
    return Analyst.make(config, replace(subject.topic, good_categories=()) if is_flat else subject.topic)


@contextmanager
def _errors_of(bench: Bench, case: Case) -> Iterator[None]:
    """Report in one line where a user's own strategy failed; an error in one of ours is raised."""
    path = path_of(case.strategy, bench.config.link_scorers)
    try:
        yield
    except WrongScores as error:
        if path is None:
            raise
        raise _failed(case, str(error), path) from error
    except FocusedCrawlerError:
        raise
    except Exception as error:
        if path is None:
            raise
        last = traceback.format_exception_only(error)[-1].strip().splitlines()[-1]
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{last} ({Path(place.filename).name}, line {place.lineno})"
        raise _failed(case, what, path) from error


def _failed(case: Case, what: str, path: str) -> CrawlError:
    return CrawlError(
        f"strategy {case.strategy} failed on {case.web}/{case.topic}, seed set {case.seed_set}: {what};"
        f" fix {path} and run the same command again"
    )
