"""Hard and soft focus beside no focus (Chakrabarti et al. 1999, section 5.2), and marks that are too narrow.

    .venv/bin/python benchmarks/study.py focus --web ../shared/webs/openweb.warc.gz \
        --into docs/focus.md --plots docs/focus

Crawls of each topic from each of its seed sets. The taxonomy of the first part is flat, a leaf a topic, as
`scrapy experiment` makes it; that of the second has levels. Both learn from the topics' examples only; the
ground truth counts what was found, afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from benchmarks.harness import Names, Processes, Report, in_processes, temporary_folder
from benchmarks.studies.crawls import Crawl, Start, TaxonomyCrawler, bench_of, subjects_of, taught, unsteered
from benchmarks.studies.narrow_marks import PARENTS, SPLIT, Cure, cures, narrow_marks, write_tree
from benchmarks.studies.robustness_plots import curve, lines_panel
from benchmarks.tables import Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.tree import OTHER
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import folder_of, tree_of
from focused_crawler.report.plots import Plot

STRATEGIES = ("unfocused", "soft_focus", "hard_focus")
FIRST = 1000
"""Pages over which harvest is compared; all budgets are larger."""

FEWEST = 10  # pages of a crawl that is drawn at all
INCHES, PIXELS = (5.4, 2.9), (440, 250)
DASHES = ((), (6.0, 2.0), (2.0, 2.0), (9.0, 2.0, 2.0, 2.0))


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    pages: Annotated[int, f"of a crawl, {FIRST:,} or more"] = 3000,
    processes: Processes = 2,
    plots: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Crawl with each strategy, and with narrow and broader marks."""
    subjects = subjects_of(web, topics)
    grouped = [subject for subject in subjects if subject.topic.name in PARENTS]
    with temporary_folder() as folder:
        flat = taught(unsteered(bench_of(folder / "flat")), subjects)
        write_tree(tree_of(flat, subjects), folder / "tree")
        config = replace(flat.config, taxonomy=folder / "tree")
        levels = taught(replace(flat, folder=folder / "levels", config=config), subjects)
        acquired = in_processes(partial(acquire, bench=flat, pages=pages), subjects, processes)
        widened = in_processes(partial(widen, bench=levels, pages=pages), grouped, processes)
        rows = {
            "crawls": Rows(_row(crawl, pages) for crawls in acquired for crawl in crawls),
            "leaves": Rows(leaves(flat, subjects)),
            "other": Rows(_others(flat, subjects)),
        }
    found = [cure for of_topic in widened for cure in of_topic]
    rows |= {"cures": Rows(map(_cure, found)), "census": Rows(census_of(found))}
    if plots:
        draw(plots, found)
    return Report(rows, {"narrow_dry": sum(cure.narrow.is_dry for cure in found) / max(len(found), 1)})


def acquire(subject: Subject, bench: Bench, pages: int) -> list[Crawl]:
    """Crawl from each seed set with each strategy, the topic's own leaf marked."""
    crawler = TaxonomyCrawler(bench, subject, [subject.topic.name], pages)
    return [crawler.crawl(name, Start(seeds)) for name in STRATEGIES for seeds in subject.seed_sets]


def widen(subject: Subject, bench: Bench, pages: int) -> list[Cure]:
    """Crawl with narrow and broader marks."""
    tree = TaxonomyModel.load(folder_of(bench, subject)).tree
    marks = narrow_marks(tree, subject.topic.name)
    return [cure for mark in marks for cure in cures(bench, subject, tree, pages, mark)]


def _row(crawl: Crawl, pages: int) -> dict[str, object]:
    """Return harvests, and how R is spread over the first pages (the paper's Figure 7)."""
    first = crawl.relevance[:FIRST]
    spread = {"one": first == 1, "high": first > 0.999, "low": first < 0.001, "zero": first == 0}
    parts = {"own": crawl.hits[:FIRST], "mean_r": first, **spread}
    harvests = {"harvest_100": 100, "harvest": FIRST, "harvest_all": pages}
    return {
        "topic": crawl.topic,
        "seed_set": crawl.start.seeds,
        "strategy": crawl.strategy,
        **{name: crawl.harvest(count) for name, count in harvests.items()},
        **{name: float(part.mean()) for name, part in parts.items()},
        "relevance": crawl.harvest(FIRST, crawl.relevance),
        "dry": float(crawl.is_dry),
        "dry_pages": len(crawl.visits) if crawl.is_dry else None,
    }


