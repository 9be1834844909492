"""Marks that are too narrow, what the census of their crawls suggests, and broader ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import tomlkit

from benchmarks.studies.crawls import Crawl, Start, TaxonomyCrawler
from focused_crawler.classify.taxonomy.related import Related, related
from focused_crawler.classify.taxonomy.tree import OTHER, Category, Tree, parent_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.virtualweb.graph import LinkGraph

PARENTS = dict.fromkeys(("databases", "machine-learning", "stream-processing"), "data")
PARENTS |= dict.fromkeys(("cooking", "health", "sports"), "living")
"""Topic -> category above it; other topics stand alone."""

SPLIT = "stream-processing"
BROKERS = ("activemq", "kafka", "pulsar", "rocketmq")
"""The examples of SPLIT on hosts with such a name make a class of their own, below it."""

WRITTEN = "category.toml"


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


def cures(bench: Bench, subject: Subject, tree: Tree, pages: int, narrow: str) -> Iterator[Cure]:
    """Crawl with a narrow mark, with what its census suggests, and with its parent, from each seed set."""
    crawlers: dict[tuple[str, ...], TaxonomyCrawler] = {}

    def crawl(seed_set: str, *marks: str) -> Crawl:
        if marks not in crawlers:
            crawlers[marks] = TaxonomyCrawler(bench, subject, marks, pages)
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
