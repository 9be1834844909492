"""The paper's robustness experiments on a recorded web: its Figures 4 to 11 (Chakrabarti et al. 1999).

    .venv/bin/python benchmarks/study.py robustness --web ../shared/webs/openweb.warc.gz \
        --into docs/robustness.md --out docs/robustness

Some fifty crawls a topic: by the three crawlers of the paper and by our default, from each seed set, from two
that share but one page, and from random parts of all start pages. Taxonomy and models learn from the topics'
examples only; the ground truth counts what was found, afterwards. Figures are drawn into --out.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np

from benchmarks.harness import Names, Processes, Report, temporary_folder
from benchmarks.studies import crawls
from benchmarks.studies import shared_pages as shared
from benchmarks.studies.crawls import ClassifierCrawler, Crawl, Floats, Start, TaxonomyCrawler
from benchmarks.studies.robustness_plots import draw
from benchmarks.studies.shared_pages import (
    COMPARED,
    DEFAULT,
    FOCUS,
    HALVED,
    OUTSIDE,
    PAIRS,
    D,
    E,
    Study,
    apart,
    halves,
)
from benchmarks.tables import Rows
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import prepare

PART = 0.3
"""Of all start pages that each of two random halves holds (section 5.3)."""

PARTS = {"|T|/4": 4, "|T|": 1}
TOPS = (25, shared.BEST)
STARTS = {"near": (D, E), "apart": (apart(D), apart(E)), "outside": (OUTSIDE,)}
"""Of Figure 11."""


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    pages: Annotated[int, "of a crawl"] = 3000,
    processes: Processes = 2,
    out: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Make all crawls and compare them."""
    began = time.monotonic()
    subjects = crawls.subjects_of(web, topics)
    for subject in subjects:
        if not {D.seeds, E.seeds} <= subject.seed_sets.keys():
            raise SystemExit(f"{subject.name} has no seed sets d and e; name topics that have with --topics")
    with temporary_folder() as folder, ProcessPoolExecutor(processes) as pool:
        bench = crawls.taught(crawls.unsteered(crawls.bench_of(folder)), subjects)
        made = pool.map(partial(crawl_topic, bench=bench, pages=pages), subjects)
        ground = shared.Ground.of(bench.web(subjects[0]))
        found = shared.studies([crawl for of_topic in made for crawl in of_topic], ground)
    if out is not None:
        draw(out, found)
    return Report(measured(found), {"robustness_s": time.monotonic() - began})


def crawl_topic(subject: Subject, bench: Bench, pages: int) -> list[Crawl]:
    """Make all crawls of a topic. The taxonomy must be there; the topic's model is made if it is not."""
    prepare(bench, subject)
    plan = plan_of(subject.seed_sets)
    subject = replace(subject, seed_sets=starts_of(subject.seed_sets))
    focused = TaxonomyCrawler(bench, subject, [subject.topic.name], pages)
    learning = ClassifierCrawler(bench, subject, pages)
    made = ((learning if name == DEFAULT else focused).crawl(name, start) for name, start in plan)
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


def measured(found: Sequence[Study]) -> dict[str, Rows]:
    """Return all measures: of seed sets, of pairs of crawls, of their best pages, of their hosts."""
    return {
        "harvest": Rows(row for study in found for row in _harvest(study)),
        "spread": Rows(row for study in found for row in _spread(study)),
        "pairs": Rows(_pair(study, name, part) for name in COMPARED for part in PARTS for study in found),
        "best": Rows(_best(study, name) for study in found for name in HALVED),
        "far": Rows(row for study in found for name in HALVED for row in _far(study, name)),
        "hosts": Rows(_hosts(study, name) for study in found for name in COMPARED),
    }


def _harvest(study: Study) -> Iterator[dict[str, object]]:
    """Figures 4 to 6. Of a crawl that ran dry, the mean of the pages that it fetched."""
    for name in FOCUS:
        for crawl in study.of(name):
            first = {"R": crawl.relevance[: study.targets], "relevant": crawl.hits[: study.targets]}
            means = {kind: float(values.mean()) for kind, values in first.items()}
            yield {"topic": study.topic, "crawler": name, "seed_set": crawl.start.seeds, **means}


