"""Hard and soft focus beside no focus (Chakrabarti et al. 1999, section 5.2), and marks that are too narrow.

    .venv/bin/python benchmarks/focus.py --web ../shared/webs/openweb.warc.gz

Crawls of each topic from each of its seed sets. The taxonomy of the first part is flat, a leaf a topic, as
`scrapy experiment` makes it; that of the second has levels. Both learn from the topics' examples only; the
ground truth counts what was found, afterwards. `--into docs/focus.md` writes the tables between markers of
the document, `--plots docs/focus` draws.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.classifier_tables import Grid, put_into
from benchmarks.focus_crawls import Crawl, Crawler, bench_of, mean_of, unsteered
from benchmarks.focus_narrow import PARENTS, Cure, cures, narrow_marks, write_tree
from benchmarks.focus_plots import draw
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.tree import OTHER
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject, find_subjects
from focused_crawler.experiment.taxonomy import TaxonomyLesson, folder_of, teach, tree_of

STRATEGIES = ("unfocused", "soft_focus", "hard_focus")
FIRST = 1000
"""Pages over which harvest is compared; all budgets are larger."""


class Acquired(NamedTuple):
    """The crawls about one topic."""

    crawls: list[Crawl]
    milliseconds: float  # a judgement


def acquire(subject: Subject, bench: Bench, pages: int) -> Acquired:
    """Crawl from each seed set with each strategy; the topic's own leaf is marked."""
    model = TaxonomyModel.load(folder_of(bench, subject))
    crawler = Crawler(bench, subject, model, [subject.topic.name], pages)
    crawls = [crawler.crawl(name, seeds) for name in STRATEGIES for seeds in subject.seed_sets]
    return Acquired(crawls, crawler.milliseconds)


def widen(subject: Subject, bench: Bench, pages: int) -> list[Cure]:
    """Crawl with narrow and broader marks."""
    model = TaxonomyModel.load(folder_of(bench, subject))
    marks = narrow_marks(model, subject.topic.name)
    return [cure for mark in marks for cure in cures(bench, subject, model, pages, mark)]


def taught(bench: Bench, subjects: Sequence[Subject]) -> Bench:
    """Train the taxonomy; return the bench."""
    lesson = teach(bench, subjects)
    if not isinstance(lesson, TaxonomyLesson):
        raise lesson
    print(f"taxonomy of {lesson}", file=sys.stderr)
    return bench


def by_strategy(crawls: Sequence[Crawl], pages: int) -> Grid:
    """Return the means, and how R is spread over the pages fetched (the paper's Figure 7)."""
    head = ["strategy", "harvest at 100", f"at {FIRST:,}", f"at {pages:,}"]
    head += ["mean R of what was fetched", "R = 1", "R > 0.999", "R < 0.001", "R = 0", "ran dry"]
    grid = Grid("strategies", "Means over topics", head)
    for name in STRATEGIES:
        mine = [crawl for crawl in crawls if crawl.strategy == name]
        spread = np.concatenate([crawl.relevance[:FIRST] for crawl in mine])
        grid.add(
            name,
            *(f"{mean_of(mine, budget):.2f}" for budget in (100, FIRST, pages)),
            f"{spread.mean():.2f}",
            *(f"{part.mean():.2f}" for part in (spread == 1, spread > 0.999, spread < 0.001, spread == 0)),
            f"{sum(crawl.is_dry for crawl in mine)} of {len(mine)}",
        )
    return grid


def by_part(crawls: Sequence[Crawl], part: str) -> Grid:
    """Return harvest by topic or seed set; of hard focus also that of what it fetched until it ran dry."""
    head = [part.replace("_", " "), *STRATEGIES, "hard, of its own pages", "hard: pages until dry, median"]
    grid = Grid(f"{part}s", f"Harvest at {FIRST:,} pages", head)
    for value in dict.fromkeys(getattr(crawl, part) for crawl in crawls):
        mine = [crawl for crawl in crawls if getattr(crawl, part) == value]
        rates = [f"{mean_of([c for c in mine if c.strategy == name], FIRST):.2f}" for name in STRATEGIES]
        hard = [crawl for crawl in mine if crawl.strategy == "hard_focus"]
        own = mean(crawl.hits[:FIRST].mean() for crawl in hard)
        ends = [len(crawl.visits) for crawl in hard if crawl.is_dry]
        grid.add(
            value, *rates, f"{own:.2f}", f"{median(ends):,.0f} ({len(ends)} of {len(hard)})" if ends else "-"
        )
    return grid


def by_leaf(bench: Bench, subjects: Sequence[Subject]) -> Grid:
    """Return how well each topic's leaf is told from the rest, on all pages of the web by the truth."""
    model, web = TaxonomyModel.load(folder_of(bench, subjects[0])), bench.web(subjects[0])
    best = [model.best_leaf(page_counts(web.page(number))) for number in range(len(web))]
    grid = Grid(
        "leaves", "Best leaves of all pages", ["topic", "relevant pages", "precision", "recall", "F1"]
    )
    for subject in subjects:
        truth = truth_of(bench, subject).among(web.urls)
        said = (leaf == subject.topic.name for leaf in best)
        matrix = ConfusionMatrix.from_pairs(zip(said, truth.tolist(), strict=True))
        shares = (matrix.precision, matrix.recall, matrix.f_beta())
        grid.add(subject.topic.name, f"{int(truth.sum()):,}", *(f"{share:.2f}" for share in shares))
    return grid


