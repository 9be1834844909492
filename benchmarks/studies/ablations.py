"""What each part of the order that learns brings: the same crawls without it.

    .venv/bin/python benchmarks/study.py ablations --webs openweb,demo_3 [--seed-sets a,b] [--out FOLDER]

Crawls of |T| pages (as `scrapy experiment`, one page at a time) of all topics of a web, whole and without one
part at a time. Compared is the area under R(n) at |T| over the upper bound's: the mean of the paired
differences over topics, with the interval of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any

from benchmarks.harness import PROCESSES, Names, Processes, Report, in_processes, temporary_folder
from benchmarks.studies.crawls import ClassifierCrawler, Start, prepared, subjects_of
from benchmarks.studies.peers import area_of, bounds_of, changed
from benchmarks.tables import Rows
from benchmarks.webs import find_web
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_seed_sets
from focused_crawler.experiment.variants import without_hosts
from focused_crawler.link_scoring import adaptive, evidence, groups

WHOLE = "whole"
LEFT_OUT: Mapping[str, Mapping[tuple[Any, str], Any]] = {
    WHOLE: {},
    "places on pages": {(groups, "PLACE"): 0.0},
    "hosts": {(groups, "HOST"): 0.0},
    "folders": {(groups, "FOLDER"): 0.0},
    "words of links": {(groups, "DOUBT"): inf},
    "all outcomes": {**{(groups, name): 0.0 for name in ("PLACE", "HOST", "FOLDER")}, (groups, "DOUBT"): inf},
    "link classifier": {(adaptive, "LINK"): 0.0},
    "pages that hold the link": {(adaptive, "PAGES"): 0.0},
    "words of link and URL": {(evidence, name): 0.0 for name in ("ANCHOR", "URL")},
    "directories": {(adaptive, "_shows_sites"): lambda page: False},
    "scoring again": {(adaptive.Adaptive, "rescored"): lambda self: iter(())},
}
"""Part -> what it is without it."""


def measure(
    *,
    webs: Names = "openweb,demo_3",
    seed_sets: str = "a,b",
    parts: Annotated[str, "names, with semicolons between (default: all)"] = "",
    out: Annotated[Path | None, "where models stay"] = None,
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl with each part left out."""
    names = list(dict.fromkeys([WHOLE, *(parts.split(";") if parts else LEFT_OUT)]))
    rows = Rows()
    with temporary_folder() as scratch:
        for name in webs.split(","):
            web = find_web(name)
            subjects, _ = without_hosts(choose_seed_sets(subjects_of(web.path), seed_sets), web.without)
            bench = prepared((out or scratch) / name, subjects, processes)
            tasks = [(subject, seeds) for subject in subjects for seeds in subject.seed_sets]
            for found in in_processes(partial(crawls, bench, names), tasks, processes, name):
                rows += [{"web": name, **row} for row in found]
    return Report({"runs": rows})


def crawls(bench: Bench, parts: list[str], task: tuple[Subject, str]) -> list[dict[str, object]]:
    """Return a row a part: the area without it, and how much less that is than the whole order's."""
    subject, seeds = task
    crawler = ClassifierCrawler(bench, subject)
    best, areas = bounds_of(crawler, subject, seeds), {}
    for part in parts:
        with changed(LEFT_OUT[part]):
            areas[part] = area_of(crawler.crawl("adaptive", Start(seeds)).hits, best)
    about = {"topic": subject.topic.name, "seed_set": seeds}
    return [
        {**about, "without": part, "area": area, "change": area - areas[WHOLE]}
        for part, area in areas.items()
    ]
