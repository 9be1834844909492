"""The taxonomy of a web, for hard and soft focus: trained once from examples in the web.

It is the one that the user named, else a flat one: a leaf for each topic of the web, and one for their other
examples. Ground truth must not be used here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from focused_crawler.classify.taxonomy.folder import load_tree, model_folder
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import read_summary, write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import ExamplesInWeb
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.topic.topic import load_topic, topic_names
from focused_crawler.virtualweb.truth import topics_folder

_SUMMARY = "taxonomy_lesson.json"


@dataclass(frozen=True, slots=True)
class TaxonomySummary:
    """The examples that a taxonomy was trained from."""

    leaves: int
    examples: int  # in the web
    missing: int  # not in the web
    accuracy: float  # share of the held-out examples whose best leaf is their own

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return the summary in a folder, None if training did not end there."""
        return read_summary(folder / _SUMMARY, cls)

    def __str__(self) -> str:
        missing = f", {self.missing} are not in the web" if self.missing else ""
        return (
            f"{self.leaves} leaves, {self.examples:,} examples{missing}; best leaf right {self.accuracy:.2f}"
        )


def by_web(subjects: Iterable[Subject]) -> list[list[Subject]]:
    """Return the subjects of each web."""
    found: dict[Path, list[Subject]] = {}
    for subject in subjects:
        found.setdefault(subject.web, []).append(subject)
    return list(found.values())


def tree_of(bench: Bench, subjects: Sequence[Subject]) -> Tree:
    """Return the taxonomy of the web that the subjects are in; raises TopicError."""
    beside = topics_folder(subjects[0].web)
    names = topic_names(beside)
    if bench.config.taxonomy is not None:
        return load_tree(bench.config.taxonomy, beside if names else None)
    topics = {name: load_topic(name, beside) for name in names}
    topics |= {subject.topic.name: subject.topic for subject in subjects}
    return Tree.of_topics([topics[name] for name in sorted(topics)])


def train_taxonomy_of(bench: Bench, subjects: Sequence[Subject]) -> TaxonomySummary | FocusedCrawlerError:
    """Train the taxonomy of the subjects' web, unless that was done; return the error if that fails."""
    folder = folder_of(bench, subjects[0])
    try:
        return TaxonomySummary.read(folder) or _train(bench, subjects, folder)
    except FocusedCrawlerError as error:
        return error


def folder_of(bench: Bench, subject: Subject) -> Path:
    """Return the folder of the taxonomy of a subject's web."""
    return model_folder(bench.folder, bench.models(subject))


def _train(bench: Bench, subjects: Sequence[Subject], folder: Path) -> TaxonomySummary:
    # It loads slowly, and Scrapy loads this module for each of its commands.
    from focused_crawler.classify.taxonomy.training import train_taxonomy  # noqa: PLC0415

    tree = tree_of(bench, subjects)
    web, analyzer = bench.web(subjects[0]), Analyzer(subjects[0].topic.language)
    pages = {
        category.path: ExamplesInWeb.find(web, category.examples, Path(), analyzer).pages
        for category in tree.categories
    }
    model, report = train_taxonomy(tree, pages)
    model.save(folder)
    named = sum(len(category.examples) for category in tree.categories)
    found = sum(map(len, pages.values()))
    summary = TaxonomySummary(len(model.tree.leaves), found, named - found, report.accuracy)
    write_whole(folder / _SUMMARY, json.dumps(asdict(summary)) + "\n")
    return summary