def leaves(bench: Bench, subjects: Sequence[Subject]) -> Iterator[dict[str, object]]:
    """Yield how well each topic's leaf is separated from the rest, on all pages of the web by the truth."""
    model, web = TaxonomyModel.load(folder_of(bench, subjects[0])), bench.web(subjects[0])
    best = [model.best_leaf(page_counts(web.page(number))) for number in range(len(web))]
    for subject in subjects:
        truth = truth_of(bench, subject).among(web.urls)
        said = (leaf == subject.topic.name for leaf in best)
        matrix = ConfusionMatrix.from_pairs(zip(said, truth.tolist(), strict=True))
        shares = {"precision": matrix.precision, "recall": matrix.recall, "f1": matrix.f_beta()}
        yield {"topic": subject.topic.name, "relevant": int(truth.sum()), **shares}


def _others(bench: Bench, subjects: Sequence[Subject]) -> Iterator[dict[str, object]]:
    """Yield for each example of `other` in the flat tree whether it is about a topic, by the truth."""
    truths = [truth_of(bench, subject) for subject in subjects]
    for url in tree_of(bench, subjects)[OTHER].examples:
        yield {"is_relevant": any(truth.is_relevant(url) for truth in truths)}


def _cure(cure: Cure) -> dict[str, object]:
    """Return what narrow marks found, what was advised, and what broader marks found."""
    crawls = {"narrow": cure.narrow, "advised": cure.advised, "broad": cure.broad}
    texts = {name: _counts(crawl) for name, crawl in crawls.items() if crawl}
    hits = {f"{name}_relevant": int((crawl or cure.narrow).hits.sum()) for name, crawl in crawls.items()}
    return {
        "topic": cure.narrow.topic,
        "seeds": cure.narrow.start.seeds,
        "mark": ", ".join(cure.narrow.marks),
        "is_dry": cure.narrow.is_dry,
        "differs": cure.advised is not None or len(cure.broad.visits) != len(cure.narrow.visits),
        "advice": ", ".join(cure.advice.marks) or None,
        **texts,
        **hits,
    }


def _counts(crawl: Crawl) -> str:
    end = ", dry" if crawl.is_dry else ""
    return f"{int(crawl.hits.sum()):,} / {len(crawl.visits):,}{end}"


def census_of(found: Sequence[Cure]) -> Iterator[dict[str, object]]:
    """Yield the census of the narrow crawl whose advice brought most."""
    advised = [cure for cure in found if cure.advised]
    for cure in sorted(advised, key=lambda cure: -len(cure.broad.visits) / len(cure.narrow.visits))[:1]:
        for row in cure.advice.rows:
            flags = {"good": "yes" * row.is_good, "suggested": "yes" * row.is_suggested}
            yield {"best leaf": row.path, "pages": row.pages, "leading": row.leading, **flags}


def draw(folder: Path, found: Sequence[Cure]) -> None:
    """Draw what a broader mark does for a crawl that ran dry."""
    of_split, panels = [cure for cure in found if cure.narrow.topic == SPLIT], []
    for seed_set in dict.fromkeys(cure.narrow.start.seeds for cure in of_split):
        mine = [cure for cure in of_split if cure.narrow.start.seeds == seed_set]
        crawls = {
            crawl.marks: crawl for cure in mine for crawl in (cure.narrow, cure.broad, cure.advised) if crawl
        }
        shown = sorted(crawls.values(), key=lambda crawl: len(crawl.visits))
        lines = []
        for number, crawl in enumerate(crawl for crawl in shown if len(crawl.visits) > FEWEST):
            name = " + ".join(mark.rpartition("/")[2] for mark in sorted(crawl.marks))
            shares, dashes = np.cumsum(crawl.hits) / crawl.targets, DASHES[number % len(DASHES)]
            lines.append(curve(name, shares, f"series-{number % 6}", dashes, 2.0))
        if lines:
            panels.append(lines_panel(f"From seed set {seed_set}", lines))
    note = (
        f"Share of all pages about {SPLIT} that hard focus found. A line is named by what was marked, and"
        " ends where nothing was left to fetch."
    )
    if panels:
        folder.mkdir(parents=True, exist_ok=True)
        Plot("cures", "A narrow mark and broader ones", note, panels, 2, INCHES, PIXELS).save(folder)
