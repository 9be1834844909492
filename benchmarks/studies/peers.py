"""How far other crawlers' policies get beside ours: the same webs, the same judge, the same budget.

    .venv/bin/python benchmarks/study.py peers --webs openweb,demo_3 [--seed-sets a,b] [--out FOLDER]

Crawls of |T| pages (as `scrapy experiment`, one page at a time) of all topics of a web. Compared is the area
under R(n) at |T| over the upper bound's, beside the two oracles: the mean over topics, the worst topic, and
how much `adaptive` has more, as the mean of the paired differences over topics, with the interval of a
bootstrap over topics and seed sets. With --out, crawls that were made are not made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from benchmarks.harness import PROCESSES, Names, Processes, Report
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start, bench_of, rows_of_webs
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.link_scoring import deep_deep, sb_classifier
from focused_crawler.virtualweb.bounds import Bounds, bounds, one_each

OURS = "adaptive"


class Policy(NamedTuple):
    """A strategy with some settings, and with other constants than its own."""

    strategy: str
    settings: Mapping[str, object] = {}
    constants: Mapping[tuple[Any, str], Any] = {}


POLICIES: Mapping[str, Policy] = {
    OURS: Policy(OURS),
    **{
        name: Policy(name)
        for name in (
            "link_classifier", "best_first_content_anchor", "lpe", "lpe_soft",
            "ache", "sb_classifier", "anthelion", "deep_deep", "tres",
        )
    },
    "ache, trained every 100 pages": Policy("ache", {"FOCUSED_ACHE_LEARNING_LIMIT": 100}),
    "sb_classifier, exploring a tenth": Policy("sb_classifier", {}, {(sb_classifier, "EXPLORES"): 0.28}),
    "deep_deep, temperature a tenth": Policy("deep_deep", {}, {(deep_deep, "TEMPERATURE"): 0.1}),
    "tres, no cap a host": Policy("tres", {"FOCUSED_TRES_HOST_PAGES": 0}),
}  # fmt: skip
ORACLES = ("one_step", "greedy")


def measure(
    *,
    webs: Names = "openweb,openweb_no_directory,demo_3,demo_4,demo_5",
    seed_sets: str = "a,b",
    policies: Annotated[str, "names, with semicolons between (default: all)"] = "",
    topics: Annotated[str, "names, with commas between (default: all of a web)"] = "",
    examples: Annotated[str, "relevant and other examples to learn from, as 5+10 (default: all)"] = "",
    out: Annotated[Path | None, "where models and areas stay"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl by each policy."""
    names = list(dict.fromkeys([OURS, *(policies.split(";") if policies else POLICIES)]))
    crawl = partial(areas_of, names=names)
    return Report({"runs": rows_of_webs(crawl, webs, seed_sets, processes, out, topics, examples)})


def areas_of(bench: Bench, task: tuple[Subject, str], names: list[str]) -> list[dict[str, Any]]:
    """Return a row a policy and oracle: its area, and how much more ours is."""
    subject, seeds = task
    known = bench.folder / "areas" / f"{subject.topic.name}.{seeds}.json"
    areas: dict[str, float] = json.loads(known.read_text("utf-8")) if known.is_file() else {}
    for name, area in _made(bench, [name for name in names if name not in areas], subject, seeds):
        areas[name] = area
        known.parent.mkdir(exist_ok=True)
        known.write_text(json.dumps(areas, indent=1), "utf-8")
    about = {"topic": subject.topic.name, "seed_set": seeds}
    return [
        {**about, "policy": name, "area": areas[name], "more": areas[OURS] - areas[name]}
        for name in (*names, *ORACLES)
    ]


def _made(bench: Bench, names: list[str], subject: Subject, seeds: str) -> Iterator[tuple[str, float]]:
    if not names:
        return
    crawler = ClassifierCrawler(bench, subject)
    best = bounds_of(crawler, subject, seeds)
    most = best.upper[1:].sum()
    for oracle in ORACLES:
        yield oracle, float(getattr(best, oracle)[1:].sum() / most)
    for name in names:
        strategy, settings, constants = POLICIES[name]
        own = ClassifierCrawler(bench_of(bench.folder, settings), subject) if settings else crawler
        with changed(constants):
            yield name, area_of(own.crawl(strategy, Start(seeds)).hits, best)


def bounds_of(crawler: ClassifierCrawler, subject: Subject, seeds: str) -> Bounds:
    """Return the bounds of crawls of |T| pages from a seed set."""
    numbers = [crawler.web.number(url) for url in subject.seed_sets[seeds]]
    return bounds(crawler.web.graph, numbers, one_each(crawler.relevant), crawler.targets)


def area_of(hits: Mask, best: Bounds) -> float:
    """Return the area under R(n) at |T| over the upper bound's; a crawl that ended early finds no more."""
    found = np.cumsum(hits[: best.targets])
    area = found.sum() + (best.targets - len(found)) * found[-1:].sum()
    return float(area / best.upper[1 : best.targets + 1].sum())


@contextmanager
def changed(values: Mapping[tuple[Any, str], Any]) -> Iterator[None]:
    """Give attributes of modules or classes other values for a while."""
    before: dict[tuple[Any, str], float | Callable[..., object]] = {
        (owner, name): getattr(owner, name) for owner, name in values
    }
    try:
        for (owner, name), value in values.items():
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name), value in before.items():
            setattr(owner, name, value)
