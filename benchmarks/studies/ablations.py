"""What each part of the order that learns brings: the same crawls without it.

    .venv/bin/python benchmarks/study.py ablations --webs openweb,demo_3 [--seed-sets a,b] [--out FOLDER]

Crawls of |T| pages (as `scrapy experiment`, one page at a time) of all topics of a web, by `adaptive` and by
`without:PART` for each of its parts. Compared is the area under R(n) at |T| over the upper bound's: the mean
of the paired differences over topics, with the interval of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

from benchmarks.harness import PROCESSES, Names, Processes, Report
from benchmarks.studies.crawls import ClassifierCrawler, Start, rows_of_webs
from benchmarks.studies.peers import area_of, bounds_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_strategies
from focused_crawler.link_scoring.registry import ABLATED, WITHOUT
from focused_crawler.link_scoring.weights import LEFT_OUT
from focused_crawler.safety.errors import ConfigError


def measure(
    *,
    webs: Names = "openweb,demo_3",
    seed_sets: str = "a,b",
    parts: Names = "",
    out: Annotated[Path | None, "where models stay"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl with each part left out."""
    strategies = strategies_of(parts.split(",") if parts else LEFT_OUT)
    crawl = partial(crawls, strategies=strategies)
    return Report({"runs": rows_of_webs(crawl, webs, seed_sets, processes, out)})


def strategies_of(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the whole order, and what leaves each of these parts out."""
    try:
        return choose_strategies(",".join([ABLATED, *(f"{WITHOUT}:{part.strip()}" for part in parts)]), {})
    except ConfigError as error:
        raise SystemExit(str(error)) from None


def crawls(bench: Bench, task: tuple[Subject, str], strategies: tuple[str, ...]) -> list[dict[str, object]]:
    """Return a row a strategy: its area, and how much less that is than the whole order's."""
    subject, seeds = task
    crawler = ClassifierCrawler(bench, subject)
    best = bounds_of(crawler, subject, seeds)
    areas = {name: area_of(crawler.crawl(name, Start(seeds)).hits, best) for name in strategies}
    rows = []
    for name, area in areas.items():
        about = {
            "topic": subject.topic.name,
            "seed_set": seeds,
            "without": name.partition(":")[2] or "nothing",
        }
        rows.append({**about, "area": area, "change": area - areas[ABLATED]})
    return rows
