"""Marks that are too narrow, what the census of their crawls suggests, and broader ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.studies.crawls import Crawl, Start, TaxonomyCrawler
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.related import Related, related
from focused_crawler.classify.taxonomy.tree import OTHER, Category, Tree, parent_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.virtualweb.graph import LinkGraph

PARENTS = {
    "databases": "data",
    "machine-learning": "data",
    "stream-processing": "data",
    "cooking": "living",
    "health": "living",
    "sports": "living",
}
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
        lines = [f"topics = {_listed(category.topics)}", f"examples = {_listed(category.examples)}"]
        (target / WRITTEN).write_text("\n".join(lines) + "\n")


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


def _listed(texts: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def narrow_marks(model: TaxonomyModel, topic: str) -> list[str]:
    """Return the marks to begin with: a topic's own category, and a class of it where it has some."""
    own = f"{PARENTS[topic]}/{topic}"
    return [own, *model.tree.children(own)[:1]]


def cures(bench: Bench, subject: Subject, model: TaxonomyModel, pages: int, narrow: str) -> Iterator[Cure]:
    """Crawl with a narrow mark, with what its census suggests, and with its parent, from each seed set."""
    web = bench.web(subject)
    broad = TaxonomyCrawler(bench, subject, model, [parent_of(narrow) or ""], pages)
    first = TaxonomyCrawler(bench, subject, model, [narrow], pages)
    for seed_set in subject.seed_sets:
        crawl = first.crawl("hard_focus", Start(seed_set))
        advice = related(model.tree, crawl.marks, census(crawl, web.graph))
        advised = None
        if advice.marks:
            advised = TaxonomyCrawler(bench, subject, model, advice.marks, pages).crawl(
                "hard_focus", Start(seed_set)
            )
        yield Cure(crawl, advice, advised, broad.crawl("hard_focus", Start(seed_set)))


def census(crawl: Crawl, graph: LinkGraph) -> list[tuple[str, int, int, int]]:
    """Return (category, pages, good pages, pages that lead to other good ones), as that of a crawl.db.

    A page counts as relevant if its best category is good: what the crawler can know.
    """
    good = {page for page, focus in zip(crawl.visits, crawl.focus, strict=True) if focus.is_good}
    pages: Counter[str] = Counter(focus.category for focus in crawl.focus)
    relevant: Counter[str] = Counter(focus.category for focus in crawl.focus if focus.is_good)
    leading: Counter[str] = Counter(
        focus.category
        for page, focus in zip(crawl.visits, crawl.focus, strict=True)
        if any(int(target) in good for target in graph.out(page))
    )
    return [(path, pages[path], relevant[path], leading[path]) for path in pages]
