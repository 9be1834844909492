"""What politeness costs a crawl, and what it brings that slots wait for the best host.

    .venv/bin/python benchmarks/study.py waiting --webs openweb,demo_3 [--seed-sets a,b] [--out FOLDER]

Crawls of |T| pages of all topics of a web by a strategy, simulated in the time that they would take: one URL
at a time without a delay, as `scrapy experiment`; and as a real crawl is by default, sixteen in flight, one
of a host, a second from one to the next, an answer after half a second (the median), with each share of the
best pending priority that a URL needs (FOCUSED_WAIT_FOR_BEST; at 0 no slot waits). Compared is the area under
R(n) at |T| over the upper bound's, in the mean over topics; `change`: less the first, with the interval of a
bootstrap over topics and seed sets. A recorded web has holes, so that a page takes several requests there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated

from benchmarks.harness import PROCESSES, Names, Processes, Report
from benchmarks.studies.crawls import ClassifierCrawler, rows_of_webs
from benchmarks.studies.peers import area_of, bounds_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import Flight, simulate
from focused_crawler.frontier.base import Rules

SHARES = "0,0.5,0.7,0.8,0.9,1"
DELAY = 1.0
FLIGHT = Flight(16, 0.5)
ALONE = "one at a time"


def measure(
    *,
    webs: Names = "openweb,demo_3",
    topics: Annotated[str, "names, with commas between (default: all of a web)"] = "",
    seed_sets: str = "a,b",
    strategies: Names = "adaptive",
    shares: Annotated[str, "values of FOCUSED_WAIT_FOR_BEST"] = SHARES,
    out: Annotated[Path | None, "where models stay"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl one at a time, and politely with each share."""
    crawl = partial(crawls, strategies=strategies.split(","), shares=tuple(map(float, shares.split(","))))
    return Report({"runs": rows_of_webs(crawl, webs, seed_sets, processes, out, topics)})


def crawls(
    bench: Bench, task: tuple[Subject, str], strategies: Sequence[str], shares: Sequence[float]
) -> list[dict[str, object]]:
    """Return a row a crawl: its area, the change, and seconds a page and a request."""
    subject, seeds = task
    crawler = ClassifierCrawler(bench, subject)
    best = bounds_of(crawler, subject, seeds)
    given = bench.config.rules()
    ways: list[tuple[str, Rules, Flight]] = [(ALONE, replace(given, delay=0.0, per_host=None), Flight())]
    polite = replace(given, delay=DELAY, per_host=1)
    ways += [(f"{share:g}", replace(polite, wait_for_best=share), FLIGHT) for share in shares]
    rows: list[dict[str, object]] = []
    alone: dict[str, float] = {}
    for strategy, (way, rules, flight) in product(strategies, ways):
        run = simulate(
            crawler.analyst(strategy),
            crawler.web,
            subject.seed_sets[seeds],
            crawler.pages,
            rules,
            relevance=crawler.known,
            flight=flight,
        )
        area = area_of(crawler.relevant[run.visits], best)
        alone.setdefault(strategy, area)
        rows.append({
            "topic": subject.topic.name, "seed_set": seeds, "strategy": strategy, "share": way, "area": area,
            "change": area - alone[strategy], "page_s": run.seconds / max(1, len(run.visits)),
            "request_s": run.seconds / max(1, run.requests),
        })  # fmt: skip
    return rows
