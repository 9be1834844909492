"""What an order that wants sites as well as pages costs in pages, and brings in sites.

    .venv/bin/python benchmarks/study.py sites --webs openweb,demo_3 [--seed-sets a,b] [--out FOLDER]

Crawls of 2|T| pages (as `scrapy experiment`, one page at a time) of all topics of a web by `adaptive`, with
each discount of further pages of a site (FOCUSED_SITE_DISCOUNT; at 0 pages alone count). Compared are the
area under R(n) at |T| over the upper bound's, the relevant pages, and the shares of hosts with at least one
and five relevant pages that were found; `change`: of the area against the first discount, in the mean over
topics with the interval of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from benchmarks.harness import PROCESSES, Names, Processes, Report
from benchmarks.studies.crawls import ClassifierCrawler, Start, bench_of, rows_of_webs
from benchmarks.studies.peers import area_of, bounds_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.hosts import HostsFound
from focused_crawler.experiment.ranking import LARGE
from focused_crawler.virtualweb.truth import host_of

DISCOUNTS = "0,0.05,0.1,0.2,0.5,1"


def measure(
    *,
    webs: Names = "openweb,demo_3",
    topics: Annotated[str, "names, with commas between (default: all of a web)"] = "",
    seed_sets: str = "a,b",
    discounts: Annotated[str, "values of FOCUSED_SITE_DISCOUNT"] = DISCOUNTS,
    out: Annotated[Path | None, "where models stay"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl with each discount."""
    crawl = partial(crawls, discounts=tuple(map(float, discounts.split(","))))
    return Report({"runs": rows_of_webs(crawl, webs, seed_sets, processes, out, topics)})


def crawls(bench: Bench, task: tuple[Subject, str], discounts: tuple[float, ...]) -> list[dict[str, object]]:
    """Return a row a discount."""
    subject, seeds = task
    rows: list[dict[str, object]] = []
    for discount in discounts:
        own = bench_of(bench.folder, {"FOCUSED_SITE_DISCOUNT": discount})
        crawler = ClassifierCrawler(own, subject)
        targets, crawler.pages = crawler.targets, 2 * crawler.targets
        made = crawler.crawl("adaptive", Start(seeds))
        urls = crawler.web.urls
        relevant = Counter(host_of(urls[number]) for number in np.flatnonzero(crawler.relevant))
        hosts = HostsFound.of(relevant, [urls[number] for number in made.visits], made.hits)
        area = area_of(made.hits, bounds_of(crawler, subject, seeds))
        rows.append(
            {
                "topic": subject.topic.name,
                "seed_set": seeds,
                "discount": f"{discount:g}",
                "area": area,
                "change": area - float(str(rows[0]["area"])) if rows else 0.0,
                "pages": int(made.hits[:targets].sum()) / targets,
                "later_pages": int(made.hits.sum()) / targets,
                **{
                    f"{kind}{when}": hosts.share(least, pages)
                    for kind, least in (("hosts", 1), ("large", LARGE))
                    for when, pages in (("", targets), ("_later", 2 * targets))
                },
            }
        )
    return rows