def other_relevant(bench: Bench, subjects: Sequence[Subject]) -> float:
    """Return how many of the flat tree's examples of `other` are about one of the topics, by the truth."""
    truths = [truth_of(bench, subject) for subject in subjects]
    named = tree_of(bench, subjects)[OTHER].examples
    return mean(any(truth.is_relevant(url) for truth in truths) for url in named)


def by_cure(found: Sequence[Cure], pages: int) -> Grid:
    """Return what narrow marks found, what was advised, and what broader marks found, where they differ."""
    head = ["topic", "seeds", "narrow mark", "relevant / pages", "advice: mark", "then", "its parent marked"]
    grid = Grid("cures", f"Hard focus, up to {pages:,} pages", head)
    for cure in found:
        if cure.advised is None and len(cure.broad.visits) == len(cure.narrow.visits):
            continue
        advice = ", ".join(cure.advice.marks) or "-"
        grid.add(
            cure.narrow.topic,
            cure.narrow.seed_set,
            ", ".join(cure.narrow.marks),
            _told(cure.narrow),
            advice,
            _told(cure.advised) if cure.advised else "-",
            _told(cure.broad),
        )
    return grid


def by_census(cure: Cure) -> Grid:
    """Return the census of one narrow crawl."""
    grid = Grid("census", "Census", ["best leaf", "pages", "that lead to good pages", "good", "suggested"])
    for row in cure.advice.rows:
        flags = ("yes" if flag else "" for flag in (row.is_good, row.is_suggested))
        grid.add(row.path, f"{row.pages:,}", f"{row.leading:,}", *flags)
    return grid


def _told(crawl: Crawl) -> str:
    end = ", dry" if crawl.is_dry else ""
    return f"{int(crawl.hits.sum()):,} / {len(crawl.visits):,}{end}"


def figures(acquired: Sequence[Acquired], found: Sequence[Cure]) -> Iterator[tuple[str, float]]:
    """Yield the figures by name; cures are summed over all narrow crawls that ran dry."""
    crawls = [crawl for one in acquired for crawl in one.crawls]
    for name in STRATEGIES:
        mine = [crawl for crawl in crawls if crawl.strategy == name]
        yield f"harvest_{name}_{FIRST}", mean_of(mine, FIRST)
        yield f"relevance_{name}_{FIRST}", mean_of(mine, FIRST, by_relevance=True)
        yield f"dry_{name}", mean(crawl.is_dry for crawl in mine)
    yield "judge_ms", mean(one.milliseconds for one in acquired)
    dry = [cure for cure in found if cure.narrow.is_dry]
    yield "narrow_dry", len(dry) / max(len(found), 1)
    yield "narrow_relevant", sum(int(cure.narrow.hits.sum()) for cure in dry)
    yield "advised_relevant", sum(int((cure.advised or cure.narrow).hits.sum()) for cure in dry)
    yield "broad_relevant", sum(int(cure.broad.hits.sum()) for cure in dry)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, required=True, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument("--pages", type=int, default=3000, help=f"of a crawl, {FIRST:,} or more")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--plots", type=Path, help="folder to draw into")
    parser.add_argument("--into", type=Path, help="document whose tables are to be written")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    subjects = find_subjects([chosen.web.resolve()], chosen.topics, None)
    with TemporaryDirectory() as name, ProcessPoolExecutor(chosen.processes) as pool:
        folder = Path(name)
        flat = taught(unsteered(bench_of(folder / "flat")), subjects)
        write_tree(tree_of(flat, subjects), folder / "tree")
        config = replace(flat.config, taxonomy=folder / "tree")
        levels = taught(replace(flat, folder=folder / "levels", config=config), subjects)
        acquired = list(pool.map(partial(acquire, bench=flat, pages=chosen.pages), subjects))
        leaves, noise = by_leaf(flat, subjects), other_relevant(flat, subjects)
        grouped = [subject for subject in subjects if subject.topic.name in PARENTS]
        widened = list(pool.map(partial(widen, bench=levels, pages=chosen.pages), grouped))
    crawls = [crawl for one in acquired for crawl in one.crawls]
    found = [cure for cures_of_topic in widened for cure in cures_of_topic]
    told = max(found, key=lambda cure: len(cure.broad.visits) / len(cure.narrow.visits) * bool(cure.advised))
    grids = [
        by_strategy(crawls, chosen.pages),
        by_part(crawls, "topic"),
        by_part(crawls, "seed_set"),
        leaves,
        by_cure(found, chosen.pages),
        by_census(told),
    ]
    Console(width=180).print(*(grid.shown() for grid in grids))
    if chosen.into:
        put_into(chosen.into, grids)
    if chosen.plots:
        draw(chosen.plots, crawls, found)
    if chosen.json:
        values = dict(figures(acquired, found)) | {"other_relevant": noise}
        chosen.json.write_text(json.dumps({"figures": values}, indent=2) + "\n")


if __name__ == "__main__":
    main()