def _spread(study: Study) -> Iterator[dict[str, object]]:
    """Figure 7: the share of pages by their R."""
    bins = [f"{low} <= R < {high}" for (low, _), (high, _) in pairwise(shared.BINS)]
    for name in FOCUS:
        for kind, share in zip([*bins, "R = 1"], shared.spread(study.of(name)), strict=True):
            yield {"crawler": name, "bin": kind, "share": float(share)}


def _pair(study: Study, name: str, part: str) -> dict[str, object]:
    """Figure 8: compare two crawls after so many pages in all ways."""
    pages = max(1, study.targets // PARTS[part])
    row = {"topic": study.topic, "crawler": name, "part": part, "targets": study.targets}
    row |= {kind: at(study.pages(name, kind), pages) for kind in ("own", "twice", "same_ties", "apart")}
    row |= {"hits": study.hits(name, pages), "apart_chance": study.chance_apart(pages)}
    row |= {"within": at(study.chance_within(name), pages), "chance": at(study.chance(pages), pages)}
    row |= {"end": float(study.pages(name)[-1])}
    row |= dict(zip(("reach_d", "reach_e"), map(len, study.reaches_apart), strict=True))
    if name in HALVED:
        draws = study.halves(name)
        drawn = draws[:, min(pages, draws.shape[1]) - 1]
        row |= {"halves": float(drawn.mean()), "halves_range": float(np.ptp(drawn))}
    return row


def _hosts(study: Study, name: str) -> dict[str, object]:
    """Figure 9: hosts of the crawls from d and e after |T| pages."""
    pair = study.sites(name)
    place = min(study.targets, len(pair.shared)) - 1
    row = {kind: float(getattr(pair, kind)[place]) for kind in ("first", "second", "of_first", "of_second")}
    row |= {"overlap": float(pair.mean[place]), "random": float(study.random_hosts(pair)[place])}
    row |= {"random_pages": at(study.chance_of_sites(study.targets), study.targets)}
    return {"topic": study.topic, "crawler": name, **row}


def _best(study: Study, name: str) -> dict[str, object]:
    """Figure 10: what is rated at all, and how far the best of both crawls agree."""
    rated, ends = study.rated(name, study.targets), study.rated(name)
    mine, other = (one.pages for one in study.rated(name, study.targets, inside=True))
    shares = shared.top_overlap(mine, other, shared.BEST)
    row: dict[str, object] = {"topic": study.topic, "crawler": name, "rated_hosts": len(ends[0].hosts)}
    row |= {f"top_{most}": at(shares, most) for most in TOPS}
    row |= {
        "chance": at(shared.top_chance(mine, other, shared.BEST), shared.BEST),
        "pages": f"{len(mine):,} / {len(other):,}",
    }
    row |= {"both": len(np.intersect1d(ends[0].hosts, ends[1].hosts))}
    for kind, pair in (("", rated), ("end_", ends)):
        row[f"{kind}links"] = " / ".join(f"{one.links:,}" for one in pair)
        row[f"{kind}hosts"] = " / ".join(str(len(one.hosts)) for one in pair)
    return row


def _far(study: Study, name: str) -> Iterator[dict[str, object]]:
    """Figure 11: links from the start pages to each of the best rated, a row each."""
    seeds = [study.crawls[COMPARED[0], start].seeds for start in (D, E)]
    start_hosts = " / ".join(str(len(np.unique(study.ground.hosts[one]))) for one in seeds)
    for kind, starts in STARTS.items():
        row = {"topic": study.topic, "crawler": name, "starts": kind, "start_hosts": start_hosts}
        for one in study.distances(name, starts, study.targets, inside=True):
            yield from (row | {"pages": far, "remote": far >= 3} for far in one.pages.tolist() if far >= 0)
        for one in study.distances(name, starts):
            yield from (row | {"hosts": far} for far in one.hosts.tolist() if far >= 0)


def at(values: Floats, place: int) -> float:
    """Return the value after so many pages, or at the end; NaN where there is none."""
    return float(values[min(place, len(values)) - 1]) if len(values) else float("nan")
