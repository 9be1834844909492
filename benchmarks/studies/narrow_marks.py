"""Marks that are too narrow, what the census of their crawls suggests, and broader ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import tomlkit

from benchmarks.studies.chakrabarti_plots import curve, lines_panel
from benchmarks.studies.crawls import Crawl, Start, TaxonomyCrawler
from benchmarks.tables import Rows
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.related import Related, related
from focused_crawler.classify.taxonomy.tree import OTHER, Category, Tree, parent_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import folder_of
from focused_crawler.report.plots import Plot
from focused_crawler.virtualweb.graph import LinkGraph

PARENTS = dict.fromkeys(("databases", "machine-learning", "stream-processing"), "data")
PARENTS |= dict.fromkeys(("cooking", "health", "sports"), "living")
"""Topic -> category above it; other topics stand alone."""

SPLIT = "stream-processing"
BROKERS = ("activemq", "kafka", "pulsar", "rocketmq")
"""The examples of SPLIT on hosts with such a name make a class of their own, below it."""

WRITTEN = "category.toml"

MOST = 3000
"""Pages of a crawl of hard focus; all run dry before."""

FEWEST = 10  # pages of a crawl that is drawn at all
INCHES, PIXELS = (5.4, 2.9), (440, 250)
DASHES = ((), (6.0, 2.0), (2.0, 2.0), (9.0, 2.0, 2.0, 2.0))


@dataclass(frozen=True, slots=True)
class Cure:
    """Hard-focused crawls of one topic from one seed set, each with broader marks than the one before."""

    narrow: Crawl
    advice: Related  # by the census of the narrow one
    advised: Crawl | None  # with the marks that were suggested; None: there were none
    broad: Crawl  # with the parent marked


def write_tree(flat: Tree, folder: Path) -> None:
    """Write a taxonomy of two and three levels, from the examples of a flat one."""
    for category in Tree.of(_placed(flat)).categories:
        target = folder / category.path
        target.mkdir(parents=True, exist_ok=True)
        lists = {"topics": list(category.topics), "examples": list(category.examples)}
        (target / WRITTEN).write_text(tomlkit.dumps(lists))


def _placed(flat: Tree) -> Iterator[Category]:
    for path in flat.paths[1:]:
        place = f"{PARENTS[path]}/{path}" if path in PARENTS else path
        if path == OTHER:
            yield Category(place, examples=flat[path].examples)
        elif path == SPLIT:
            brokers = [url for url in flat[path].examples if _is_broker(url)]
            rest = [url for url in flat[path].examples if not _is_broker(url)]
            yield Category(f"{place}/brokers", examples=tuple(brokers))
            yield Category(f"{place}/engines", examples=tuple(rest))
        else:
            yield Category(place, topics=(path,))


def _is_broker(url: str) -> bool:
    return any(name in (urlsplit(url).hostname or "") for name in BROKERS)


def narrow_marks(tree: Tree, topic: str) -> list[str]:
    """Return the marks to begin with: a topic's own category, and a class of it where it has some."""
    own = f"{PARENTS[topic]}/{topic}"
    return [own, *tree.children(own)[:1]]


def cures(bench: Bench, subject: Subject, tree: Tree, narrow: str) -> Iterator[Cure]:
    """Crawl with a narrow mark, with what its census suggests, and with its parent, from each seed set."""
    crawlers: dict[tuple[str, ...], TaxonomyCrawler] = {}

    def crawl(seed_set: str, *marks: str) -> Crawl:
        if marks not in crawlers:
            crawlers[marks] = TaxonomyCrawler(bench, subject, marks, MOST)
        return crawlers[marks].crawl("hard_focus", Start(seed_set))

    for seed_set in subject.seed_sets:
        first = crawl(seed_set, narrow)
        advice = related(tree, first.marks, census(first, bench.web(subject).graph))
        advised = crawl(seed_set, *advice.marks) if advice.marks else None
        yield Cure(first, advice, advised, crawl(seed_set, parent_of(narrow) or ""))


def census(crawl: Crawl, graph: LinkGraph) -> list[tuple[str, int, int, int]]:
    """Return (category, pages, good pages, pages that lead to other good ones), as that of a crawl.db.

    A page counts as relevant if its best category is good: what the crawler can know.
    """
    found = list(zip(crawl.visits.tolist(), crawl.focus, strict=True))
    good = {page for page, focus in found if focus.is_good}
    counts: dict[str, list[int]] = {}
    for page, focus in found:
        count = counts.setdefault(focus.category, [0, 0, 0])
        count[0] += 1
        count[1] += focus.is_good
        count[2] += not good.isdisjoint(graph.out(page).tolist())
    return [(path, *count) for path, count in counts.items()]


def widen(subject: Subject, bench: Bench) -> list[Cure]:
    """Crawl with narrow and broader marks."""
    tree = TaxonomyModel.load(folder_of(bench, subject)).tree
    marks = narrow_marks(tree, subject.topic.name)
    return [cure for mark in marks for cure in cures(bench, subject, tree, mark)]


def rows_of(found: Sequence[Cure]) -> dict[str, Rows]:
    """Return what marks found, and the census that helped most."""
    return {"cures": Rows(map(_cure, found)), "census": Rows(census_of(found))}


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
