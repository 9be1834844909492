"""Chakrabarti et al. 1999 side by side with the paper: its Figures 4 to 11, and marks that are too narrow.

    .venv/bin/python benchmarks/study.py chakrabarti --web ../shared/webs/openweb.warc.gz \
        --into docs/research/chakrabarti.md --plots docs/research/chakrabarti

Some fifty crawls a topic: by the three crawlers of the paper and by our default, from each seed set, from two
that share but one page, and from random parts of all start pages; for as many pages as are relevant (|T|),
those of hard focus until they run dry. Their taxonomy is flat, a leaf a topic, as `scrapy experiment` makes
it; that of the crawls with narrow and broader marks has levels. Taxonomies and models learn from the topics'
examples only; the ground truth counts what was found, afterwards.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from benchmarks.harness import Names, Processes, Report, in_processes, temporary_folder
from benchmarks.studies import crawls, narrow_marks
from benchmarks.studies import shared_pages as shared
from benchmarks.studies.chakrabarti_plots import draw
from benchmarks.studies.chakrabarti_rows import leaves, measured, others
from benchmarks.studies.crawls import ClassifierCrawler, Crawl, Start, TaxonomyCrawler
from benchmarks.studies.narrow_marks import MOST
from benchmarks.studies.shared_pages import (
    COMPARED,
    DEFAULT,
    FOCUS,
    HALVED,
    OUTSIDE,
    PAIRS,
    D,
    E,
    apart,
    halves,
)
from benchmarks.tables import Rows
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import prepare, tree_of

PART = 0.3
"""Of all start pages that each of two random halves holds (section 5.3)."""


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    processes: Processes = 2,
    plots: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Make all crawls and compare them."""
    subjects = crawls.subjects_of(web, topics)
    for subject in subjects:
        if not {D.seeds, E.seeds} <= subject.seed_sets.keys():
            raise SystemExit(f"{subject.name} has no seed sets d and e; name topics that have with --topics")
    grouped = [subject for subject in subjects if subject.topic.name in narrow_marks.PARENTS]
    with temporary_folder() as folder:
        flat = crawls.taught(crawls.unsteered(crawls.bench_of(folder / "flat")), subjects)
        made = in_processes(partial(crawl_topic, bench=flat), subjects, processes)
        narrow_marks.write_tree(tree_of(flat, subjects), folder / "tree")
        config = replace(flat.config, taxonomy=folder / "tree")
        levels = crawls.taught(replace(flat, folder=folder / "levels", config=config), subjects)
        widened = in_processes(partial(narrow_marks.widen, bench=levels), grouped, processes)
        rows = {"leaves": Rows(leaves(flat, subjects)), "other": Rows(others(flat, subjects))}
        ground = shared.Ground.of(flat.web(subjects[0]))
    found = shared.studies([crawl for of_topic in made for crawl in of_topic], ground)
    marked = [cure for of_topic in widened for cure in of_topic]
    if plots is not None:
        draw(plots, found)
        narrow_marks.draw(plots, marked)
    return Report(rows | measured(found) | narrow_marks.rows_of(marked))


def crawl_topic(subject: Subject, bench: Bench) -> list[Crawl]:
    """Make all crawls of a topic. The taxonomy must be there; the topic's model is made if it is not."""
    prepare(bench, subject)
    plan = plan_of(subject.seed_sets)
    subject = replace(subject, seed_sets=starts_of(subject.seed_sets))
    focused, hard = (TaxonomyCrawler(bench, subject, [subject.topic.name], most) for most in (0, MOST))
    crawlers = {"hard_focus": hard, DEFAULT: ClassifierCrawler(bench, subject)}
    made = (crawlers.get(name, focused).crawl(name, start) for name, start in plan)
    return [replace(crawl, focus=()) for crawl in made]


def starts_of(named: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the seed sets and, by name, those made of them.

    "d, apart" and "e, apart" lack the pages that all seed sets share; "half 0a" and "half 0b" are disjoint
    random draws of `PART` of all start pages each.

    >>> starts_of({"d": ("x", "y"), "e": ("x", "z")})["e, apart"]
    ('z',)
    """
    starts = dict(named)
    shared = set.intersection(*map(set, named.values()))
    for start in (D, E):
        starts[apart(start).seeds] = tuple(seed for seed in named[start.seeds] if seed not in shared)
    union = sorted({seed for seeds in named.values() for seed in seeds})
    size = max(1, round(PART * len(union)))
    for draw_number, (first, second) in enumerate(halves()):
        drawn = random.Random(draw_number).sample(union, 2 * size)
        starts[first.seeds], starts[second.seeds] = tuple(drawn[:size]), tuple(drawn[size:])
    return starts


def plan_of(named: Collection[str]) -> list[tuple[str, Start]]:
    """Return strategy and start of all crawls, none twice."""
    own = [(name, Start(seeds)) for name in FOCUS for seeds in named]
    compared = [(name, start) for name in COMPARED for pair in PAIRS.values() for start in pair]
    halved = [(name, start) for name in HALVED for pair in halves() for start in pair]
    outside = [(DEFAULT, OUTSIDE)] if OUTSIDE.seeds in named else []
    return list(dict.fromkeys([*own, *compared, *halved, *outside]))
